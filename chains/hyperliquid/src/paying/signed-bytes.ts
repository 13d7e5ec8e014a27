/** The stored form of signed actions: one envelope per action, with its signature and its owner. */
import { type Address, Bug, RetryLater, type SignedTransfer, type Slot } from '@causeway/core'
import { contentOf, MOST_VARIANT, type SendAsset, variantOf } from './action.ts'

interface Envelope {
  action: SendAsset
  nonce: number
  signature: { r: string; s: string; v: number }
}

/** The owner is stored with the envelope; the network recovers it from the signature. */
export interface KeptEnvelope extends Envelope {
  owner: Address
}

export function formatEnvelopes(envelopes: readonly KeptEnvelope[]): string {
  return JSON.stringify(envelopes)
}

export function envelopesIn(bytes: string): KeptEnvelope[] {
  const envelopes: unknown = JSON.parse(bytes)
  if (Array.isArray(envelopes) && envelopes.length > 0) return envelopes
  throw new Bug('not what this family signs', { bytes })
}

/**
 * The variant number of the next signature: one above the replaced one if it is the same payment, the first if it is
 * another (a cancellation after a payment). The callback builds the order for a slot of the treasury.
 */
export function writingAfter({ bytes }: SignedTransfer, anew: (slot: Slot) => SendAsset | null): number {
  const [first] = envelopesIn(bytes)
  if (!first) throw new Bug('not what this family signs', { bytes })
  const wording = anew([`${first.nonce}`])
  if (wording && contentOf(wording) !== contentOf(first.action)) return 0
  const next = variantOf(first.action) + 1
  if (next > MOST_VARIANT) throw new RetryLater('it was written often enough: its end is waited for')
  return next
}
