/**
 * After a restore: payouts that may have been made in the time that the books do not know wait for a person, and a person
 * says which transaction on chain made which of them. That word alone keeps it from being paid; it then counts as made.
 */
import { recognised, reversed } from '@causeway/core'
import type { Services } from '../../services.ts'
import { addJob, laneOf } from '../../store/db/jobs.ts'
import { readPayout, recordLanding } from '../../store/payouts/payouts.ts'
import { liveSlot } from '../../store/payouts/slot-records.ts'
import {
  doubtfulPayouts,
  explainRestored,
  listAgain,
  lockRestored,
  reviewRestored,
} from '../../store/restore/restored.ts'
import { forgetMade, isSaidUnpaid, lockPayout, partFor, saidPaid } from '../../store/restore/words.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'
import { lockSwapRows, type PayoutRow } from '../../store/swaps/swaps.ts'
import { closePayout, lookAtSources } from '../landing/complete.ts'
import { undoPayout } from '../landing/undo.ts'
import { PayoutOnHold } from '../lib/payout-on-hold.ts'

/** Why some of these must not be paid now, by their ids. */
export async function refuseDoubtful(services: Services, payouts: readonly PayoutRow[]): Promise<Map<string, unknown>> {
  const { database, now } = services
  const doubtful = await doubtfulPayouts(
    database,
    payouts.map(({ id }) => id),
    now(),
  )
  const said = await saidPaid(database, [...doubtful])
  for (const payout of payouts) await countLater(services, payout, said.get(payout.id))
  return new Map([...doubtful].map((id) => [id, heldFor(said.get(id))]))
}

function heldFor(txHash: string | undefined): PayoutOnHold {
  return new PayoutOnHold(txHash === undefined ? { code: 'restore_doubt' } : { code: 'restore_paid', txHash })
}

/** What could not be done when it was said is done as soon as it can be. */
async function countLater(
  { database }: Services,
  { id, network, account }: PayoutRow,
  txHash: string | undefined,
): Promise<void> {
  if (txHash === undefined) return
  await addJob(database, {
    ...{ task: 'countAsPaid', payload: { payoutId: id, txHash } },
    lane: laneOf(network, account),
  })
}

/** Counts a payout as made by the transaction that a person named. Asked twice, it does it once. */
export async function countAsPaid(services: Services, payoutId: string, txHash: string): Promise<void> {
  const { database, catalogue, log } = services
  const fields = { payoutId, txHash }
  const before = await readPayout(database, payoutId)
  const lying = before ? ((await lookAtSources(services, before, null)) ?? undefined) : undefined
  await database.transaction().execute(async (queries) => {
    await lockSwapRows(queries, before?.swap_id ? [before.swap_id] : [])
    const payout = await lockPayout(queries, payoutId)
    // Whoever has said something else since is right.
    if (payout?.state !== 'open' || payout.made_in !== txHash) return
    // What stands in a slot is judged by the chain first: it may land there all the same.
    if (payout.started || (await liveSlot(queries, payoutId))) {
      log.error(fields, 'a payout was not counted as made yet: its slot is not settled')
      return
    }
    const row = partFor(await lockRestored(queries, txHash), payout)
    if (!row) {
      log.error(fields, 'a payout was not counted as made: the transaction sent nothing of its token')
      return
    }
    const token = catalogue.token(payout.network, payout.token)
    await explainRestored(queries, row.id, payout.units)
    // Its own posting takes the whole from the wallet: what was booked when it was found is taken back by as much.
    await insertPosting(queries, recognised(payout.account, token, payout.units), payout.swap_id, row.block_number)
    await recordLanding(queries, payout.id, { hash: row.tx_hash, block: row.block_number, feeUnits: 0n })
    await closePayout(services, queries, { ...payout, block_number: row.block_number }, lying)
    // Where the amounts do not fit to the unit, a person takes it off the list.
    if (row.explained_units + payout.units === row.units)
      await reviewRestored(queries, [row.id], 'recognised', services.now())
    log.warn(fields, 'payout counted as made')
  })
}

/** The word was wrong, and it counts already: nothing made it. It is owed as before, and may go. Asked twice, it does it once. */
export async function takeBackPaid(services: Services, payoutId: string, txHash: string): Promise<void> {
  const { database, catalogue, log } = services
  const before = await readPayout(database, payoutId)
  await database.transaction().execute(async (queries) => {
    await lockSwapRows(queries, before?.swap_id ? [before.swap_id] : [])
    const payout = await lockPayout(queries, payoutId)
    // Only what a word alone has made to count; and whoever has said something else since is right.
    if (payout?.state !== 'confirmed' || payout.made_in !== txHash || payout.tx_hash !== txHash) return
    if (!(await isSaidUnpaid(queries, payoutId))) return
    const row = partFor(await lockRestored(queries, txHash), payout)
    if (!row) return
    const token = catalogue.token(payout.network, payout.token)
    await explainRestored(queries, row.id, -payout.units)
    const posting = reversed(recognised(payout.account, token, payout.units), 'recognised by mistake')
    await insertPosting(queries, posting, payout.swap_id, row.block_number)
    await listAgain(queries, row.id)
    await undoPayout(services, queries, payout)
    await forgetMade(queries, payoutId)
    const lane = laneOf(payout.network, payout.account)
    await addJob(queries, { task: 'pay', payload: { payoutId }, lane })
    log.warn({ payoutId, txHash }, 'a payout that was said to be made is owed again')
  })
}
