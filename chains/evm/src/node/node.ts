/**
 * One node over HTTP JSON-RPC: sends batches, waits only so long, and tells a node that failed (try another one) from a
 * node that answered "no" (the caller must know what the no means).
 */
import {
  batchOf,
  type Call,
  type CallNode,
  callNode,
  type Endpoint,
  exchange,
  isOutOfQuota,
  NodeFailure,
  readAnswer,
  responsesIn,
} from '@causeway/core'

export { type Call, type CallNode as Node, Refusal } from '@causeway/core'

export interface NodeOptions {
  timeoutMs: number
  /** Requests in one HTTP call at most. */
  batchSize: number
}

/** Calls made in the same breath, by whomever, travel together: a hundred payouts are looked at in a few requests. */
export function openNode(url: string, { timeoutMs, batchSize }: NodeOptions): CallNode {
  const endpoint = { name: new URL(url).host, url, timeoutMs }
  let waiting: Waiting[] = []

  function flush(): void {
    const calls = waiting
    waiting = []
    for (let start = 0; start < calls.length; start += batchSize) {
      void post(endpoint, calls.slice(start, start + batchSize))
    }
  }

  function enqueue(call: Call<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (waiting.length === 0) queueMicrotask(flush)
      waiting.push({ call, resolve, reject })
    })
  }

  return callNode(endpoint.name, (calls) => Promise.all(calls.map(enqueue)))
}

interface Waiting {
  call: Call<unknown>
  resolve(answer: unknown): void
  reject(reason: unknown): void
}

async function post(endpoint: Endpoint, waiting: readonly Waiting[]): Promise<void> {
  try {
    // The same question of several callers is asked once.
    const questions = waiting.map(({ call: { method, params } }) => JSON.stringify({ method, params }))
    const ids = new Map([...new Set(questions)].map((question, id) => [question, id]))
    const requests = [...ids].map(([question, id]) => ({ jsonrpc: '2.0', id, ...JSON.parse(question) }))
    const body = await exchange(fetch, endpoint, batchOf(requests), jsonOf)
    const responses = responsesIn(endpoint.name, body, requests.length)
    // One answer that cannot be read is this caller's trouble only.
    for (const [position, { call, resolve, reject }] of waiting.entries()) {
      try {
        const response = responses[ids.get(questions[position] ?? '') ?? -1]
        resolve(readAnswer(endpoint.name, call, response, isOutOfQuota))
      } catch (error) {
        reject(error)
      }
    }
  } catch (error) {
    for (const { reject } of waiting) reject(error)
  }
}

async function jsonOf(response: Response): Promise<unknown> {
  if (!response.ok) throw new NodeFailure(`HTTP ${response.status}`)
  return await response.json()
}
