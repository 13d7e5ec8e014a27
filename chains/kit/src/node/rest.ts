/**
 * One HTTP server that is queried by path. It separates a server that failed (try another one) from a server that
 * refused (the caller must interpret the refusal). Families define how answers and refusals are wrapped, and pass in
 * the function that sends.
 */

import { NodeFailure } from '../pool/nodes.ts'
import { decodeOrFail } from './calls.ts'
import { httpRequest, retryAfterMs, type Send } from './json-rpc.ts'

/** One request and how its answer is read; see a family's `calls.ts`. */
export interface RestCall<T> {
  /** The name under which requests are counted. */
  name: string
  path: string
  /** Sent as a POST body if present. */
  body?: unknown
  headers?: Record<string, string>
  read(answer: unknown): T
}

export interface RestNode {
  /** The server's name for logs, without path and query. */
  name: string
  ask<T>(call: RestCall<T>): Promise<T>
}

export interface RestOptions {
  timeoutMs: number
  spent?: ((method: string) => void) | undefined
}

export interface RestAnswer {
  node: string
  /** The name of the call that was refused. */
  question: string
  /** The HTTP status. */
  status: number
  body: unknown
}

/**
 * Statuses of a failing server: the key is wrong, the quota is used up, or a proxy answers for a server that is down.
 * None of them concerns the request itself.
 */
const FAILING = new Set([401, 403, 429, 500, 502, 503, 504])

/** Opens a server. `unwrapped` takes the answer out of the body, or throws the refusal. */
export function restNode(
  send: Send,
  address: string,
  { timeoutMs, spent }: RestOptions,
  unwrapped: (answer: RestAnswer) => unknown,
): RestNode {
  const { host: node } = new URL(address)
  const base = address.replace(/\/+$/, '')
  return {
    name: node,
    async ask({ name: question, path, body: posted, headers = {}, read }) {
      spent?.(question)
      const endpoint = { name: node, url: `${base}/${path}`, headers, timeoutMs }
      const { status, body } = await httpRequest(send, endpoint, posted, jsonOf)
      const answer = unwrapped({ node, question, status, body })
      return decodeOrFail(node, question, () => read(answer))
    },
  }
}

async function jsonOf(response: Response): Promise<{ status: number; body: unknown }> {
  const { status } = response
  if (FAILING.has(status)) throw new NodeFailure(`HTTP ${status}`, retryAfterMs(response))
  return { status, body: await response.json() }
}
