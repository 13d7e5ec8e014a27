/**
 * One node over Bitcoin Core's JSON-RPC: sends batches, waits only so long, and tells a node that failed (try another
 * one) from a node that answered "no" (the caller must know what the no means).
 */

import { NodeFailure, NodeRefusal } from '@causeway/core'

/** One request and how its answer is read; see `calls.ts`. */
export interface Call<T> {
  method: string
  params: readonly unknown[]
  read(answer: unknown): T
  /** For the few calls that take long by nature. */
  timeoutMs?: number
}

export interface Node {
  /** For logs: without the name and password that the address may hold. */
  name: string
  /** All answers in order; an answer that is a refusal stands in its place. */
  settle<const C extends readonly Call<unknown>[]>(calls: C): Promise<{ [K in keyof C]: Answered<C[K]> | Refusal }>
  /** All answers in order; throws the first refusal. */
  ask<const C extends readonly Call<unknown>[]>(calls: C): Promise<{ [K in keyof C]: Answered<C[K]> }>
}

type Answered<C> = C extends Call<infer T> ? T : never

/** The node works and says no. */
export class Refusal extends NodeRefusal {
  override name = 'Refusal'
  readonly code: number
  constructor(method: string, code: number, message: string) {
    super(`${method}: ${message}`)
    this.code = code
  }
}

interface Endpoint {
  name: string
  url: string
  headers: Record<string, string>
  timeoutMs: number
}

export function openNode(address: string, options: { timeoutMs: number; batchSize: number }): Node {
  const endpoint = endpointOf(address, options.timeoutMs)
  const settle = async <const C extends readonly Call<unknown>[]>(calls: C) => {
    const answers: unknown[] = []
    for (let start = 0; start < calls.length; start += options.batchSize) {
      answers.push(...(await post(endpoint, calls.slice(start, start + options.batchSize))))
    }
    return answers as { [K in keyof C]: Answered<C[K]> | Refusal }
  }
  const ask = async <const C extends readonly Call<unknown>[]>(calls: C) => {
    const answers: readonly unknown[] = await settle(calls)
    const refused = answers.find((answer) => answer instanceof Refusal)
    if (refused) throw refused
    return answers as { [K in keyof C]: Answered<C[K]> }
  }
  return { name: endpoint.name, settle, ask }
}

/** Core wants a name and a password; `fetch` takes neither inside an address. */
function endpointOf(address: string, timeoutMs: number): Endpoint {
  const url = new URL(address)
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  const authorization = login === ':' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` }
  url.username = ''
  url.password = ''
  return { name: url.host, url: url.href, headers: { 'content-type': 'application/json', ...authorization }, timeoutMs }
}

interface Response {
  id?: unknown
  result?: unknown
  error?: { code?: number; message?: string } | null
}

async function post(endpoint: Endpoint, calls: readonly Call<unknown>[]): Promise<unknown[]> {
  const { name } = endpoint
  const requests = calls.map(({ method, params }, id) => ({ jsonrpc: '1.0', id, method, params }))
  const single = requests.length === 1
  const body = await exchange(endpoint, JSON.stringify(single ? requests[0] : requests), patienceFor(endpoint, calls))
  const responses = (single ? [body] : body) as Response[]
  if (!Array.isArray(responses)) throw new NodeFailure(`node ${name} does not answer batches`)
  const byId = new Map(responses.map((response) => [response?.id, response]))
  return calls.map((call, id) => read(call, single ? responses[0] : byId.get(id), name))
}

async function exchange({ name, url, headers }: Endpoint, body: string, timeoutMs: number): Promise<unknown> {
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(timeoutMs) })
    // Core wraps an ordinary "no" to a single call in a 404 or a 500 with a JSON body.
    const isAnswer = response.ok || response.status === 404 || response.status === 500
    if (!isAnswer) throw new NodeFailure(`HTTP ${response.status}`)
    return await response.json()
  } catch (error) {
    throw new NodeFailure(`node ${name} failed: ${error instanceof Error ? reasonOf(error) : String(error)}`)
  }
}

function patienceFor({ timeoutMs }: Endpoint, calls: readonly Call<unknown>[]): number {
  return Math.max(timeoutMs, ...calls.map((call) => call.timeoutMs ?? 0))
}

/** Core while it starts, and nodes of providers that are tired of us. */
const TRANSIENT_CODES = [-28, -9, -10, 429, -32005]

function read(call: Call<unknown>, response: Response | undefined, name: string): unknown {
  if (!response || typeof response !== 'object') throw new NodeFailure(`node ${name} left ${call.method} unanswered`)
  if (response.error) {
    const { code = 0, message = 'no reason given' } = response.error
    if (TRANSIENT_CODES.includes(code)) throw new NodeFailure(`node ${name} cannot answer now: ${message}`)
    return new Refusal(call.method, code, message)
  }
  try {
    return call.read(response.result)
  } catch (error) {
    throw new NodeFailure(`node ${name} gave an answer to ${call.method} that cannot be read: ${String(error)}`)
  }
}

function reasonOf(error: Error): string {
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return error.message + cause
}
