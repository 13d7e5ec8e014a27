/**
 * One node over HTTP JSON-RPC: sends batches, waits only so long, and tells a node that failed (try another one) from a
 * node that answered "no" (the caller must know what the no means).
 */

/** One request and how its answer is read; see `calls.ts`. */
export interface Call<T> {
  method: string
  params: readonly unknown[]
  read(answer: unknown): T
}

export interface Node {
  /** For logs: without the path, which often holds a key. */
  name: string
  /** All answers in order; an answer that is a refusal stands in its place. */
  settle<const C extends readonly Call<unknown>[]>(calls: C): Promise<{ [K in keyof C]: Answered<C[K]> | Refusal }>
  /** All answers in order; throws the first refusal. */
  ask<const C extends readonly Call<unknown>[]>(calls: C): Promise<{ [K in keyof C]: Answered<C[K]> }>
}

type Answered<C> = C extends Call<infer T> ? T : never

/** The node works and says no. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: number
  readonly data: unknown
  constructor(method: string, code: number, message: string, data: unknown) {
    super(`${method}: ${message}`)
    this.code = code
    this.data = data
  }
}

/** The node is down, slow, out of quota or talks nonsense. */
export class NodeFailure extends Error {
  override name = 'NodeFailure'
}

export function openNode(url: string, options: { timeoutMs: number; batchSize: number }): Node {
  const { host } = new URL(url)
  const settle = async <const C extends readonly Call<unknown>[]>(calls: C) => {
    const answers: unknown[] = []
    for (let start = 0; start < calls.length; start += options.batchSize) {
      answers.push(...(await post(url, host, calls.slice(start, start + options.batchSize), options.timeoutMs)))
    }
    return answers as { [K in keyof C]: Answered<C[K]> | Refusal }
  }
  const ask = async <const C extends readonly Call<unknown>[]>(calls: C) => {
    const answers: readonly unknown[] = await settle(calls)
    const refused = answers.find((answer) => answer instanceof Refusal)
    if (refused) throw refused
    return answers as { [K in keyof C]: Answered<C[K]> }
  }
  return { name: host, settle, ask }
}

interface Response {
  id?: unknown
  result?: unknown
  error?: { code?: number; message?: string; data?: unknown }
}

async function post(url: string, host: string, calls: readonly Call<unknown>[], timeoutMs: number) {
  const requests = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
  const single = requests.length === 1
  let body: unknown
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(single ? requests[0] : requests),
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (!response.ok) throw new NodeFailure(`HTTP ${response.status}`)
    body = await response.json()
  } catch (error) {
    throw new NodeFailure(`node ${host} failed: ${error instanceof Error ? reasonOf(error) : String(error)}`)
  }
  const responses = (single ? [body] : body) as Response[]
  if (!Array.isArray(responses)) throw new NodeFailure(`node ${host} does not answer batches`)
  const byId = new Map(responses.map((response) => [response?.id, response]))
  return calls.map((call, id) => read(call, single ? responses[0] : byId.get(id), host))
}

function read(call: Call<unknown>, response: Response | undefined, host: string): unknown {
  if (!response || typeof response !== 'object') throw new NodeFailure(`node ${host} left ${call.method} unanswered`)
  if (response.error) {
    const { code = 0, message = 'no reason given', data } = response.error
    if (isOutOfQuota(code, message)) throw new NodeFailure(`node ${host} is out of quota: ${message}`)
    return new Refusal(call.method, code, message, data)
  }
  try {
    return call.read(response.result)
  } catch (error) {
    throw new NodeFailure(`node ${host} gave an answer to ${call.method} that cannot be read: ${String(error)}`)
  }
}

function isOutOfQuota(code: number, message: string): boolean {
  return code === 429 || code === -32005 || /rate limit|too many requests|quota|capacity exceeded/i.test(message)
}

function reasonOf(error: Error): string {
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return error.message + cause
}
