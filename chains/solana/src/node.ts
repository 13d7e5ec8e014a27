/**
 * One node over HTTP JSON-RPC: a few requests at a time, each waited for only so long. Tells a node that failed (try
 * another one) from a node that answered "no" (the caller must know what the no means).
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
  /** Requests at the same time; batches are not used, since many providers refuse or meter them. */
  parallel: number
}

export function openNode(url: string, { timeoutMs, parallel }: NodeOptions): Node {
  const { host } = new URL(url)
  const inTurn = turnstile(parallel)
  const settle = async <const C extends readonly Call<unknown>[]>(calls: C) =>
    (await Promise.all(calls.map((call) => inTurn(() => post(url, host, call, timeoutMs))))) as {
      [K in keyof C]: Answered<C[K]> | Refusal
    }
  const ask = async <const C extends readonly Call<unknown>[]>(calls: C) => {
    const answers: readonly unknown[] = await settle(calls)
    const refused = answers.find((answer) => answer instanceof Refusal)
    if (refused) throw refused
    return answers as { [K in keyof C]: Answered<C[K]> }
  }
  return { name: host, settle, ask }
}

/** Lets so many pass at once; the others wait in line. */
function turnstile(places: number) {
  const line: (() => void)[] = []
  let free = places
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => line.push(resolve))
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next) next()
      else free += 1
    }
  }
}

interface Response {
  result?: unknown
  error?: { code?: number; message?: string; data?: unknown }
}

async function post(url: string, host: string, call: Call<unknown>, timeoutMs: number): Promise<unknown> {
  const { method, params } = call
  const response = await fetchJson(url, host, { jsonrpc: '2.0', id: 1, method, params }, timeoutMs)
  if (typeof response !== 'object' || response === null) throw new NodeFailure(`node ${host} left ${method} unanswered`)
  const { error, result }: Response = response
  if (error) {
    const { code = 0, message = 'no reason given', data } = error
    if (isSick(code, message)) throw new NodeFailure(`node ${host} cannot answer now: ${message}`)
    return new Refusal(method, code, message, data)
  }
  try {
    return call.read(result)
  } catch (reason) {
    throw new NodeFailure(`node ${host} gave an answer to ${method} that cannot be read: ${String(reason)}`)
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
    // Some nodes put a refusal under an error status of HTTP; others a page of their proxy.
    const text = await response.text()
    if (!response.ok && !text.includes('"jsonrpc"')) throw new NodeFailure(`HTTP ${response.status}`)
    return JSON.parse(text)
  } catch (error) {
    throw new NodeFailure(`node ${host} failed: ${error instanceof Error ? reasonOf(error) : String(error)}`)
  }
}

/** -32005: the node says of itself that it is behind. */
function isSick(code: number, message: string): boolean {
  return code === -32005 || code === 429 || /rate limit|too many requests|quota|capacity exceeded/i.test(message)
}

function reasonOf(error: Error): string {
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return error.message + cause
}
