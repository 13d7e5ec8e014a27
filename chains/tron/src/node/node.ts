/**
 * One node behind java-tron's HTTP API. It separates a node that failed (try another one) from a node that refused (the
 * caller must interpret it), and coalesces identical requests in flight.
 */
import {
  decodeOrFail,
  httpRequest,
  NodeFailure,
  NodeRefusal,
  retryAfterMs,
  semaphore,
  singleFlight,
} from '@causeway/chain-kit'
import { classOf } from './errors.ts'

/** One request and how its answer is read; see `calls.ts`. */
export interface Call<T> {
  /** The path, for example `wallet/getblock`. */
  path: string
  body: Readonly<Record<string, unknown>>
  read(answer: unknown): T
}

export interface Node {
  /** The node's name for logs, without path and query, which may hold a key. */
  name: string
  ask<T>(call: Call<T>): Promise<T>
}

/** The node works and refuses the call. */
export class Refusal extends NodeRefusal {
  override name = 'Refusal'
  constructor(path: string, message: string) {
    super(`${path}: ${message}`)
  }
}

export interface NodeOptions {
  timeoutMs: number
  /** Called with the method of every request. */
  spent?: ((method: string) => void) | undefined
}

/** Concurrent requests beyond this wait here: a scan with a hundred deposits must not overload a node. */
const MAX_IN_FLIGHT = 8
/** A key in the URL is sent in the header that this family's providers expect, and is never logged. */
const KEY_PARAMETER = 'api_key'
const KEY_HEADER = 'TRON-PRO-API-KEY'

export function openNode(address: string, { timeoutMs, spent }: NodeOptions): Node {
  const url = new URL(address)
  const key = url.searchParams.get(KEY_PARAMETER)
  url.search = ''
  const base = url.href.replace(/\/$/, '')
  const headers: Record<string, string> = key ? { [KEY_HEADER]: key } : {}
  const once = singleFlight<unknown>()
  const inTurn = semaphore(MAX_IN_FLIGHT)

  const send = (path: string, body: Call<unknown>['body']) =>
    inTurn(async () => {
      spent?.(path)
      const endpoint = { name: url.host, url: `${base}/${path}`, headers, timeoutMs }
      const answer = await httpRequest(fetch, endpoint, body, answerOf)
      const isRecord = typeof answer === 'object' && answer !== null && 'Error' in answer
      if (isRecord) throw errorOf(url.host, path, String(answer.Error))
      return answer
    })

  return {
    name: url.host,
    async ask({ path, body, read }) {
      const answer = await once(JSON.stringify([path, body]), () => send(path, body))
      return decodeOrFail(url.host, path, () => read(answer))
    },
  }
}

/** A rate limit comes with HTTP status 200: it is the node's failure, not a refusal of the request. */
function errorOf(node: string, path: string, message: string): Error {
  if (classOf({ message }) === 'rate limited') return new NodeFailure(`node ${node} cannot answer now: ${message}`)
  return new Refusal(path, message)
}

async function answerOf(response: Response): Promise<unknown> {
  const text = await response.text()
  if (!response.ok) throw new NodeFailure(`HTTP ${response.status}`, retryAfterMs(response))
  return JSON.parse(text)
}
