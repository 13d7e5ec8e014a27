/**
 * Signing and sending. The nonce is the slot: the server executes only one transaction per nonce, so the same order
 * signed again with another fee is not paid twice.
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
import type { ZkSyncChain } from '../chain.ts'
import { submit } from '../node/calls.ts'
import { classOf } from '../node/errors.ts'
import { type Node, Refusal } from '../node/node.ts'
import {
  hashOf,
  type KeyChangeTx,
  keyChangeBytes,
  keyChangeMessage,
  MAX_TIMESTAMP,
  NATIVE_ID,
  type TransferTx,
  transferBytes,
  transferText,
} from '../transaction.ts'
import type { ZkKey } from '../zk-key.ts'
import { exposureOf } from './max-signing-cost.ts'
import { paymentOf } from './order.ts'
import { keyChangeRequest, readSent, transferRequest, writeSent } from './signed-bytes.ts'
import { freeSlot, nonceOf } from './slot.ts'
import { parseTerms, type Terms } from './terms.ts'
import { signMessage, zkKeyFor } from './treasury.ts'

export function nextSlot(draft: PreparedTransfer, taken: readonly Slot[]): Slot {
  const { nonce, unlock } = parseTerms(draft)
  return freeSlot(unlock ? Math.max(nonce, unlock.nonce + 1) : nonce, taken)
}

export async function sign(
  chain: ZkSyncChain,
  order: Order,
  slot: Slot,
  draft: PreparedTransfer,
): Promise<SignedTransfer> {
  const { network, settings, treasury } = chain
  const { feeUnits } = exposureOf(chain, order, slot, draft)
  const terms = parseTerms(draft)
  const intent: TransferIntent = { network: network.name, order, slot, draft }
  const { to, amount } = paymentOf(chain, order)
  const tx: TransferTx = {
    accountId: terms.accountId,
    from: treasury,
    to,
    tokenId: NATIVE_ID,
    amount,
    fee: terms.fee,
    nonce: nonceOf(slot),
    validFrom: 0,
    validUntil: MAX_TIMESTAMP,
  }
  const key = await zkKeyFor(chain, settings.ethereumChainId, intent)
  const unlocking = await unlockRequests(chain, terms, key, intent)
  const bytes = transferBytes(tx)
  const text = transferText(tx, network.nativeToken)
  const request = transferRequest(tx, key.sign(bytes), await signMessage(chain, text, intent))
  return { hash: hashOf(bytes), bytes: writeSent([...unlocking, request]), feeCeiling: feeUnits }
}

/** The requests that set our key, if it is not set yet. Setting it moves no money. */
async function unlockRequests(
  chain: ZkSyncChain,
  { accountId, unlock }: Terms,
  key: ZkKey,
  intent: TransferIntent,
): Promise<unknown[]> {
  if (!unlock) return []
  const tx: KeyChangeTx = {
    accountId,
    account: chain.treasury,
    newPkHash: key.keyHash,
    feeTokenId: NATIVE_ID,
    fee: unlock.fee,
    nonce: unlock.nonce,
    validFrom: 0,
    validUntil: MAX_TIMESTAMP,
  }
  return [keyChangeRequest(tx, key.sign(keyChangeBytes(tx)), await signMessage(chain, keyChangeMessage(tx), intent))]
}

export async function broadcast({ rpc, network }: ZkSyncChain, signed: SignedTransfer): Promise<void> {
  const sent = readSent(signed.bytes)
  if (sent?.hash !== signed.hash) throw new Bug('bytes that are none of ours', { hash: signed.hash })
  await rpc.any(async (node) => {
    for (const request of sent.requests) await post(node, network.name, request)
  })
}

async function post(node: Node, network: string, request: unknown): Promise<void> {
  try {
    await node.ask(submit(request))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (classOf({ message: error.reason }) !== 'known') throw new RetryLater(`${network}: ${error.message}`)
  }
}
