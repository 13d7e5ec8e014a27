/**
 * One node over CometBFT's JSON-RPC: limited concurrency and a timeout per request. It separates a node that failed
 * (try another one) from a node that refused (the caller must interpret it).
 */
import {
  type Call,
  type CallNode,
  type CallResponse,
  decodeResponse,
  type Endpoint,
  httpRequest,
  NodeFailure,
  parallelNode,
  retryAfterMs,
} from '@causeway/chain-kit'
import { classOf } from './errors.ts'

export { type Call, type CallNode as Node, CallRejected as Refusal } from '@causeway/chain-kit'

export interface NodeOptions {
  timeoutMs: number
  spent?: ((method: string) => void) | undefined
}

/** Concurrent requests: a backfill must not overload a node. */
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

/** The response with the real reason: nodes say "Internal error" and put the reason in another field. */
function withReason(response: CallResponse): CallResponse {
  const error = response?.error
  if (!error || typeof error.data !== 'string') return response
  return { ...response, error: { ...error, message: `${error.message ?? ''}: ${error.data}` } }
}

function isSick(code: number, message: string): boolean {
  const told = classOf({ code, message })
  return told === 'rate limited' || told === 'unusable node'
}

/** A refusal comes with an HTTP error status, and so does a proxy's error page. */
async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text()
  if (!response.ok && !text.includes('"jsonrpc"'))
    throw new NodeFailure(`HTTP ${response.status}`, retryAfterMs(response))
  return JSON.parse(text)
}
