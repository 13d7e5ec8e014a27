/**
 * One way to the operator's REST API. It tells one that failed (try another) from one that answered "no" (the caller must know
 * what the no means).
 */
import { type Endpoint, NodeFailure, NodeRefusal, retryAfterMs, wireFailure } from '@causeway/core'

/** One request and how its answer is read; see `calls.ts`. */
export interface Call<T> {
  /** For those who count what is asked. */
  name: string
  path: string
  /** Posted where present. */
  body?: unknown
  headers?: Record<string, string>
  read(answer: unknown): T
}

export interface Node {
  /** For logs: without path and query. */
  name: string
  ask<T>(call: Call<T>): Promise<T>
}

/** The operator works and says no. */
export class Refusal extends NodeRefusal {
  override name = 'Refusal'
  readonly code: string
  constructor(call: string, code: string, reason: string) {
    super(`${call}: ${reason} (${code})`)
    this.code = code
  }
}

export interface NodeOptions {
  timeoutMs: number
  spent?: ((method: string) => void) | undefined
}

const FAILING = new Set([401, 403, 429, 500, 502, 503, 504])

export function openNode(url: string, { timeoutMs, spent }: NodeOptions): Node {
  const endpoint: Endpoint = { name: new URL(url).host, url: url.replace(/\/+$/, ''), timeoutMs }
  return {
    name: endpoint.name,
    async ask(call) {
      spent?.(call.name)
      const answer = await fetched(endpoint, call)
      try {
        return call.read(answer)
      } catch (error) {
        throw new NodeFailure(`node ${endpoint.name} gave an answer to ${call.name} that cannot be read: ${error}`)
      }
    },
  }
}

async function fetched({ name, url, timeoutMs }: Endpoint, call: Call<unknown>): Promise<unknown> {
  const posted = call.body === undefined ? {} : { method: 'POST', body: JSON.stringify(call.body) }
  let status: number
  let answer: unknown
  try {
    const response = await fetch(`${url}/${call.path}`, {
      ...posted,
      headers: { 'content-type': 'application/json', ...call.headers },
      signal: AbortSignal.timeout(timeoutMs),
    })
    status = response.status
    if (FAILING.has(status)) throw new NodeFailure(`HTTP ${status}`, retryAfterMs(response))
    answer = await response.json()
  } catch (error) {
    if (error instanceof NodeFailure) throw new NodeFailure(`node ${name} failed: ${error.message}`, error.restMs)
    throw wireFailure(name, error)
  }
  if (status === 200) return answer
  const { code, message } = (answer ?? {}) as { code?: unknown; message?: unknown }
  if (typeof code !== 'string') throw new NodeFailure(`node ${name} speaks another language: HTTP ${status}`)
  throw new Refusal(call.name, code, String(message ?? 'no reason given'))
}
