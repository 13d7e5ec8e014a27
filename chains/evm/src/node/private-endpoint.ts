/** An endpoint that takes transactions without showing them to public nodes. Nothing else is asked of it. */
import { boundedMap } from '@causeway/chain-kit'
import type { Network, PrivateSubmission } from '@causeway/core'
import { type Node, openNode } from './node.ts'

export interface PrivateEndpoint {
  node: Node
  method: PrivateSubmission['method']
  /** The head when the endpoint last took a transaction, by its hash. */
  takenAt: Map<string, bigint>
}

/** A wallet has few exchanges on their way at a time. */
const MOST_REMEMBERED = 1_000

export function openPrivately(
  { privateSubmission }: Network,
  timeoutMs: number,
  spent: ((method: string) => void) | undefined,
): PrivateEndpoint | null {
  if (!privateSubmission) return null
  const { url, method } = privateSubmission
  return { node: openNode(url, { timeoutMs, batchSize: 1, spent }), method, takenAt: boundedMap(MOST_REMEMBERED) }
}
