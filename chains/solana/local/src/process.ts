/** The process behind `index.ts`: the local chains of the family over HTTP JSON-RPC. */
import { jsonRpc, RpcError, serveChains } from '@causeway/devnet/kit'
import { openDevnetChain } from './chain.ts'
import { type ChainPlan, setUp } from './genesis.ts'
import { methodsOf } from './rpc-server.ts'

/** Slot time, as on the real chain. */
const SLOT_MS = 400

serveChains(async (plan: ChainPlan) => {
  const chain = openDevnetChain()
  await setUp(chain, plan)
  const methods = methodsOf(chain, { genesisHash: plan.genesisHash ?? chain.blocks[0]?.hash ?? '' })
  setInterval(() => chain.seal(), SLOT_MS)
  return jsonRpc((method, params) => {
    const handler = methods[method]
    if (!handler) throw new RpcError(-32601, 'Method not found')
    return handler(...(params as never[]))
  })
})
