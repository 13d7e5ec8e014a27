/**
 * A confirmed payout turns out not to be on chain: a reorg went deeper than its tier, or a node was wrong. Its postings
 * are reversed, and the caller (`land.ts`) holds it, with the evidence, for an operator. A payout that was confirmed once is never paid again
 * automatically.
 */
import { payoutConfirmed, reversed } from '@causeway/core'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { reopenPayout, takeAsMade } from '../../store/payouts/reorged-payouts.ts'
import { reopenAuthorization } from '../../store/swaps/gasless.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'
import { lockSwapRows, type PayoutRow } from '../../store/swaps/swaps.ts'
import { undoReward } from '../kinds/disburse.ts'
import { isCall } from '../kinds/relay.ts'
import { bookSweep } from '../kinds/swept.ts'
import { undoWithdrawal } from '../kinds/withdrawal.ts'
import { applyWithin } from '../swap/advance.ts'
import { bookRecorded } from '../swap/match-recorded.ts'
import { closePayout } from './complete.ts'

/** Reverses the payout's postings in the caller's transaction. The caller then holds the payout. */
export async function undoPayout(services: Services, queries: Queries, payout: PayoutRow): Promise<void> {
  const { id, kind, number, deposit_id: depositId, account: from, swap_id: swapId } = payout
  if (swapId) {
    const meant = { kind, depositId, number }
    await applyWithin(services, queries, swapId, { type: 'payout_undone', ...meant, from })
    return
  }
  if (kind === 'reward') await undoReward(services, queries, payout)
  else if (kind === 'withdrawal') await undoWithdrawal(services, queries, payout)
  else if (kind === 'return') await insertPosting(queries, reversed(returned(services, payout), 'payout undone'), null)
  else if (kind === 'sweep') await bookSweep(services, queries, payout, 'undone')
  else if (kind === 'recorded') await bookRecorded(services, queries, payout, 'undone')
  else if (isCall(payout)) await reopenAuthorization(queries, id)
  await reopenPayout(queries, id)
  services.metrics.alerts.inc()
  services.log.error({ payoutId: id, kind }, 'a transfer that had counted was not made')
}

/** An operator decided that the payout was made: it is confirmed again with its former transaction. */
export async function countAsMade(services: Services, { id, swap_id: swapId }: PayoutRow): Promise<void> {
  await services.database.transaction().execute(async (queries) => {
    await lockSwapRows(queries, swapId ? [swapId] : [])
    const payout = await takeAsMade(queries, id)
    if (!payout) return
    await closePayout(services, queries, payout)
    services.log.warn({ payoutId: id, swapId, hash: payout.tx_hash }, 'a payout counts as made: a person said so')
  })
}

function returned({ catalogue }: Services, { account, network, token, units }: PayoutRow) {
  return payoutConfirmed(null, account, catalogue.token(network, token), units)
}
