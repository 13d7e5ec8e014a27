/**
 * One node over HTTP JSON-RPC: a few requests at a time, each waited for only so long. Tells a node that failed (try
 * another one) from a node that answered "no" (the caller must know what the no means).
 */
import {
  type Call,
  type CallNode,
  type CallResponse,
  callNode,
  decodeResponse,
  type Endpoint,
  httpRequest,
  isOutOfQuota,
  NodeFailure,
  semaphore,
} from '@causeway/chain-kit'

export { type Call, type CallNode as Node, CallRejected as Refusal } from '@causeway/chain-kit'

export interface NodeOptions {
  timeoutMs: number
  /** Requests at the same time; batches are not used, since many providers refuse or meter them. */
  parallel: number
  /** Told of every request that is sent. */
  spent?: ((method: string) => void) | undefined
}

export function openNode(url: string, { timeoutMs, parallel, spent }: NodeOptions): CallNode {
  const endpoint = { name: new URL(url).host, url, timeoutMs }
  const inTurn = semaphore(parallel)
  const send = (call: Call<unknown>) =>
    inTurn(() => {
      spent?.(call.method)
      return post(endpoint, call)
    })
  return callNode(endpoint.name, (calls) => Promise.all(calls.map(send)))
}

async function post(endpoint: Endpoint, call: Call<unknown>): Promise<unknown> {
  const { method, params } = call
  const response = await httpRequest(fetch, endpoint, { jsonrpc: '2.0', id: 1, method, params }, jsonOf)
  // Of quotas a node speaks in the number by which it also says that it is behind.
  return decodeResponse(endpoint.name, call, response as CallResponse, isOutOfQuota)
}

/** Some nodes put a refusal under an error status of HTTP; others a page of their proxy. */
async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text()
  if (!response.ok && !text.includes('"jsonrpc"')) throw new NodeFailure(`HTTP ${response.status}`)
  return JSON.parse(text)
}
