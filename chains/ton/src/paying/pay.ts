/**
 * Signing and sending. The query id is the slot: the contract runs it once, and all messages signed in a slot expire at
 * one time while the contract still remembers the id, so none of them can be paid twice.
 */
import { Bug, type Order, type PreparedTransfer, RetryLater, type SignedTransfer, type Slot } from '@causeway/core'
import { signVerify } from '@ton/crypto'
import type { TonChain } from '../chain.ts'
import { sendBoc } from '../node/calls.ts'
import { classOf } from '../node/errors.ts'
import { Refusal } from '../node/node.ts'
import { writingOf } from './max-signing-cost.ts'
import { innerCell, seal } from './message.ts'
import { transfersOf } from './order.ts'
import { nextQuery, slotOf } from './slot.ts'
import { parseTerms } from './terms.ts'
import { TREASURY_KEY } from './treasury.ts'

export function nextSlot(draft: PreparedTransfer, taken: readonly Slot[]): Slot {
  return slotOf(nextQuery(taken, parseTerms(draft).time))
}

export async function sign(
  chain: TonChain,
  order: Order,
  slot: Slot,
  draft: PreparedTransfer,
): Promise<SignedTransfer> {
  const { treasury, signer, network } = chain
  const inner = innerCell(transfersOf(chain, order), writingOf(chain, order, slot, draft))
  const digest = inner.hash()
  const signature = await signer.sign(TREASURY_KEY, digest, { network: network.name, order, slot, draft })
  if (signature.length !== 64 || !signVerify(digest, Buffer.from(signature), treasury.publicKey)) {
    throw new Bug('the signer used another key', { treasury: treasury.address })
  }
  return seal(treasury, inner, signature, parseTerms(draft))
}

export function broadcast(chain: TonChain, signed: SignedTransfer): Promise<void> {
  return chain.rpc.any(async (node) => {
    try {
      await node.ask(sendBoc(signed.bytes))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (classOf(error) !== 'known') throw new RetryLater(`${chain.network.name}: ${firstLine(error.message)}`)
    }
  })
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message
}
