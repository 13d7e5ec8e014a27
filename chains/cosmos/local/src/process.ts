/** The process behind `index.ts`: all local chains of the family, each behind CometBFT's JSON-RPC. */
import { jsonRpc, RpcError, serveChains } from '@causeway/devnet/kit'
import { type ChainPlan, LocalChain } from './chain.ts'
import { METHODS } from './rpc-server.ts'

serveChains(async (plan: ChainPlan) => {
  const chain = new LocalChain(plan)
  chain.start()
  return jsonRpc((method, params) => {
    const run = METHODS[method]
    if (!run) throw new RpcError(-32601, 'Method not found')
    return run(chain, params as unknown as Record<string, unknown>)
  })
})
