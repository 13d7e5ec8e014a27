/**
 * Runs a family's local chains in a separate process. The parent passes a plan for each chain and gets the port. The
 * child serves every chain over HTTP under its own path, and exits with the parent.
 */
import { fork } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'

export { freePort } from './ports.ts'

export interface ChainsProcess {
  /** Each chain is at `${url}/${path}`. */
  url: string
  stop(): Promise<void>
}

/** Compile cache of the chain processes, shared between starts. */
const COMPILED = path.join(import.meta.dirname, '../../node_modules/.cache/compile')
const START_TIMEOUT_MS = 30_000
/** Added per chain: forty chains of one family start in one process, one after the other. */
const START_EACH_MS = 2_000
const STOP_TIMEOUT_MS = 3_000
/** A contract's code is a few kilobytes; a large batch stays far below this. */
const MAX_BODY_BYTES = 10_000_000

/** Plans by path: plain data, because they are sent to another process. */
type Plans<Plan> = Readonly<Record<string, Plan>>

/**
 * The error message of a slow start: names the chains and how to start fewer, because a busy machine may be too slow
 * for all of them at once.
 */
export function tooSlow(chains: readonly string[], patienceMs: number): string {
  const named = chains.length > 5 ? `${chains.slice(0, 5).join(', ')} and ${chains.length - 5} more` : chains.join(', ')
  const seconds = Math.round(patienceMs / 1000)
  return `the local chains ${named} did not start within ${seconds} s. Start fewer with FAMILIES=evm, or close other programs and try again`
}

export async function forkChains<Plan>(file: URL, plans: Plans<Plan>): Promise<ChainsProcess> {
  const env = { NODE_COMPILE_CACHE: COMPILED, ...process.env }
  const child = fork(file, { env, execArgv: [], stdio: ['ignore', 2, 2, 'ipc'] })
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const patienceMs = START_TIMEOUT_MS + START_EACH_MS * Object.keys(plans).length
  const timer = setTimeout(() => reject(new Error(tooSlow(Object.keys(plans), patienceMs))), patienceMs)
  child.once('message', (message: { port: number }) => resolve(message.port))
  child.once('exit', (code) => reject(new Error(`local chains ended with ${code}`)))
  child.once('error', reject)
  child.send(plans)
  const port = await promise
    .catch((error) => {
      child.kill('SIGKILL')
      throw error
    })
    .finally(() => clearTimeout(timer))
  // A program that forgets to stop its chains can still exit; the chains then exit with it.
  child.unref()
  child.channel?.unref()
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise<void>((done) => child.once('exit', () => done()))
      const last = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
      child.ref()
      child.disconnect()
      await ended
      clearTimeout(last)
    },
  }
}

interface Answer {
  /** The HTTP status; 200 by default. */
  status?: number
  body: unknown
  /** Sent as server-sent events instead of the body. */
  events?: unknown[]
}

/** A request with its method, path and headers, for chains that do not use JSON-RPC alone. */
export interface Asked {
  /** The raw request body. */
  text: string
  method: string
  /** The path after the chain's own name, without a leading slash. */
  path: string
  query: URLSearchParams
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Answers a request; `request` is undefined without a body. */
export type Chain = (request: unknown, asked: Asked) => Promise<Answer>

/** The main function of the child process. */
export function serveChains<Plan>(open: (plan: Plan) => Promise<Chain>): void {
  process.on('disconnect', () => process.exit(0))
  // Ctrl-C also reaches the parent, which decides when the child ends.
  process.on('SIGINT', () => {})
  process.once('message', (plans: Plans<Plan>) => {
    serve(plans, open).catch((error) => {
      console.error('local chains did not start', error)
      process.exit(1)
    })
  })
}

async function serve<Plan>(plans: Plans<Plan>, open: (plan: Plan) => Promise<Chain>): Promise<void> {
  const chains = new Map<string, Chain>()
  for (const [name, plan] of Object.entries(plans)) chains.set(name, await open(plan))
  const server = createServer((request, response) => {
    answer(chains, request, response).catch((error) => response.writeHead(400).end(String(error)))
  })
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
}

async function answer(
  chains: ReadonlyMap<string, Chain>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Browser wallets call the node directly.
  response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', '*')
  if (request.method === 'OPTIONS') return void response.writeHead(204).end()
  const chain = chains.get((request.url ?? '').split('/')[1] ?? '')
  if (!chain) return void response.writeHead(404).end('no such chain')
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const { method = 'GET', headers } = request
  const text = await bodyOf(request)
  const asked = { text, method, path: pathname.split('/').slice(2).join('/'), query: searchParams, headers }
  const { status = 200, body, events } = await chain(text === '' ? undefined : JSON.parse(text), asked)
  if (events) {
    const lines = events.map((event) => `data:${JSON.stringify(event)}\n\n`)
    return void response.writeHead(status, { 'content-type': 'text/event-stream' }).end(lines.join(''))
  }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
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

/** A failed JSON-RPC call. */
export class RpcError extends Error {
  override name = 'RpcError'
  readonly code: number
  readonly data: unknown
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

interface Call {
  id?: unknown
  method: string
  params?: unknown[]
}

const INTERNAL_ERROR = -32603

/** JSON-RPC on top of `run`: one call, or a batch that runs one after the other. */
export function jsonRpc(run: (method: string, params: readonly unknown[]) => unknown): Chain {
  async function one({ id = null, method, params = [] }: Call): Promise<unknown> {
    try {
      return { jsonrpc: '2.0', id, result: (await run(method, params)) ?? null }
    } catch (error) {
      const { code, data } = error instanceof RpcError ? error : { code: INTERNAL_ERROR, data: undefined }
      return {
        jsonrpc: '2.0',
        id,
        error: { code, message: error instanceof Error ? error.message : String(error), data },
      }
    }
  }
  return async (request) => {
    if (!Array.isArray(request)) return { body: await one(request as Call) }
    const answers: unknown[] = []
    for (const call of request) answers.push(await one(call))
    return { body: answers }
  }
}
