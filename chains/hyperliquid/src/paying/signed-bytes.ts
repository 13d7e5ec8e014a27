/** What is sent, as it is kept: one envelope for each action, with its signature and with whose it is. */
import { type Address, Bug, RetryLater, type SignedTransfer, type Slot } from '@causeway/core'
import { contentOf, MOST_VARIANT, type SendAsset, variantOf } from './action.ts'

interface Envelope {
  action: SendAsset
  nonce: number
  signature: { r: string; s: string; v: number }
}

/** Whose action it is stands beside the envelope: the network finds it out from the signature. */
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
 * The number of the next writing: one behind that of what it replaces where that is the same payment, the first one where it is
 * another (a cancellation after a payment). `anew` words the order in a slot of the treasury.
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
