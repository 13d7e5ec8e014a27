/**
 * The process behind `devnet.ts`: all local chains of the family over HTTP, each under its network's name. It gets its plan
 * from the parent, answers with its port, and dies with the parent.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ChainPlan, LocalChain } from './devnet-chain.ts'
import { FacadeError, METHODS } from './devnet-facade.ts'

/** The largest message the real chain takes is 64 kB. */
const MAX_BODY_BYTES = 1_000_000

const chains = new Map<string, LocalChain>()

process.on('disconnect', () => process.exit(0))
// The terminal interrupts the parent too: it decides when this ends.
process.on('SIGINT', () => {})
process.once('message', (plans: ChainPlan[]) => {
  serve(plans).catch((error) => {
    console.error('local chains did not start', error)
    process.exit(1)
  })
})

async function serve(plans: readonly ChainPlan[]): Promise<void> {
  for (const plan of plans) chains.set(plan.name, await LocalChain.open(plan))
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(400).end(String(error)))
  })
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
}

interface Request {
  id?: unknown
  method: string
  params?: Record<string, unknown>
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Wallets in a browser talk to the node themselves.
  response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', '*')
  if (request.method === 'OPTIONS') return void response.writeHead(204).end()
  const chain = chains.get((request.url ?? '').split('/')[1] ?? '')
  if (!chain) return void response.writeHead(404).end('no such chain')
  const { id = null, method, params = {} }: Request = JSON.parse(await bodyOf(request))
  response.setHeader('content-type', 'application/json')
  try {
    const run = METHODS[method]
    if (!run) throw new FacadeError(404, `method not found: ${method}`)
    response.end(JSON.stringify({ ok: true, result: await run(chain, params), id, jsonrpc: '2.0' }))
  } catch (error) {
    const code = error instanceof FacadeError ? error.code : 500
    const reason = error instanceof Error ? error.message : String(error)
    response.writeHead(code).end(JSON.stringify({ ok: false, error: reason, code, id, jsonrpc: '2.0' }))
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new RangeError('the request is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
