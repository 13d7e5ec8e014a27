/**
 * The draft that `prepare` passes to `nextSlot`, as text. Signing does not need it: everything signed is in the slot.
 */
import { Bug, type PreparedTransfer } from '@causeway/core'

export interface Prepared {
  /** The id of a final block. */
  reference: string
  /** The chain's clock, in milliseconds. */
  time: number
  /** In sun. */
  feeLimit: bigint
}

export function formatDraft({ reference, time, feeLimit }: Prepared): PreparedTransfer {
  return JSON.stringify({ reference, time, feeLimit: `${feeLimit}` })
}

export function parseDraft(draft: PreparedTransfer): Prepared {
  const { reference, time, feeLimit }: Record<string, unknown> = JSON.parse(draft)
  const isDraft =
    typeof reference === 'string' && /^[0-9a-f]{64}$/.test(reference) && Number.isSafeInteger(time) && Number(time) > 0
  if (!isDraft || !/^\d{1,16}$/.test(String(feeLimit))) throw new Bug('not a draft of this family', { draft })
  return { reference, time: Number(time), feeLimit: BigInt(String(feeLimit)) }
}
