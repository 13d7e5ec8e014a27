/**
 * One server that speaks the REST API v0.2. It tells a server that failed (try another one) from one that answered "no" (the
 * caller must know what the no means).
 */
import { type Endpoint, NodeFailure, NodeRefusal, retryAfterMs, wireFailure } from '@causeway/core'

/** One request and how its answer is read; see `calls.ts`. */
export interface Call<T> {
  /** For those who count what is asked. */
  name: string
  path: string
  /** Posted where present. */
  body?: unknown
  read(answer: unknown): T
}

export interface Node {
  /** For logs: without path and query. */
  name: string
  ask<T>(call: Call<T>): Promise<T>
}

/** The server works and says no. */
export class Refusal extends NodeRefusal {
  override name = 'Refusal'
  readonly code: number
  readonly reason: string
  constructor(call: string, code: number, reason: string) {
    super(`${call}: ${reason} (${code})`)
    this.code = code
    this.reason = reason
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

interface Envelope {
  status?: unknown
  error?: { code?: unknown; message?: unknown } | null
  result?: unknown
}

async function fetched({ name, url, timeoutMs }: Endpoint, call: Call<unknown>): Promise<unknown> {
  const posted = call.body === undefined ? {} : { method: 'POST', body: JSON.stringify(call.body) }
  let envelope: Envelope
  try {
    const response = await fetch(`${url}/${call.path}`, {
      ...posted,
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (FAILING.has(response.status)) throw new NodeFailure(`HTTP ${response.status}`, retryAfterMs(response))
    envelope = (await response.json()) as Envelope
  } catch (error) {
    if (error instanceof NodeFailure) throw new NodeFailure(`node ${name} failed: ${error.message}`, error.restMs)
    throw wireFailure(name, error)
  }
  if (envelope?.status === 'success' && 'result' in envelope) return envelope.result
  if (envelope?.status !== 'error') throw new NodeFailure(`node ${name} speaks another language`)
  throw new Refusal(call.name, Number(envelope.error?.code), String(envelope.error?.message ?? 'no reason given'))
}
