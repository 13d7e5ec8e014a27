/** What is sent, as it is kept: one envelope for each action, with its signature and with whose it is. */
import { type Address, Bug, type Order, type SignedTransfer } from '@causeway/core'
import { wireAddress } from '../address.ts'
import type { HyperliquidChain } from '../chain.ts'
import { PERP } from '../scanning/rows.ts'
import { MOST_VARIANT, type SendAsset, variantOf } from './action.ts'

export interface Envelope {
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
 * The number of the next writing of this payment: one behind that of what it replaces where that is the same payment, the
 * first one where it is another (a cancellation after a payment).
 */
export function writingAfter(chain: HyperliquidChain, order: Order, { bytes }: SignedTransfer): number {
  const [first] = envelopesIn(bytes)
  if (!first) throw new Bug('not what this family signs', { bytes })
  const wasCancel = first.action.destinationDex === PERP && first.action.destination === wireAddress(chain.treasury)
  if (wasCancel !== (order.kind === 'cancel')) return 0
  // The ledger does not tell one writing from another: to go on for ever would serve nobody.
  return Math.min(variantOf(first.action) + 1, MOST_VARIANT)
}
