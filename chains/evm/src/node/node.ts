/**
 * One node over HTTP JSON-RPC: sends batches with a timeout, and separates a node that failed (try another one) from a
 * node that refused (the caller must interpret it). Providers put a refusal behind any HTTP status, so the body
 * decides, not the status.
 */
import {
  batchOf,
  type Call,
  type CallNode,
  type CallResponse,
  callNode,
  decodeResponse,
  type Endpoint,
  httpRequest,
  isOutOfQuota,
  NodeFailure,
  responsesIn,
  retryAfterMs,
} from '@causeway/chain-kit'
import { classOf } from './errors.ts'
import { type Limits, newLimits } from './limits.ts'

export { type Call, CallRejected as Refusal } from '@causeway/chain-kit'

export interface NodeOptions {
  timeoutMs: number
  /** The maximum number of requests per HTTP call. */
  batchSize: number
  /** Maximum blocks per log query. */
  logBlocks?: number
  /** Called for every request that is sent. */
  spent?: ((method: string) => void) | undefined
}

export interface Node extends CallNode {
  limits: Limits
  /** Calls the listener for every new head until unsubscribed; absent if the node must be polled. */
  onHead?(listener: () => void): () => void
}

export const LOG_BLOCKS = 2_000

/** Calls made in the same tick are sent as one batch: a hundred payouts are checked in a few requests. */
export function openNode(url: string, { timeoutMs, batchSize, logBlocks = LOG_BLOCKS, spent }: NodeOptions): Node {
  const endpoint = { name: new URL(url).host, url, timeoutMs, spent }
  const limits = newLimits(batchSize, logBlocks)
  let waiting: Waiting[] = []

  function flush(): void {
    const calls = waiting
    waiting = []
    for (let start = 0; start < calls.length; start += limits.batch) {
      void post(endpoint, limits, calls.slice(start, start + limits.batch))
    }
  }

  function enqueue(call: Call<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (waiting.length === 0) queueMicrotask(flush)
      waiting.push({ call, resolve, reject })
    })
  }

  return { ...callNode(endpoint.name, (calls) => Promise.all(calls.map(enqueue))), limits }
}

interface Metered extends Endpoint {
  spent: ((method: string) => void) | undefined
}

interface Waiting {
  call: Call<unknown>
  resolve(answer: unknown): void
  reject(reason: unknown): void
}

/** Sends a batch. False if the node refused the batch as a whole. */
async function post(endpoint: Metered, limits: Limits, waiting: readonly Waiting[]): Promise<boolean> {
  try {
    // Identical calls of several callers are sent once.
    const questions = waiting.map(({ call: { method, params } }) => JSON.stringify({ method, params }))
    const ids = new Map([...new Set(questions)].map((question, id) => [question, id]))
    const requests = [...ids].map(([question, id]) => ({ jsonrpc: '2.0', id, ...JSON.parse(question) }))
    for (const { method } of requests) endpoint.spent?.(method)
    const { body, isWhole, isTaken } = await httpRequest(fetch, endpoint, batchOf(requests), (response) =>
      answerOf(response, requests.length),
    )
    if (!isWhole) {
      await halve(endpoint, limits, waiting)
      return false
    }
    const responses = responsesIn(endpoint.name, body, requests.length)
    // An answer that cannot be decoded fails only its own caller.
    for (const [position, { call, resolve, reject }] of waiting.entries()) {
      try {
        const response = responses[ids.get(questions[position] ?? '') ?? -1]
        resolve(decodeResponse(endpoint.name, call, response, (code, message) => isSick(call, code, message)))
      } catch (error) {
        reject(error)
      }
    }
    return isTaken
  } catch (error) {
    for (const { reject } of waiting) reject(error)
    return false
  }
}

/** The whole batch was refused: it was too long, or one call in it is invalid. Halving it finds out which. */
async function halve(endpoint: Metered, limits: Limits, waiting: readonly Waiting[]): Promise<void> {
  const half = Math.ceil(waiting.length / 2)
  const taken = await Promise.all([
    post(endpoint, limits, waiting.slice(0, half)),
    post(endpoint, limits, waiting.slice(half)),
  ])
  // If one half is refused again, a call was invalid rather than the batch too long.
  if (taken.every((isTaken) => isTaken)) limits.batch = Math.min(limits.batch, half)
}

interface HttpAnswer {
  body: unknown
  /** False if the batch was refused as a whole, without a result per call. */
  isWhole: boolean
  isTaken: boolean
}

/** HTTP statuses that concern the request, not the node. */
const OF_THE_QUESTION = new Set([400, 413, 422])

async function answerOf(response: Response, requests: number): Promise<HttpAnswer> {
  const { status, ok: isTaken } = response
  const body = jsonIn(await response.text())
  const said = errorIn(body)
  const failure = () => new NodeFailure(`HTTP ${status} ${said?.message ?? ''}`.trimEnd(), retryAfterMs(response))
  if (!isTaken && (status === 429 || (said && isOutOfQuota(said.code ?? 0, said.message ?? '')))) throw failure()
  const isRefused = OF_THE_QUESTION.has(status)
  if (requests > 1 && !Array.isArray(body) && (said || isRefused)) return { body, isWhole: false, isTaken: false }
  const isAnswer = isTaken || Array.isArray(body) || (isRefused && said !== null)
  if (isAnswer) return { body, isWhole: true, isTaken }
  if (status !== 413) throw failure()
  const error = { code: status, message: 'HTTP 413: the request or its answer is too large' }
  return { body: { error }, isWhole: true, isTaken }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The error in an answer; null if there is none. Some providers omit the JSON-RPC envelope. */
function errorIn(body: unknown): NonNullable<CallResponse['error']> | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null
  const { error } = body as CallResponse
  return typeof error === 'object' && error !== null ? error : null
}

/**
 * Whether the refusal is the node's fault. Some providers use one code for too many requests and for too large an
 * answer.
 */
export function isSick({ method }: Call<unknown>, code: number, message: string): boolean {
  return method === 'eth_getLogs' ? classOf({ code, message }) === 'rate limited' : isOutOfQuota(code, message)
}
