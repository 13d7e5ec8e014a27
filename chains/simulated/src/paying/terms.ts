/** The draft that `prepare` passes to `sign`, as text: values that were read from the chain. */
import { Bug, type PreparedTransfer } from '@causeway/core'

/** The draft's values from the chain. Recipients and amounts are in the order, not here. */
export interface Terms {
  fee: bigint
  /** The amount to take from each source of a sweep; empty for transfers. */
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
