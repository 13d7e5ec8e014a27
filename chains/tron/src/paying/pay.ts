/**
 * Signing and sending. The signed bytes follow from order and slot; resending is harmless, since a hash is mined only
 * once.
 */
import {
  type Order,
  type PreparedTransfer,
  RetryLater,
  type SignedTransfer,
  type Slot,
  type TxHash,
} from '@causeway/core'
import { hexToBytes } from '../bytes.ts'
import type { TronChain } from '../chain.ts'
import { send } from '../node/calls.ts'
import { classOf } from '../node/errors.ts'
import { madeAddress, sealed } from '../transaction.ts'
import { exposureOf } from './max-signing-cost.ts'
import { contractOf } from './order.ts'
import { rawOf } from './slot.ts'
import { assertOwn, TREASURY_KEY } from './treasury.ts'

export async function sign(
  chain: TronChain,
  order: Order,
  slot: Slot,
  draft: PreparedTransfer,
): Promise<SignedTransfer> {
  const { treasury, signer, network } = chain
  const { feeUnits } = exposureOf(chain, order, slot, draft)
  const raw = rawOf(chain, order, slot)
  const [hash = ''] = slot
  tellAddress(chain, order, hash)
  const digest = hexToBytes(hash)
  const signature = await signer.sign(TREASURY_KEY, digest, { network: network.name, order, slot, draft })
  assertOwn(treasury, digest, signature)
  return { hash, bytes: sealed(raw, signature), feeCeiling: feeUnits }
}

/** Logs the address of a created contract, which the operator needs. */
function tellAddress(chain: TronChain, order: Order, hash: TxHash): void {
  const { kind, owner } = contractOf(chain, order)
  if (kind !== 'create') return
  const address = madeAddress(hash, owner)
  chain.log.info(
    { network: chain.network.name, address, hash },
    "contract created: add its address to the network's file",
  )
}

export function broadcast(chain: TronChain, signed: SignedTransfer): Promise<void> {
  return chain.rpc.any(async (node) => {
    const { isTaken, code, reason } = await node.ask(send(signed.bytes))
    if (isTaken || classOf({ code, message: reason }) === 'known') return
    throw new RetryLater(`${chain.network.name}: ${node.name} does not take ${signed.hash}: ${code} ${reason}`)
  })
}
