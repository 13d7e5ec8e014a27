/** The operator's own withdrawals: booked when they are ordered, paid, reorged or given up. */
import { reversed, withdrawalPaid, withdrawalPromised } from '@causeway/core'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { closeWithoutSwap } from '../../store/payouts/payouts.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'

/** Completes a withdrawal that has the confirmations that its value needs. */
export async function closeWithdrawal(services: Services, queries: Queries, payout: PayoutRow): Promise<void> {
  if (!(await closeWithoutSwap(queries, payout.id, 'confirmed', services.now()))) return
  await insertPosting(queries, paidBy(services, payout), null)
}

/** Reverses the payment of a confirmed withdrawal that a deep reorg removed. */
export async function undoWithdrawal(services: Services, queries: Queries, payout: PayoutRow): Promise<void> {
  await insertPosting(queries, reversed(paidBy(services, payout), 'payout undone'), null)
}

/** Gives a withdrawal up that was not sent: the money stays in the wallet. Fails if a slot was allocated meanwhile. */
export async function abandonWithdrawal(services: Services, payout: PayoutRow): Promise<void> {
  const token = services.catalogue.token(payout.network, payout.token)
  await services.database.transaction().execute(async (queries) => {
    if (!(await closeWithoutSwap(queries, payout.id, 'abandoned', services.now()))) return
    await insertPosting(queries, reversed(withdrawalPromised(token, payout.units), 'withdrawal taken back'), null)
  })
}

function paidBy({ catalogue }: Services, { account, network, token, units }: PayoutRow) {
  return withdrawalPaid(account, catalogue.token(network, token), units)
}
