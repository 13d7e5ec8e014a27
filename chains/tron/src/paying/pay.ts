/** Signing and sending. What is signed follows from order and slot; sending it again is harmless, since its hash lands once. */
import { type Draft, type Order, RetryLater, type SignedTransfer, type Slot } from '@causeway/core'
import { hexToBytes } from '../bytes.ts'
import type { TronChain } from '../chain.ts'
import { send } from '../node/calls.ts'
import { sealed } from '../transaction.ts'
import { exposureOf } from './ceiling.ts'
import { rawOf } from './slot.ts'
import { assertOwn, TREASURY_KEY } from './treasury.ts'

export async function sign(chain: TronChain, order: Order, slot: Slot, draft: Draft): Promise<SignedTransfer> {
  const { treasury, signer, network } = chain
  const { feeUnits } = exposureOf(chain, order, slot, draft)
  const raw = rawOf(chain, order, slot)
  const [hash = ''] = slot
  const digest = hexToBytes(hash)
  const signature = await signer.sign(TREASURY_KEY, digest, { network: network.name, order, slot, draft })
  assertOwn(treasury, digest, signature)
  return { hash, bytes: sealed(raw, signature), feeCeiling: feeUnits }
}

/** The node has seen it. That is no proof that it will land: some remember what they failed to take. */
const KNOWN = 'DUP_TRANSACTION_ERROR'

export function broadcast(chain: TronChain, signed: SignedTransfer): Promise<void> {
  return chain.rpc.any(async (node) => {
    const { isTaken, code, reason } = await node.ask(send(signed.bytes))
    if (isTaken || code === KNOWN) return
    throw new RetryLater(`${chain.network.name}: ${node.name} does not take ${signed.hash}: ${code} ${reason}`)
  })
}
