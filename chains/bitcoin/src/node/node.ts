/**
 * One node over Bitcoin Core's JSON-RPC: sends batches, waits only so long, and tells a node that failed (try another
 * one) from a node that answered "no" (the caller must know what the no means).
 */
import {
  type Call,
  type CallNode,
  type CallResponse,
  callNode,
  NodeFailure,
  readAnswer,
  wireFailure,
} from '@causeway/core'

export { type Call, type CallNode as Node, Refusal } from '@causeway/core'

interface Endpoint {
  name: string
  url: string
  headers: Record<string, string>
  timeoutMs: number
}

export function openNode(address: string, options: { timeoutMs: number; batchSize: number }): CallNode {
  const endpoint = endpointOf(address, options.timeoutMs)
  return callNode(endpoint.name, async (calls) => {
    const answers: unknown[] = []
    for (let start = 0; start < calls.length; start += options.batchSize) {
      answers.push(...(await post(endpoint, calls.slice(start, start + options.batchSize))))
    }
    return answers
  })
}

/** Core wants a name and a password; `fetch` takes neither inside an address. */
function endpointOf(address: string, timeoutMs: number): Endpoint {
  const url = new URL(address)
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  const authorization = login === ':' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` }
  url.username = ''
  url.password = ''
  return { name: url.host, url: url.href, headers: { 'content-type': 'application/json', ...authorization }, timeoutMs }
}

async function post(endpoint: Endpoint, calls: readonly Call<unknown>[]): Promise<unknown[]> {
  const { name } = endpoint
  const requests = calls.map(({ method, params }, id) => ({ jsonrpc: '1.0', id, method, params }))
  const single = requests.length === 1
  const body = await exchange(endpoint, JSON.stringify(single ? requests[0] : requests), patienceFor(endpoint, calls))
  const responses = (single ? [body] : body) as CallResponse[]
  if (!Array.isArray(responses)) throw new NodeFailure(`node ${name} does not answer batches`)
  const byId = new Map(responses.map((response) => [response?.id, response]))
  return calls.map((call, id) => readAnswer(name, call, single ? responses[0] : byId.get(id), isSick))
}

async function exchange({ name, url, headers }: Endpoint, body: string, timeoutMs: number): Promise<unknown> {
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(timeoutMs) })
    // Core wraps an ordinary "no" to a single call in a 404 or a 500 with a JSON body.
    const isAnswer = response.ok || response.status === 404 || response.status === 500
    if (!isAnswer) throw new NodeFailure(`HTTP ${response.status}`)
    return await response.json()
  } catch (error) {
    throw wireFailure(name, error)
  }
}

function patienceFor({ timeoutMs }: Endpoint, calls: readonly Call<unknown>[]): number {
  return Math.max(timeoutMs, ...calls.map((call) => call.timeoutMs ?? 0))
}

/** Core while it starts, and nodes of providers that are tired of us. */
const TRANSIENT_CODES = [-28, -9, -10, 429, -32005]

function isSick(code: number): boolean {
  return TRANSIENT_CODES.includes(code)
}
