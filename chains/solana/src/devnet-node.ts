/**
 * The process behind `devnet.ts`: the local chains of the family over HTTP JSON-RPC, each under its network's name. It
 * gets its plan from the parent, answers with its port, and dies with the parent.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openDevnetChain } from './devnet-chain.ts'
import { RpcError } from './devnet-errors.ts'
import { type ChainPlan, setUp } from './devnet-genesis.ts'
import { methodsOf } from './devnet-methods.ts'

/** A transaction is below two kilobytes. */
const MAX_BODY_BYTES = 1_000_000
/** As on the real chain. */
const SLOT_MS = 400

type Methods = ReturnType<typeof methodsOf>
const chains = new Map<string, Methods>()

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
  for (const plan of plans) {
    const chain = openDevnetChain()
    await setUp(chain, plan)
    chains.set(plan.network, methodsOf(chain, { genesisHash: plan.genesisHash ?? chain.blocks[0]?.hash ?? '' }))
    setInterval(() => chain.seal(), SLOT_MS)
  }
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
  const methods = chains.get((request.url ?? '').slice(1))
  if (!methods) return void response.writeHead(404).end('no such chain')
  const body: Request | Request[] = JSON.parse(await bodyOf(request))
  const answers = Array.isArray(body)
    ? await Promise.all(body.map((each) => one(methods, each)))
    : await one(methods, body)
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answers))
}

async function one(methods: Methods, { id = null, method, params = [] }: Request): Promise<unknown> {
  try {
    const handler = methods[method]
    if (!handler) throw new RpcError(-32601, 'Method not found')
    return { jsonrpc: '2.0', id, result: (await handler(...(params as never[]))) ?? null }
  } catch (error) {
    const { code, data } = error instanceof RpcError ? error : { code: -32602, data: undefined }
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
