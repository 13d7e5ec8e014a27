/** The process behind `index.ts`: all local chains of the family, each behind java-tron's HTTP API. Its methods are paths. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LocalChain } from './chain.ts'
import type { ChainPlan } from './genesis.ts'
import { METHODS } from './rpc-server.ts'

process.on('disconnect', () => process.exit(0))
// The terminal interrupts the parent too: it decides when this ends.
process.on('SIGINT', () => {})
process.once('message', (plans: Record<string, ChainPlan>) => {
  serve(plans).catch((error) => {
    console.error('local chains did not start', error)
    process.exit(1)
  })
})

async function serve(plans: Record<string, ChainPlan>): Promise<void> {
  const chains = new Map<string, LocalChain>()
  for (const [name, plan] of Object.entries(plans)) chains.set(name, await LocalChain.open(plan))
  const server = createServer((request, response) => {
    answer(chains, request, response).catch((error) => response.writeHead(400).end(String(error)))
  })
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
}

async function answer(
  chains: ReadonlyMap<string, LocalChain>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Wallets in a browser talk to the node themselves.
  response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', '*')
  if (request.method === 'OPTIONS') return void response.writeHead(204).end()
  const url = new URL(request.url ?? '', 'http://localhost')
  const [, name = '', ...path] = url.pathname.split('/')
  const [chain, run] = [chains.get(name), METHODS[path.join('/')]]
  if (!chain || !run) return void response.writeHead(404).end('no such chain or method')
  const text = await bodyOf(request)
  const body: unknown = text === '' ? Object.fromEntries(url.searchParams) : JSON.parse(text)
  const told = await Promise.resolve(run(chain, body as Record<string, unknown>)).catch((error) => ({
    Error: String(error),
  }))
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(told))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
