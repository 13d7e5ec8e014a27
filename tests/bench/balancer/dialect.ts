/**
 * The knowledge of a family's protocol that the load balancer needs to simulate nodes of different age and behaviour.
 */

export interface Question {
  method: string
  /** A list, or named ones. */
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

/** A moment of the past, as one backend still takes it for the present. */
export interface Then {
  /** The newest block at that moment. */
  height: number
  /** The real node's answer to exactly this request at that moment or before, if there was one. */
  remembered(question: Question): unknown
}

export interface Dialect {
  /** The method that sends a transaction. */
  send: string
  /** The bytes of it. */
  bytes(question: Question): string
  height(ask: Ask): Promise<number>
  /** As a node answers that has come to this moment and no further. */
  behind(question: Question, then: Then, ask: Ask): Promise<unknown>
  /** What nodes say to a transaction that they do not take, or say that they do not. */
  refusals: readonly Refused[]
  /** Whether answers are wrapped as toncenter does it, and not as JSON-RPC. */
  isToncenter?: true
  /** Whether methods are paths, and bodies and answers plain JSON. The text of a refusal is its data. */
  isByPath?: true
  /** Whether questions are GraphQL: named by their operation, with all that is posted as what they ask; answers are whole bodies. */
  isGraphql?: true
}

export function listOf({ params }: Question): unknown[] {
  return Array.isArray(params) ? params : []
}

export function fieldsOf(raw: unknown): Record<string, unknown> {
  return typeof raw === 'object' && raw !== null ? { ...raw } : {}
}
