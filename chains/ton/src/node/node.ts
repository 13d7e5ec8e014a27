/**
 * One node over toncenter's JSON-RPC (v2). It separates a node that failed (try another one) from a node that refused
 * (the caller must interpret it), and coalesces identical requests in flight.
 */

import {
  decodeOrFail,
  type Endpoint,
  type ErrorClass,
  httpRequest,
  NodeFailure,
  NodeRefusal,
  type Semaphore,
  semaphore,
  singleFlight,
} from '@causeway/chain-kit'
import { classOf } from './errors.ts'

/** One request and how its answer is read; see `calls.ts`. */
export interface Call<T> {
  method: string
  params: Readonly<Record<string, unknown>>
  read(answer: unknown): T
}

export interface Node {
  /** The node's name for logs, without path and query, which often hold a key. */
  name: string
  ask<T>(call: Call<T>): Promise<T>
}

/** The node works and refuses the call. */
export class Refusal extends NodeRefusal {
  override name = 'Refusal'
  constructor(method: string, message: string) {
    super(`${method}: ${message}`)
  }
}

export interface NodeOptions {
  timeoutMs: number
  /** The node's rate limit; zero for no limit. */
  requestsPerSecond: number
  /** Called for every request that is sent. */
  spent?: ((method: string) => void) | undefined
}

/** Concurrent requests beyond this wait here: a scan with a hundred deposits must not overload a node. */
const MAX_IN_FLIGHT = 16
/** Errors of a failing node: the key is wrong, the quota is used up, or a proxy answers for a node that is down. */
const NODE_FAULTS: readonly ErrorClass[] = ['unusable node', 'rate limited', 'behind']

export function openNode(url: string, options: NodeOptions): Node {
  const endpoint = { name: new URL(url).host, url, timeoutMs: options.timeoutMs }
  const inTurn = turnstileOf(url, options.requestsPerSecond)
  const once = singleFlight<unknown>()

  function shared({ method, params }: Call<unknown>): Promise<unknown> {
    const send = () => {
      options.spent?.(method)
      return post(endpoint, method, params)
    }
    return once(JSON.stringify([method, params]), () => inTurn(send))
  }

  return {
    name: endpoint.name,
    async ask(call) {
      const answer = await shared(call)
      return decodeOrFail(endpoint.name, call.method, () => call.read(answer))
    },
  }
}

interface Answer {
  ok?: unknown
  result?: unknown
  error?: unknown
  code?: unknown
}

async function post(endpoint: Endpoint, method: string, params: Call<unknown>['params']): Promise<unknown> {
  const { status, answer } = await httpRequest(fetch, endpoint, { id: '1', jsonrpc: '2.0', method, params }, answerOf)
  if (answer.ok === true && 'result' in answer) return answer.result
  const reason = reasonIn(answer)
  const codes = [status, Number(answer.code)]
  if (codes.some((code) => NODE_FAULTS.includes(classOf({ code, message: reason })))) {
    throw new NodeFailure(`node ${endpoint.name} failed: HTTP ${status} ${reason}`)
  }
  throw new Refusal(method, reason)
}

/** A refusal is an HTTP error with a JSON body; a body without JSON did not come from the node. */
async function answerOf(response: Response): Promise<{ status: number; answer: Answer }> {
  const text = await response.text()
  const answer: unknown = text.startsWith('{') ? JSON.parse(text) : null
  if (typeof answer !== 'object' || answer === null) throw new Error(`HTTP ${response.status}`)
  return { status: response.status, answer }
}

function reasonIn({ error, result }: Answer): string {
  const reason = typeof error === 'object' && error !== null && 'message' in error ? error.message : (error ?? result)
  return String(reason ?? 'no reason given')
}

const turnstiles = new Map<string, Semaphore>()

/** One limiter per node and process: the node counts the requests of the whole process. */
function turnstileOf(url: string, requestsPerSecond: number): Semaphore {
  const key = `${requestsPerSecond} ${url}`
  const found = turnstiles.get(key) ?? pacedTurnstile(requestsPerSecond)
  turnstiles.set(key, found)
  return found
}

/** Limits both concurrency and requests per second. */
function pacedTurnstile(requestsPerSecond: number): Semaphore {
  const spacingMs = requestsPerSecond > 0 ? 1_000 / requestsPerSecond : 0
  const inTurn = semaphore(MAX_IN_FLIGHT)
  let nextAt = 0
  const pause = async () => {
    if (spacingMs === 0) return
    const now = performance.now()
    nextAt = Math.max(nextAt + spacingMs, now)
    await new Promise((resolve) => setTimeout(resolve, nextAt - now))
  }
  return (work) =>
    inTurn(async () => {
      await pause()
      return work()
    })
}
