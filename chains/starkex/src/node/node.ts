/** One endpoint of the operator's REST API. */
import {
  NodeFailure,
  NodeRefusal,
  type RestAnswer,
  type RestNode,
  type RestOptions,
  restNode,
} from '@causeway/chain-kit'

export type { RestCall as Call, RestNode as Node, RestOptions as NodeOptions } from '@causeway/chain-kit'

/** The operator works and refuses the request. */
export class Refusal extends NodeRefusal {
  override name = 'Refusal'
  readonly code: string
  constructor(call: string, code: string, reason: string) {
    super(`${call}: ${reason} (${code})`)
    this.code = code
  }
}

export function openNode(url: string, options: RestOptions): RestNode {
  return restNode(fetch, url, options, unwrapped)
}

/** A refusal is an HTTP error with a code. */
function unwrapped({ node, question, status, body }: RestAnswer): unknown {
  if (status === 200) return body
  const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown }
  if (typeof code !== 'string') throw new NodeFailure(`node ${node} speaks another language: HTTP ${status}`)
  throw new Refusal(question, code, String(message ?? 'no reason given'))
}
