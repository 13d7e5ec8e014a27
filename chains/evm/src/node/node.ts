/**
 * One node over HTTP JSON-RPC: sends batches, waits only so long, and tells a node that failed (try another one) from a
 * node that answered "no" (the caller must know what the no means).
 */
import {
  type Call,
  type CallNode,
  type CallResponse,
  callNode,
  isOutOfQuota,
  NodeFailure,
  readAnswer,
  wireFailure,
} from '@causeway/core'

export { type Call, type CallNode as Node, Refusal } from '@causeway/core'

export interface NodeOptions {
  timeoutMs: number
  /** Requests in one HTTP call at most. */
  batchSize: number
}

/** Calls made in the same breath, by whomever, travel together: a hundred payouts are looked at in a few requests. */
export function openNode(url: string, options: NodeOptions): CallNode {
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

  return callNode(host, (calls) => Promise.all(calls.map(enqueue)))
}

interface Waiting {
  call: Call<unknown>
  resolve(answer: unknown): void
  reject(reason: unknown): void
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
    const byId = new Map<unknown, CallResponse>(responses.map((response) => [response?.id, response]))
    // One answer that cannot be read is this caller's trouble only.
    for (const [position, { call, resolve, reject }] of waiting.entries()) {
      try {
        const response = isSingle ? responses[0] : byId.get(ids.get(questions[position] ?? ''))
        resolve(readAnswer(host, call, response, isOutOfQuota))
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
    throw wireFailure(host, error)
  }
}
