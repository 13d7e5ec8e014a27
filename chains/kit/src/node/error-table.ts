/**
 * The meaning of a node's error, decided by one table per family: its `node/errors.ts`. Nodes word the same error
 * differently, so every row names the software that says it.
 */

export type ErrorClass =
  /** The node has the transaction, or its slot is used: `status` finds out which. */
  | 'known'
  /** The node lags, is starting or lacks history: another node may answer. */
  | 'behind'
  | 'rate limited'
  /** The node cannot serve this call at all: another one may. */
  | 'unusable node'
  /** The same query for less may succeed. */
  | 'asks too much'
  /** About the bytes alone: no later block makes a node accept them. */
  | 'permanent'
  /** The transaction would fail on the chain: the recipient or the token rejects it. */
  | 'recipient refuses'
  /** It needs more gas than we allow it. */
  | 'out of gas'
  | 'insufficient funds'
  /** Proves nothing and may pass. */
  | 'retry'

export interface ErrorRow {
  class: ErrorClass
  /** The code that the node gives; any if absent. */
  code?: number | string
  /** A pattern that its text contains; any if absent. A row has a code, a text or both. */
  text?: RegExp
  /** The software that says it, with the version or commit at which it was read, and the place. */
  origin: string
  /** The text as that software writes it. */
  example: string
}

export interface NodeError {
  code?: number | string | undefined
  message: string
}

/** The first row that matches; null if none does. */
export function rowOfError(rows: readonly ErrorRow[], { code, message }: NodeError): ErrorRow | null {
  const matches = (row: ErrorRow) =>
    (row.code === undefined || row.code === code) && (row.text === undefined || row.text.test(message))
  return rows.find(matches) ?? null
}

/** The class of the first row that matches. An unknown error proves nothing: it is retried. */
export function classOfError(rows: readonly ErrorRow[], error: NodeError): ErrorClass {
  return rowOfError(rows, error)?.class ?? 'retry'
}

/** How providers in front of any node say that too many requests were made. */
export const RATE_LIMITS: readonly ErrorRow[] = [
  {
    class: 'rate limited',
    text: /rate limit|too many requests|quota|capacity exceeded/i,
    origin: 'Infura, Alchemy and QuickNode, their documentation of errors, 2025',
    example: 'Your app has exceeded its compute units per second capacity exceeded',
  },
  {
    class: 'rate limited',
    code: 429,
    origin: 'Alchemy, documentation of errors, 2025: the HTTP status as the code',
    example: 'Your app has exceeded its throughput limit',
  },
  {
    class: 'rate limited',
    code: -32005,
    origin: 'EIP-1474, "limit exceeded"',
    example: 'daily request count exceeded, request limited',
  },
]
