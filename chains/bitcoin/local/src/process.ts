/**
 * The process behind a local Bitcoin chain: bcoin in memory with real consensus rules, answering the calls of Bitcoin Core
 * that the adapter makes, with Core's names, errors and replacement rules.
 */
import { jsonRpc, RpcError, serveChains } from '@causeway/devnet/kit'
import { type BcoinNode, loadBcoin } from './bcoin.ts'
import { coreMethods } from './rpc-server.ts'

// bcoin uses deprecated features, and Node warns about them.
process.removeAllListeners('warning')

serveChains(async () => {
  const bcoin = loadBcoin()
  const node: BcoinNode = new bcoin.FullNode({
    network: 'regtest',
    memory: true,
    listen: false,
    noAuth: true,
    // bcoin's own HTTP server is not used; port 0 keeps two nodes from colliding.
    httpPort: 0,
    indexTX: true,
    indexAddress: true,
    requireStandard: true,
    replaceByFee: true,
    logLevel: 'none',
  })
  await node.open()
  const methods = coreMethods(bcoin, node)
  /** Calls run one after the other, as in Core under its lock. */
  let last: Promise<unknown> = Promise.resolve()
  return jsonRpc((method, params) => {
    const call = methods[method]
    if (!call) throw new RpcError(-32601, 'Method not found')
    const turn = last.then(() => call(params))
    last = turn.catch(() => undefined)
    return turn
  })
})
