/** What the load balancer must know of a family's protocol to play nodes of different age and moods. */

export interface Question {
  method: string
  /** A list, or named ones. */
  params: unknown
}

/** What a node answers instead of a result, in its own numbers and words. */
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
  /** What the real node answered to exactly this at that moment or before, where somebody asked. */
  remembered(question: Question): unknown
}

export interface Dialect {
  /** How a node is told to send something. */
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
  /** Whether methods are paths, and bodies and answers plain JSON. What a refusal says is its data. */
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
