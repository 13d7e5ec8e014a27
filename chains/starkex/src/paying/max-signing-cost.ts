/**
 * The cost of signing: there are no fees here. But the draft partly decides where the money goes, because only the
 * operator links addresses to keys. A signer that trusts no draft pays only recipients whose key its own file names.
 */
import { type MaxSigningCost, type Order, type PreparedTransfer, RetryLater, type Slot } from '@causeway/core'
import type { StarkExChain } from '../chain.ts'
import type { TransferMessage } from '../transaction.ts'
import { paymentOf } from './order.ts'
import { isLink } from './registration.ts'
import { placeOf } from './slot.ts'
import { parseTerms } from './terms.ts'

export function exposureOf(chain: StarkExChain, order: Order, slot: Slot, draft: PreparedTransfer): MaxSigningCost {
  if (order.kind === 'cancel' && isLink(slot, draft)) return { feeUnits: 0n }
  writingOf(chain, order, slot, draft)
  return { feeUnits: 0n }
}

/** Builds the message of this order, in this slot and from this draft. Throws if they do not fit. */
export function writingOf(chain: StarkExChain, order: Order, slot: Slot, draft: PreparedTransfer): TransferMessage {
  const { nonce, firstHour, vault } = placeOf(slot)
  const { to, quanta, asset: ordered } = paymentOf(chain, order)
  const { senderVault, receiverVault, receiverKey, expiryHour, asset: told } = parseTerms(draft)
  // In another vault the same nonce is another message to the operator, and both would be accepted.
  if (senderVault !== vault)
    throw new RetryLater(`it would pay out of vault ${senderVault}, and its slot is of ${vault}`)
  if (expiryHour < firstHour)
    throw new RetryLater(`it would expire at hour ${expiryHour}, before the first of its slot`)
  const known = to === chain.keys.address ? chain.keys.starkKey : chain.settings.receivers.get(to)
  if (chain.distrusts && known === undefined) {
    throw new RetryLater(`the key of ${to} is not pinned: the setting receivers must name it`)
  }
  if (known !== undefined && known !== receiverKey) throw new RetryLater(`the key of ${to} is another one`)
  return { senderVault, receiverVault, receiverKey, asset: ordered ?? told, quanta, nonce, expiryHour }
}
