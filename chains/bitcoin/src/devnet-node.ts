/**
 * A local Bitcoin node in a process of its own: bcoin in memory with real consensus rules, answering the calls of
 * Bitcoin Core that the adapter makes, with Core's names, errors and replacement rules. Ends when its parent does.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type BcoinNode, loadBcoin } from './bcoin.ts'
import { coreMethods, RpcError } from './devnet-core.ts'

const bcoin = loadBcoin()
const node: BcoinNode = new bcoin.FullNode({
  network: 'regtest',
  memory: true,
  listen: false,
  noAuth: true,
  // Its own HTTP server is not used; any free port keeps two nodes out of each other's way.
  httpPort: 0,
  indexTX: true,
  indexAddress: true,
  requireStandard: true,
  replaceByFee: true,
  logLevel: 'none',
})

interface Request {
  id: unknown
  method: string
  params?: unknown[]
}

const methods = coreMethods(bcoin, node)
/** One call after the other, as Core does under its lock. */
let last: Promise<unknown> = Promise.resolve()

async function answer({ id, method, params = [] }: Request): Promise<Record<string, unknown>> {
  const turn = last.then(async () => {
    const call = methods[method]
    if (!call) throw new RpcError(-32601, 'Method not found')
    return call(params)
  })
  last = turn.catch(() => undefined)
  try {
    return { id, result: await turn, error: null }
  } catch (error) {
    const code = error instanceof RpcError ? error.code : -1
    return { id, result: null, error: { code, message: error instanceof Error ? error.message : String(error) } }
  }
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const body: Request | Request[] = JSON.parse(Buffer.concat(chunks).toString())
  const answered = Array.isArray(body) ? await Promise.all(body.map(answer)) : await answer(body)
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(answered))
})

await node.open()
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
// The parent holds the other end: when it is gone, however it went, this ends too.
process.stdin.on('end', () => process.exit(0)).on('error', () => process.exit(0))
process.stdin.resume()
