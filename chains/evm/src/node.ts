/**
 * One node over HTTP JSON-RPC: sends batches, waits only so long, and tells a node that failed (try another one) from a
 * node that answered "no" (the caller must know what the no means).
 */

import { NodeFailure, NodeRefusal } from '@causeway/core'

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
export class Refusal extends NodeRefusal {
  override name = 'Refusal'
  readonly code: number
  readonly data: unknown
  constructor(method: string, code: number, message: string, data: unknown) {
    super(`${method}: ${message}`)
    this.code = code
    this.data = data
  }
}

export interface NodeOptions {
  timeoutMs: number
  /** Requests in one HTTP call at most. */
  batchSize: number
}

/** Calls made in the same breath, by whomever, travel together: a hundred payouts are looked at in a few requests. */
export function openNode(url: string, options: NodeOptions): Node {
  const { host } = new URL(url)
  let waiting: Waiting[] = []

  function flush(): void {
    const calls = waiting
    waiting = []
    for (let start = 0; start < calls.length; start += options.batchSize) {
      void post(url, host, calls.slice(start, start + options.batchSize), options.timeoutMs)
    }
  }

  function enqueue(call: Call<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (waiting.length === 0) queueMicrotask(flush)
      waiting.push({ call, resolve, reject })
    })
  }

  const settle = async <const C extends readonly Call<unknown>[]>(calls: C) =>
    (await Promise.all(calls.map(enqueue))) as { [K in keyof C]: Answered<C[K]> | Refusal }
  const ask = async <const C extends readonly Call<unknown>[]>(calls: C) => {
    const answers: readonly unknown[] = await settle(calls)
    const refused = answers.find((answer) => answer instanceof Refusal)
    if (refused) throw refused
    return answers as { [K in keyof C]: Answered<C[K]> }
  }
  return { name: host, settle, ask }
}

interface Waiting {
  call: Call<unknown>
  resolve(answer: unknown): void
  reject(reason: unknown): void
}

interface Response {
  id?: unknown
  result?: unknown
  error?: { code?: number; message?: string; data?: unknown }
}

async function post(url: string, host: string, waiting: readonly Waiting[], timeoutMs: number): Promise<void> {
  try {
    // The same question of several callers is asked once.
    const questions = waiting.map(({ call: { method, params } }) => JSON.stringify({ method, params }))
    const ids = new Map([...new Set(questions)].map((question, id) => [question, id]))
    const requests = [...ids].map(([question, id]) => ({ jsonrpc: '2.0', id, ...JSON.parse(question) }))
    const [only, ...more] = requests
    const isSingle = more.length === 0
    const body = await fetchJson(url, host, isSingle ? only : requests, timeoutMs)
    const responses = isSingle ? [body] : body
    if (!Array.isArray(responses)) throw new NodeFailure(`node ${host} does not answer batches`)
    const byId = new Map<unknown, Response>(responses.map((response) => [response?.id, response]))
    // One answer that cannot be read is this caller's trouble only.
    for (const [position, { call, resolve, reject }] of waiting.entries()) {
      try {
        resolve(read(call, isSingle ? responses[0] : byId.get(ids.get(questions[position] ?? '')), host))
      } catch (error) {
        reject(error)
      }
    }
  } catch (error) {
    for (const { reject } of waiting) reject(error)
  }
}

async function fetchJson(url: string, host: string, body: unknown, timeoutMs: number): Promise<unknown> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (!response.ok) throw new NodeFailure(`HTTP ${response.status}`)
    return await response.json()
  } catch (error) {
    throw new NodeFailure(`node ${host} failed: ${error instanceof Error ? reasonOf(error) : String(error)}`)
  }
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
