/**
 * The process behind `devnet.ts`: all local chains of the family over HTTP JSON-RPC, each under its chain id. It gets
 * its plan from the parent, answers with its port, and dies with the parent.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type DevnetChain, openDevnetChain } from './devnet-chain.ts'
import type { ChainPlan } from './devnet-genesis.ts'
import { LocalChainError } from './local-chain.ts'

/** A deployment is some kilobytes; a batch of them stays far below. */
const MAX_BODY_BYTES = 10_000_000

const chains = new Map<string, DevnetChain>()

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
  for (const plan of plans) chains.set(plan.chainId, await openDevnetChain(plan))
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(400).end(String(error)))
  })
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
}

interface Request {
  id?: unknown
  method: string
  params?: unknown[]
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Wallets in a browser talk to the node themselves.
  response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', '*')
  if (request.method === 'OPTIONS') return void response.writeHead(204).end()
  const chain = chains.get((request.url ?? '').slice(1))
  if (!chain) return void response.writeHead(404).end('no such chain')
  const body: Request | Request[] = JSON.parse(await bodyOf(request))
  const answers = Array.isArray(body) ? await inOrder(chain, body) : await one(chain, body)
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answers))
}

async function inOrder(chain: DevnetChain, requests: readonly Request[]): Promise<unknown[]> {
  const answers = []
  for (const request of requests) answers.push(await one(chain, request))
  return answers
}

async function one(chain: DevnetChain, { id = null, method, params = [] }: Request): Promise<unknown> {
  try {
    return { jsonrpc: '2.0', id, result: await chain.request(method, params) }
  } catch (error) {
    const { code, data } = error instanceof LocalChainError ? error : { code: -32603, data: undefined }
    return {
      jsonrpc: '2.0',
      id,
      error: { code, message: error instanceof Error ? error.message : String(error), data },
    }
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
