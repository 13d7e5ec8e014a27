/**
 * HTTP requests, the part that all families share. Every request has a timeout, any transport error is a failure of
 * that node, and the responses of a JSON-RPC batch are matched by id. The caller passes in the function that sends.
 */

import { NodeFailure } from '../pool/nodes.ts'
import { type CallResponse, transportError } from './calls.ts'

export interface Endpoint {
  /** The node's name for logs, without secrets in the address. */
  name: string
  url: string
  headers?: Record<string, string>
  timeoutMs: number
}

/** Parses a node's address. A user name and a password become a header, because `fetch` refuses them in an address. */
export function endpointOf(address: string, timeoutMs: number): Endpoint {
  const url = new URL(address)
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  const headers: Record<string, string> =
    login === ':' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` }
  url.username = ''
  url.password = ''
  return { name: url.host, url: url.href, headers, timeoutMs }
}

/** `fetch`, or a test's replacement. */
export type Send = (url: string, request: RequestInit) => Promise<Response>

/**
 * Sends a request, as a POST if there is a body. `read` tells an answer from an HTTP error, because nodes send a
 * refusal with different statuses.
 */
export async function httpRequest<T>(
  send: Send,
  { name, url, headers, timeoutMs }: Endpoint,
  body: unknown,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  try {
    const response = await send(url, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(timeoutMs),
    })
    return await read(response)
  } catch (error) {
    throw transportError(name, error)
  }
}

/** The request body. A single request is sent without an array, and its response comes without one. */
export function batchOf(requests: readonly unknown[]): unknown {
  return requests.length === 1 ? requests[0] : requests
}

/** The responses to a batch of `requests` requests whose ids are their positions in it. */
export function responsesIn(node: string, body: unknown, requests: number): (CallResponse | undefined)[] {
  if (requests === 1) return [body as CallResponse]
  if (!Array.isArray(body)) throw new NodeFailure(`node ${node} does not answer batches`)
  const byId = new Map<unknown, CallResponse>(body.map((response) => [response?.id, response]))
  return Array.from({ length: requests }, (_, id) => byId.get(id))
}

/**
 * The wait that `Retry-After` asks for, given in seconds or as a date relative to the response's own date. Null if
 * there is none.
 */
export function retryAfterMs({ headers }: Response): number | null {
  const wanted = headers.get('retry-after')
  if (wanted === null) return null
  if (/^\d{1,9}$/.test(wanted.trim())) return Number(wanted) * 1_000
  const waitMs = Date.parse(wanted) - Date.parse(headers.get('date') ?? '')
  return Number.isFinite(waitMs) && waitMs > 0 ? waitMs : null
}
