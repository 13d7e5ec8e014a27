/** Completes a confirmed payout: updates its swap or campaign, the ledger, and the addresses of a sweep. */
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { closeReward } from '../kinds/disburse.ts'
import { completeCall, isCall } from '../kinds/relay.ts'
import { closeSweep } from '../kinds/swept.ts'
import { closeWithdrawal } from '../kinds/withdrawal.ts'
import { applyWithin } from '../swap/advance.ts'
import { closeRecorded, recordedFor } from '../swap/match-recorded.ts'
import { closeReturn } from '../swap/resolve-unmatched.ts'

/** Runs in the caller's transaction, which has locked the swap. */
export async function closePayout(services: Services, queries: Queries, payout: PayoutRow): Promise<void> {
  if (isCall(payout)) return completeCall(services, queries, payout)
  if (payout.kind === 'recorded') return closeRecorded(services, queries, payout)
  if (payout.swap_id) {
    const { kind, number, deposit_id: depositId, account: from, received_units: receivedUnits } = payout
    // After a restore the journal may have what the proceeds of a sale paid for.
    const recorded = kind === 'sale' ? await recordedFor(services, queries, payout.swap_id, null) : []
    await applyWithin(services, queries, payout.swap_id, {
      type: 'payout_confirmed',
      kind,
      depositId,
      number,
      from,
      ...(receivedUnits !== null && { receivedUnits }),
      ...(recorded.length > 0 && { recorded }),
    })
    return
  }
  if (payout.kind === 'return') await closeReturn(services, queries, payout)
  else if (payout.kind === 'reward') await closeReward(services, queries, payout)
  else if (payout.kind === 'withdrawal') await closeWithdrawal(services, queries, payout)
  else await closeSweep(services, queries, payout)
}
