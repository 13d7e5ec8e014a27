/** What `prepare` hands to `sign`, as text: what the chain was asked for beforehand. */
import { Bug, type PreparedTransfer } from '@causeway/core'

/** What the chain was asked for beforehand; whom a transfer pays and how much stands in the order alone. */
export interface Terms {
  fee: bigint
  /** What to take from each source of a sweep; empty for transfers. */
  takings: readonly bigint[]
}

export function formatTerms({ fee, takings }: Terms): PreparedTransfer {
  return [fee, ...takings].join(' ')
}

export function parseTerms(draft: PreparedTransfer): Terms {
  const [fee, ...takings] = draft.split(' ').map(BigInt)
  if (fee === undefined) throw new Bug('not a draft', { draft })
  return { fee, takings }
}
