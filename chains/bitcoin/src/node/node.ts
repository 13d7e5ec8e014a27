/**
 * One node over Bitcoin Core's JSON-RPC: sends batches with a timeout, and separates a node that failed (try another
 * one) from a node that refused (the caller must interpret it).
 */
import {
  batchOf,
  type Call,
  type CallNode,
  callNode,
  decodeResponse,
  type Endpoint,
  endpointOf,
  httpRequest,
  NodeFailure,
  responsesIn,
} from '@causeway/chain-kit'
import { classOf } from './errors.ts'

export { type Call, type CallNode as Node, CallRejected as Refusal } from '@causeway/chain-kit'

export interface NodeOptions {
  timeoutMs: number
  /** The maximum number of requests per HTTP call. */
  batchSize: number
  /** Called for every request that is sent. */
  spent?: ((method: string) => void) | undefined
}

export function openNode(address: string, options: NodeOptions): CallNode {
  // Core requires a user name and a password, which `endpointOf` sends as a header.
  const endpoint = endpointOf(address, options.timeoutMs)
  return callNode(endpoint.name, async (calls) => {
    const answers: unknown[] = []
    for (let start = 0; start < calls.length; start += options.batchSize) {
      const batch = calls.slice(start, start + options.batchSize)
      for (const { method } of batch) options.spent?.(method)
      answers.push(...(await post(endpoint, batch)))
    }
    return answers
  })
}

async function post(endpoint: Endpoint, calls: readonly Call<unknown>[]): Promise<unknown[]> {
  const requests = calls.map(({ method, params }, id) => ({ jsonrpc: '1.0', id, method, params }))
  const patient = { ...endpoint, timeoutMs: patienceFor(endpoint, calls) }
  const body = await httpRequest(fetch, patient, batchOf(requests), jsonOf)
  const responses = responsesIn(endpoint.name, body, requests.length)
  return calls.map((call, id) => decodeResponse(endpoint.name, call, responses[id], isSick))
}

async function jsonOf(response: Response): Promise<unknown> {
  // Core answers an ordinary refusal of a single call with status 404 or 500 and a JSON body.
  const isAnswer = response.ok || response.status === 404 || response.status === 500
  if (!isAnswer) throw new NodeFailure(`HTTP ${response.status}`)
  return await response.json()
}

function patienceFor({ timeoutMs }: Endpoint, calls: readonly Call<unknown>[]): number {
  return Math.max(timeoutMs, ...calls.map((call) => call.timeoutMs ?? 0))
}

/** Whether a node starts or is busy, or a provider rate-limits us. */
function isSick(code: number, message: string): boolean {
  const told = classOf({ code, message })
  return told === 'behind' || told === 'rate limited'
}
