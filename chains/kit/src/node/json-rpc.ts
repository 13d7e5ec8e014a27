/**
 * Questions over HTTP, as far as they are the same for every family: each is waited for only so long, whatever goes wrong on
 * the way is a failure of that node, and a batch of JSON-RPC is answered by numbers. The sending itself is handed in.
 */

import { NodeFailure } from '../pool/nodes.ts'
import { type CallResponse, transportError } from './calls.ts'

export interface Endpoint {
  /** For logs: without what may be secret in the address. */
  name: string
  url: string
  headers?: Record<string, string>
  timeoutMs: number
}

/** A name and a password in the address become a header: `fetch` refuses them in an address. */
export function endpointOf(address: string, timeoutMs: number): Endpoint {
  const url = new URL(address)
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  const headers: Record<string, string> =
    login === ':' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` }
  url.username = ''
  url.password = ''
  return { name: url.host, url: url.href, headers, timeoutMs }
}

/** `fetch`, or what a test has in its place. */
export type Send = (url: string, request: RequestInit) => Promise<Response>

/** `read` tells an answer from an error of HTTP: nodes differ in where they put a "no". Posts the body, where there is one. */
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

/** What is sent for these requests: one alone goes without a list, and is answered without one. */
export function batchOf(requests: readonly unknown[]): unknown {
  return requests.length === 1 ? requests[0] : requests
}

/** The answers to a batch of so many requests whose ids are their places in it. */
export function responsesIn(node: string, body: unknown, requests: number): (CallResponse | undefined)[] {
  if (requests === 1) return [body as CallResponse]
  if (!Array.isArray(body)) throw new NodeFailure(`node ${node} does not answer batches`)
  const byId = new Map<unknown, CallResponse>(body.map((response) => [response?.id, response]))
  return Array.from({ length: requests }, (_, id) => byId.get(id))
}

/** How long an answer's `Retry-After` asks to wait: in seconds, or as a date beside the answer's own. Null where it asks nothing. */
export function retryAfterMs({ headers }: Response): number | null {
  const wanted = headers.get('retry-after')
  if (wanted === null) return null
  if (/^\d{1,9}$/.test(wanted.trim())) return Number(wanted) * 1_000
  const waitMs = Date.parse(wanted) - Date.parse(headers.get('date') ?? '')
  return Number.isFinite(waitMs) && waitMs > 0 ? waitMs : null
}
