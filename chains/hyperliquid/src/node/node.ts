/**
 * One gateway of the network: queries go to `/info`, signed actions to `/exchange`. It separates a gateway that failed
 * (try another one) from one that answered, and coalesces identical queries in flight.
 */
import { decodeOrFail, httpRequest, NodeFailure, retryAfterMs, singleFlight } from '@causeway/chain-kit'

/** One request and its decoder; see `calls.ts`. */
export interface Call<T> {
  body: Readonly<Record<string, unknown>> & { type: string }
  read(answer: unknown): T
}

export interface Node {
  /** The gateway's name for logs, without path and query, which may hold a key. */
  name: string
  ask<T>(call: Call<T>): Promise<T>
  /** Posts an action. Returns the gateway's error text; null if it was accepted. */
  post(envelope: unknown): Promise<string | null>
}

export interface NodeOptions {
  timeoutMs: number
  spent?: ((method: string, weight?: number) => void) | undefined
}

export function openNode(url: string, { timeoutMs, spent }: NodeOptions): Node {
  const { host } = new URL(url)
  const endpoint = (path: string) => ({ name: host, url: `${url.replace(/\/+$/, '')}/${path}`, timeoutMs })
  const once = singleFlight<unknown>()

  async function send(path: string, body: unknown, method = String((body as { type?: unknown }).type)) {
    let rows: unknown = null
    try {
      rows = await httpRequest(fetch, endpoint(path), body, answerOf)
      return rows
    } finally {
      spent?.(method, weightOf(method, Array.isArray(rows) ? rows.length : 0))
    }
  }

  return {
    name: host,
    async ask({ body, read }) {
      const answer = await once(JSON.stringify(body), () => send('info', body))
      return decodeOrFail(host, body.type, () => read(answer))
    },
    async post(envelope) {
      const answer = (await send('exchange', envelope, 'exchange')) as { status?: unknown; response?: unknown } | null
      if (answer?.status === 'ok') return null
      if (answer?.status === 'err') return String(answer.response)
      throw new NodeFailure(`node ${host} gave an answer to an action that cannot be read`)
    },
  }
}

/** The weight that gateways count for a request; anything not listed counts twenty. */
const WEIGHTS: Readonly<Record<string, number>> = {
  ...{ exchange: 1, exchangeStatus: 2, spotClearinghouseState: 2, clearinghouseState: 2 },
  userRole: 60,
}
const OTHER_WEIGHT = 20
/** This many rows of an answer add one to its weight. */
const ROWS_A_WEIGHT = 20

function weightOf(method: string, rows: number): number {
  return (WEIGHTS[method] ?? OTHER_WEIGHT) + Math.floor(rows / ROWS_A_WEIGHT)
}

/** Decodes a response. Any status other than 200 proves nothing: the action may have been accepted anyway. */
async function answerOf(response: Response): Promise<unknown> {
  if (response.ok) return response.json()
  const { status } = response
  throw new NodeFailure(`HTTP ${status}`, status === 429 ? retryAfterMs(response) : null, status)
}
