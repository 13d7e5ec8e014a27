/**
 * Signing and sending. The nonce is the slot: the operator accepts one message per nonce, so the same order signed
 * again with a later expiry is not paid twice.
 */
import {
  Bug,
  type Order,
  type PreparedTransfer,
  RetryLater,
  type SignedTransfer,
  type Slot,
  type TransferIntent,
} from '@causeway/core'
import type { StarkExChain } from '../chain.ts'
import { submit } from '../node/calls.ts'
import { classOf } from '../node/errors.ts'
import { Refusal } from '../node/node.ts'
import { isSignedBy } from '../signature.ts'
import { messageHash, nameOf, requestText } from '../transaction.ts'
import { exposureOf, writingOf } from './max-signing-cost.ts'
import { isLink, signLink } from './registration.ts'
import { readSent, writeSent } from './signed-bytes.ts'
import { nextNonce, slotOf } from './slot.ts'
import { parseTerms } from './terms.ts'
import { signStark, signText } from './treasury.ts'

export function nextSlot(draft: PreparedTransfer, taken: readonly Slot[]): Slot {
  const { expiryHour, time, senderVault } = parseTerms(draft)
  return slotOf({ nonce: nextNonce(taken, time), firstHour: expiryHour, vault: senderVault })
}

export async function sign(
  chain: StarkExChain,
  order: Order,
  slot: Slot,
  draft: PreparedTransfer,
): Promise<SignedTransfer> {
  const { network, signer, keys } = chain
  const { address, starkKey } = keys
  const { feeUnits: feeCeiling } = exposureOf(chain, order, slot, draft)
  const intent: TransferIntent = { network: network.name, order, slot, draft }
  if (isLink(slot, draft))
    return { hash: 'link', bytes: JSON.stringify(await signLink(signer, keys, intent)), feeCeiling }
  const message = writingOf(chain, order, slot, draft)
  const hash = messageHash(message)
  const stark = await signStark(signer, keys.stark, hash, intent)
  if (!isSignedBy(starkKey, hash, stark)) throw new Bug('the signer used another key', { treasury: address })
  const ethereum = await signText(signer, address, requestText(hash), intent)
  return { hash: nameOf(hash), bytes: writeSent({ address, starkKey, message, stark, ethereum }), feeCeiling }
}

export function broadcast({ rpc, network }: StarkExChain, signed: SignedTransfer): Promise<void> {
  const sent = readSent(signed.bytes)
  if (sent?.hash !== signed.hash) throw new Bug('bytes that are none of ours', { hash: signed.hash })
  return rpc.any(async (node) => {
    try {
      await node.ask(submit(sent.body, sent.headers))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (classOf(error) !== 'known') throw new RetryLater(`${network.name}: ${error.message}`)
    }
  })
}
