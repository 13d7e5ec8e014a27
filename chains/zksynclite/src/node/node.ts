/** One server with the REST API v0.2. */
import {
  NodeFailure,
  NodeRefusal,
  type RestAnswer,
  type RestNode,
  type RestOptions,
  restNode,
} from '@causeway/chain-kit'

export type { RestCall as Call, RestNode as Node, RestOptions as NodeOptions } from '@causeway/chain-kit'

/** The server works and refuses the request. */
export class Refusal extends NodeRefusal {
  override name = 'Refusal'
  readonly code: number
  readonly reason: string
  constructor(call: string, code: number, reason: string) {
    super(`${call}: ${reason} (${code})`)
    this.code = code
    this.reason = reason
  }
}

export function openNode(url: string, options: RestOptions): RestNode {
  return restNode(fetch, url, options, unwrapped)
}

interface Envelope {
  status?: unknown
  error?: { code?: unknown; message?: unknown } | null
  result?: unknown
}

/** The envelope separates an answer from a refusal, whatever the HTTP status. */
function unwrapped({ node, question, body }: RestAnswer): unknown {
  const envelope = body as Envelope | null
  if (envelope?.status === 'success' && 'result' in envelope) return envelope.result
  if (envelope?.status !== 'error') throw new NodeFailure(`node ${node} speaks another language`)
  throw new Refusal(question, Number(envelope.error?.code), String(envelope.error?.message ?? 'no reason given'))
}
