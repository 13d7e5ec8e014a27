/**
 * Calls to a node, the part that all families share: the call, how its response is decoded, and what counts as a
 * refusal. Families provide the transport; this file sends nothing.
 */
import { NodeFailure, NodeRefusal, UnreadableAnswer } from '../pool/nodes.ts'
import { classOfError, RATE_LIMITS } from './error-table.ts'

/** One request and how its answer is decoded; see a family's `calls.ts`. */
export interface Call<T> {
  method: string
  params: readonly unknown[]
  read(answer: unknown): T
  /** Timeout of a call that is slow by design; absent for the others. */
  timeoutMs?: number
}

export interface CallNode {
  /** The node's name for logs, without secrets in the address. */
  name: string
  /** All responses in order. A refused call yields its refusal instead of an answer. */
  settle<const C extends readonly Call<unknown>[]>(calls: C): Promise<{ [K in keyof C]: Answered<C[K]> | CallRejected }>
  /** All answers in order; throws the first refusal. */
  ask<const C extends readonly Call<unknown>[]>(calls: C): Promise<{ [K in keyof C]: Answered<C[K]> }>
}

type Answered<C> = C extends Call<infer T> ? T : never

/** The node works and refuses the call: another node would probably refuse it, too. */
export class CallRejected extends NodeRefusal {
  override name = 'CallRejected'
  readonly code: number
  readonly data: unknown
  constructor(method: string, code: number, message: string, data?: unknown) {
    super(`${method}: ${message}`)
    this.code = code
    this.data = data
  }
}

/** Builds a node from `settleAll`, which returns the answers in order, each decoded by `readAnswer`. */
export function callNode(
  name: string,
  settleAll: (calls: readonly Call<unknown>[]) => Promise<readonly unknown[]>,
): CallNode {
  return {
    name,
    settle: async <const C extends readonly Call<unknown>[]>(calls: C) =>
      (await settleAll(calls)) as { [K in keyof C]: Answered<C[K]> | CallRejected },
    ask: async <const C extends readonly Call<unknown>[]>(calls: C) => {
      const answers = await settleAll(calls)
      const refused = answers.find((answer) => answer instanceof CallRejected)
      if (refused) throw refused
      return answers as { [K in keyof C]: Answered<C[K]> }
    },
  }
}

/** A JSON-RPC response that has not been validated yet. */
export interface CallResponse {
  id?: unknown
  result?: unknown
  error?: { code?: number; message?: string; data?: unknown } | null
}

/**
 * Decodes a response. `isSick` tells which refusals are the node's fault rather than the call's: another node may
 * answer.
 */
export function decodeResponse(
  node: string,
  call: Call<unknown>,
  response: CallResponse | undefined,
  isSick: (code: number, message: string) => boolean,
): unknown {
  if (!response || typeof response !== 'object') throw new NodeFailure(`node ${node} left ${call.method} unanswered`)
  if (response.error) {
    const { code = 0, message = 'no reason given', data } = response.error
    if (isSick(code, message)) throw new NodeFailure(`node ${node} cannot answer now: ${message}`)
    return new CallRejected(call.method, code, message, data)
  }
  return decodeOrFail(node, call.method, () => call.read(response.result))
}

/** Decodes an answer. One that cannot be decoded counts as a failure of the node; a refusal stays a refusal. */
export function decodeOrFail<T>(node: string, question: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof NodeRefusal) throw error
    throw new UnreadableAnswer(`node ${node} gave an answer to ${question} that cannot be read: ${String(error)}`)
  }
}

/** Whether the provider rate-limits us. */
export function isOutOfQuota(code: number, message: string): boolean {
  return classOfError(RATE_LIMITS, { code, message }) === 'rate limited'
}

/** A transport failure with its cause. */
export function transportError(node: string, error: unknown): NodeFailure {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  const { restMs = null, status = null } = error instanceof NodeFailure ? error : {}
  return new NodeFailure(
    `node ${node} failed: ${error instanceof Error ? error.message : String(error)}${cause}`,
    restMs,
    status,
  )
}
