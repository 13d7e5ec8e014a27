/** Knowledge about a family's protocol that the load balancer needs to simulate nodes with different lags. */

export interface Question {
  method: string
  /** Positional or named parameters. */
  params: unknown
}

/** A node's error, with its own code and message. */
export class Refused extends Error {
  override name = 'Refused'
  readonly code: number
  readonly data: unknown
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** The one real node. Throws `Refused`. */
export type Ask = (method: string, params: unknown) => Promise<unknown>

/** A moment in the past that one backend takes for the present. */
export interface Then {
  /** The newest block at that moment. */
  height: number
  /** The real node's answer to exactly this request at that moment or earlier, if it was asked. */
  remembered(question: Question): unknown
}

export interface Dialect {
  /** The method that sends a transaction. */
  send: string
  /** The signed bytes in that request. */
  bytes(question: Question): string
  height(ask: Ask): Promise<number>
  /** The answer of a node that has reached this moment and no further. */
  behind(question: Question, then: Then, ask: Ask): Promise<unknown>
  /** The errors of nodes that refuse a transaction, or claim to. */
  refusals: readonly Refused[]
  /** Whether responses are wrapped as toncenter does, not as JSON-RPC. */
  isToncenter?: true
  /** Whether methods are URL paths with plain JSON bodies. The text of a refusal is its data. */
  isByPath?: true
  /**
   * Whether requests are GraphQL: named by their operation, with the whole body as parameters; responses are whole
   * bodies.
   */
  isGraphql?: true
}

export function listOf({ params }: Question): unknown[] {
  return Array.isArray(params) ? params : []
}

export function fieldsOf(raw: unknown): Record<string, unknown> {
  return typeof raw === 'object' && raw !== null ? { ...raw } : {}
}
