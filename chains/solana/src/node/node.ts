/**
 * One node over HTTP JSON-RPC: limited concurrency and a timeout per request. It separates a node that failed (try
 * another one) from a node that refused (the caller must interpret it).
 */
import {
  type Call,
  type CallNode,
  type CallResponse,
  decodeResponse,
  type Endpoint,
  httpRequest,
  isOutOfQuota,
  NodeFailure,
  type ParallelNodeOptions as NodeOptions,
  parallelNode,
} from '@causeway/chain-kit'

export {
  type Call,
  type CallNode as Node,
  CallRejected as Refusal,
  type ParallelNodeOptions as NodeOptions,
} from '@causeway/chain-kit'

/** Batches are not used, since many providers refuse or meter them. */
export function openNode(url: string, options: NodeOptions): CallNode {
  return parallelNode(url, options, post)
}

async function post(endpoint: Endpoint, call: Call<unknown>): Promise<unknown> {
  const { method, params } = call
  const response = await httpRequest(fetch, endpoint, { jsonrpc: '2.0', id: 1, method, params }, jsonOf)
  // Nodes use the same code for an exhausted quota and for being behind, so the message decides.
  return decodeResponse(endpoint.name, call, response as CallResponse, isOutOfQuota)
}

/** Some nodes send a refusal with an HTTP error status; others an error page of their proxy. */
async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text()
  if (!response.ok && !text.includes('"jsonrpc"')) throw new NodeFailure(`HTTP ${response.status}`)
  return JSON.parse(text)
}
