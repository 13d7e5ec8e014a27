/**
 * One server that is asked by paths. It tells a server that failed (try another one) from one that answered "no" (the caller must
 * know what the no means). Families say how an answer or a "no" is wrapped, and hand in what sends.
 */

import { NodeFailure } from '../pool/nodes.ts'
import { decodeOrFail } from './calls.ts'
import { httpRequest, retryAfterMs, type Send } from './json-rpc.ts'

/** One request and how its answer is read; see a family's `calls.ts`. */
export interface RestCall<T> {
  /** For those who count what is asked. */
  name: string
  path: string
  /** Posted where present. */
  body?: unknown
  headers?: Record<string, string>
  read(answer: unknown): T
}

export interface RestNode {
  /** For logs: without path and query. */
  name: string
  ask<T>(call: RestCall<T>): Promise<T>
}

export interface RestOptions {
  timeoutMs: number
  spent?: ((method: string) => void) | undefined
}

export interface RestAnswer {
  node: string
  /** The call's name. */
  question: string
  /** Of HTTP. */
  status: number
  body: unknown
}

/** The key is wrong, the quota is used up, or a proxy speaks for a server that is away: this says nothing about the question. */
const FAILING = new Set([401, 403, 429, 500, 502, 503, 504])

/** `unwrapped` takes the answer out of the body, or throws what the "no" is. */
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
