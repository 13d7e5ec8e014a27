/**
 * One node over GraphQL. A query may require a height: a node that does not have that block must not answer, and an
 * answer from below it is rejected. That keeps one decision consistent if many nodes share one address.
 */
import {
  CallRejected,
  decodeOrFail,
  type ErrorClass,
  endpointOf,
  httpRequest,
  NodeFailure,
  retryAfterMs,
  transportError,
} from '@causeway/chain-kit'
import { fieldsOf, list } from './decode.ts'
import { classOf } from './errors.ts'

export { CallRejected as Refusal } from '@causeway/chain-kit'

/** A query and its decoder; see `calls.ts`. */
export interface Query<T> {
  /** The operation's name, for counting requests. */
  name: string
  document: string
  variables: Readonly<Record<string, unknown>>
  /** Decodes the answer's `data`. */
  read(data: Record<string, unknown>): T
}

export interface Node {
  /** The node's name for logs, without secrets in the address. */
  name: string
  /** Asks the node. Throws a `Refusal` if it works and refuses. */
  ask<T>(query: Query<T>, atLeast?: bigint): Promise<T>
  /** Like `ask`, with the height of the answer; null if the node does not report it. */
  told<T>(query: Query<T>, atLeast?: bigint): Promise<{ answer: T; height: bigint | null }>
}

export interface NodeOptions {
  timeoutMs: number
  spent?: ((name: string) => void) | undefined
}

export function openNode(address: string, { timeoutMs, spent }: NodeOptions): Node {
  const endpoint = endpointOf(address, timeoutMs)
  async function told<T>(query: Query<T>, atLeast: bigint | null): Promise<{ answer: T; height: bigint | null }> {
    spent?.(query.name)
    const { name: operationName, document, variables } = query
    const extensions = atLeast === null ? {} : { extensions: { required_fuel_block_height: Number(atLeast) } }
    const body = await httpRequest(
      fetch,
      endpoint,
      { query: document, operationName, variables, ...extensions },
      jsonOf,
    )
    return read(endpoint.name, query, body, atLeast)
  }
  return {
    name: endpoint.name,
    told: (query, atLeast) => told(query, atLeast ?? null),
    ask: async (query, atLeast) => (await told(query, atLeast ?? null)).answer,
  }
}

/** Some servers send a refusal with an HTTP error status; others an error page of their proxy. */
async function jsonOf(response: Response): Promise<unknown> {
  const body = await textOf(response)
  const isAnswer = response.ok || /^\s*\{\s*"(data|errors)"/.test(body)
  if (!isAnswer)
    throw new NodeFailure(`HTTP ${response.status}`, response.status === 429 ? retryAfterMs(response) : null)
  return JSON.parse(body)
}

/** Limit of an answer: far above any block. Senders choose the size of their transactions' receipts. */
const MOST_BYTES = 64 * 2 ** 20

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > MOST_BYTES) throw new NodeFailure('an answer that is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function read<T>(name: string, query: Query<T>, body: unknown, atLeast: bigint | null) {
  const { data, errors, extensions } = answerOf(name, body)
  const height = heightIn(extensions)
  const [error] = errors
  if (error !== undefined) {
    if (isBehind(extensions) || NODE_FAULTS.includes(classOf({ message: error }))) {
      throw new NodeFailure(`node ${name} cannot answer now: ${error}`)
    }
    throw new CallRejected(query.name, 0, error)
  }
  if (atLeast !== null && (height === null || height < atLeast)) {
    throw new NodeFailure(`node ${name} answers of block ${height}, not of ${atLeast}`)
  }
  return { answer: decodeOrFail(name, query.name, () => query.read(fieldsOf(data))), height }
}

function answerOf(name: string, body: unknown) {
  try {
    const { data, errors, extensions } = fieldsOf(body)
    const told = list(errors ?? []).map((error) => String(fieldsOf(error).message))
    return { data, errors: told, extensions: fieldsOf(extensions ?? {}) }
  } catch (error) {
    throw transportError(name, error)
  }
}

function heightIn({ current_fuel_block_height: height }: Record<string, unknown>): bigint | null {
  return typeof height === 'number' && Number.isSafeInteger(height) && height >= 0 ? BigInt(height) : null
}

/** Whether the node does not know the named block yet; another node, or a retry, may work. */
function isBehind(extensions: Record<string, unknown>): boolean {
  return extensions.fuel_block_height_precondition_failed === true
}

/** About the node, not about the query. */
const NODE_FAULTS: readonly ErrorClass[] = ['behind', 'rate limited']
