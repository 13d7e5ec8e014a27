/**
 * Signing and sending: `nextSlot` picks a nonce, `sign` makes the bytes without any request, `broadcast` sends them.
 * The chain includes only one transaction per slot, so the same order signed again at another fee is not paid twice.
 */
import {
  Bug,
  type MaxSigningCost,
  type Order,
  type PreparedTransfer,
  RetryLater,
  type SignedTransfer,
  type Slot,
} from '@causeway/core'
import type { OpenChain } from '../chain.ts'
import { readSettings } from '../settings.ts'
import { digestOf, encode, hashOf, seal, type Transaction } from '../transaction.ts'
import { movesOf, refuseForeign } from './order.ts'
import { nonceOf } from './slot.ts'
import { parseTerms } from './terms.ts'
import { depositKey, TREASURY_KEY } from './treasury.ts'

/** The lowest free nonce, starting from the chain's next one: a released nonce must not leave a gap. */
export async function nextSlot({ node, treasury }: OpenChain, taken: readonly Slot[]): Promise<Slot> {
  const used = new Set(taken.map(nonceOf))
  let nonce = await node.nonce(treasury)
  while (used.has(nonce)) nonce++
  return [nonce.toString()]
}

export async function sign(
  chain: OpenChain,
  order: Order,
  slot: Slot,
  draft: PreparedTransfer,
): Promise<SignedTransfer> {
  const { network, signer, treasury } = chain
  const { fee, takings } = parseTerms(draft)
  maxSigningCost(chain, order, slot, draft)
  const transaction: Transaction = {
    network: network.name,
    account: treasury,
    nonce: nonceOf(slot),
    fee,
    memo: null,
    moves: movesOf(order, takings),
  }
  const keys = [
    TREASURY_KEY,
    ...(order.kind === 'sweep' ? order.sources.map(({ index, branch }) => depositKey(index, branch)) : []),
  ]
  const seals = []
  for (const key of keys) {
    const signature = await signer.sign(key, digestOf(transaction), { network: network.name, order, slot, draft })
    seals.push(seal(await signer.publicKey(key), signature))
  }
  return { hash: hashOf(transaction), bytes: encode(transaction, seals), feeCeiling: fee }
}

export function maxSigningCost(chain: OpenChain, order: Order, slot: Slot, draft: PreparedTransfer): MaxSigningCost {
  nonceOf(slot)
  refuseForeign(chain, order)
  const { fee, takings } = parseTerms(draft)
  const most = readSettings(chain.network).maxFeePerMove * BigInt(Math.max(1, movesOf(order, takings).length))
  if (fee < 0n || fee > most) throw new RetryLater(`it offers a fee of ${fee}, and may offer ${most}`)
  return { feeUnits: fee }
}

export async function broadcast({ node }: OpenChain, signed: SignedTransfer): Promise<void> {
  const answer = await node.send(signed.bytes)
  // "Slot used" may mean that these very bytes used it. That proves nothing either way; `status` decides.
  if (answer === 'accepted' || answer === 'known' || answer === 'slot used') return
  if (answer === 'malformed' || answer === 'unauthorised')
    throw new Bug(`a transfer was ${answer}`, { hash: signed.hash })
  throw new RetryLater(`the node refused the transfer for now: ${answer}`)
}
