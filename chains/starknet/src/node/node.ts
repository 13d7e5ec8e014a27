/**
 * One node over HTTP JSON-RPC: calls made together are sent as one batch, so that one backend answers them; each call
 * has a timeout. It separates a node that failed (try another one) from a node that refused.
 */
import {
  batchOf,
  type Call,
  type CallNode,
  callNode,
  decodeResponse,
  isOutOfQuota,
  NodeFailure,
  responsesIn,
  retryAfterMs,
  transportError,
} from '@causeway/chain-kit'

export { type Call, type CallNode as Node, CallRejected as Refusal } from '@causeway/chain-kit'

/** Headers that go with the text of a request. */
export type Wording = (body: string) => Promise<Record<string, string>>

export interface NodeOptions {
  timeoutMs: number
  /** The maximum number of requests per HTTP call. */
  batchSize: number
  /** Adds headers that authenticate the caller; absent if nodes do not require it. */
  wording?: Wording | undefined
  /** Called for every request that is sent. */
  spent?: ((method: string) => void) | undefined
}

export function openNode(url: string, options: NodeOptions): CallNode {
  const name = new URL(url).host
  return callNode(name, async (calls) => {
    const answers: Promise<unknown[]>[] = []
    for (let start = 0; start < calls.length; start += options.batchSize) {
      answers.push(post(name, url, options, calls.slice(start, start + options.batchSize)))
    }
    return (await Promise.all(answers)).flat()
  })
}

async function post(
  name: string,
  url: string,
  { timeoutMs, wording, spent }: NodeOptions,
  calls: readonly Call<unknown>[],
): Promise<unknown[]> {
  // Named parameters, as all clients of these nodes send them.
  const requests = calls.map(({ method, params: [params = []] }, id) => ({ jsonrpc: '2.0', id, method, params }))
  for (const { method } of requests) spent?.(method)
  // Serialised once, because the signed text must be the sent text.
  const body = JSON.stringify(batchOf(requests))
  const answer = await exchange(name, url, body, timeoutMs, wording)
  const responses = responsesIn(name, answer, calls.length)
  return calls.map((call, position) => decodeResponse(name, call, responses[position], isOutOfQuota))
}

async function exchange(
  name: string,
  url: string,
  body: string,
  timeoutMs: number,
  wording: Wording | undefined,
): Promise<unknown> {
  const headers = { 'content-type': 'application/json', ...(await wording?.(body)) }
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(timeoutMs) })
    const text = await response.text()
    // Some nodes send a refusal with an HTTP error status; others an error page of their proxy.
    if (response.status === 429 || (!response.ok && !text.includes('"jsonrpc"'))) {
      throw new NodeFailure(`HTTP ${response.status}`, retryAfterMs(response))
    }
    return JSON.parse(text)
  } catch (error) {
    throw transportError(name, error)
  }
}
