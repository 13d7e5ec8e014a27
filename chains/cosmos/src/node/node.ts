/**
 * One node that speaks CometBFT's JSON-RPC: a few requests at a time, each waited for only so long. Tells a node that failed
 * (try another one) from a node that answered "no" (the caller must know what the no means).
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
  parallelNode,
  retryAfterMs,
} from '@causeway/chain-kit'

export { type Call, type CallNode as Node, CallRejected as Refusal } from '@causeway/chain-kit'

export interface NodeOptions {
  timeoutMs: number
  spent?: ((method: string) => void) | undefined
}

/** Requests at the same time: a scan that catches up must not knock a node over. */
const PARALLEL = 8

export function openNode(url: string, options: NodeOptions): CallNode {
  return parallelNode(url, { ...options, parallel: PARALLEL }, post)
}

async function post(endpoint: Endpoint, call: Call<unknown>): Promise<unknown> {
  const { method, params } = call
  const body = { jsonrpc: '2.0', id: 1, method, params: params[0] ?? {} }
  const response = await httpRequest(fetch, endpoint, body, jsonOf)
  return decodeResponse(endpoint.name, call, withReason(response as CallResponse), isSick)
}

/** Nodes say "Internal error" and put what they mean beside it. */
function withReason(response: CallResponse): CallResponse {
  const error = response?.error
  if (!error || typeof error.data !== 'string') return response
  return { ...response, error: { ...error, message: `${error.message ?? ''}: ${error.data}` } }
}

function isSick(code: number, message: string): boolean {
  return isOutOfQuota(code, message) || /^(Method not found|Invalid params)/i.test(message)
}

/** A "no" comes under an error status of HTTP; a proxy's page does too. */
async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text()
  if (!response.ok && !text.includes('"jsonrpc"'))
    throw new NodeFailure(`HTTP ${response.status}`, retryAfterMs(response))
  return JSON.parse(text)
}
