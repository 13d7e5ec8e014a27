/** Checks before signing: whether this order can be paid, and at which fee. */
import {
  Bug,
  type Order,
  PayoutImpossible,
  type PreparedTransfer,
  RetryLater,
  type SignedTransfer,
  TreasuryShort,
} from '@causeway/core'
import type { ZkSyncChain } from '../chain.ts'
import { account, feeFor, LOCKED } from '../node/calls.ts'
import { FEE, nextPackable, packable } from '../packing.ts'
import { refuseDear } from './max-signing-cost.ts'
import { paymentOf, refuseLosing } from './order.ts'
import { readSent } from './signed-bytes.ts'
import { formatTerms } from './terms.ts'

export async function prepare(
  chain: ZkSyncChain,
  order: Order,
  replaces: SignedTransfer | null,
): Promise<PreparedTransfer> {
  const payment = paymentOf(chain, order)
  const earlier = replaces ? readSent(replaces.bytes) : null
  if (replaces && !earlier) throw new Bug('the transfer to replace cannot be read', { hash: replaces.hash })
  // `PayoutImpossible` proves that nothing was sent, so it is not thrown while an earlier attempt may be mined.
  if (!earlier) refuseLosing(payment)
  if (!earlier && order.kind !== 'cancel' && payment.amount === 0n)
    throw new PayoutImpossible('too little to be sent here')
  const { treasury, settings, rpc } = chain
  return rpc.use(async (node) => {
    const { id, nonce, keyHash, units } = await node.ask(account(treasury, 'committed'))
    if (id === null) throw new RetryLater('the treasury has never received anything: it has no account yet')
    // Only the account's next transaction can be accelerated: a higher fee for later ones has no effect.
    if (earlier && earlier.transfer.nonce > nonce)
      throw new RetryLater(`it waits for the account's transaction ${nonce}`)
    const today = packable(await node.ask(feeFor('Transfer', payment.to)), FEE, 'up')
    const displacing = earlier ? nextPackable(earlier.transfer.fee, FEE) : 0n
    const fee = today > displacing ? today : displacing
    const isLocked = keyHash === LOCKED
    const unlockFee = isLocked ? packable(await node.ask(feeFor({ ChangePubKey: 'ECDSA' }, treasury)), FEE, 'up') : 0n
    refuseDear(settings, fee)
    refuseDear(settings, unlockFee)
    const needed = payment.ordered + fee + unlockFee
    if (units < needed) throw new TreasuryShort(`the treasury holds ${units} of ${needed} units needed`)
    return formatTerms({ accountId: id, nonce, fee, unlock: isLocked ? { nonce, fee: unlockFee } : null })
  })
}
