/**
 * After a restore: payouts that may have been made in the time that the books do not know wait for a person, and a person
 * says which transaction on chain made which of them. Such a payout then counts as made, and is never sent.
 */
import { recognised } from '@causeway/core'
import type { Services } from '../services.ts'
import { readPayout, recordLanding } from '../store/payouts.ts'
import { insertPosting } from '../store/progress.ts'
import { doubtfulPayouts, explainRestored, lockRestored, reviewRestored } from '../store/restored.ts'
import { liveSlot } from '../store/slotrecords.ts'
import { lockSwapRows, type PayoutRow } from '../store/swaps.ts'
import { closePayout, lookAtSources } from './close.ts'
import { Held } from './guard.ts'

const DOUBT = 'restored: it may have been paid before; see "restored list"'

/** Why some of these must not be paid now, by their ids. */
export async function refuseDoubtful(
  { database, now }: Services,
  payouts: readonly PayoutRow[],
): Promise<Map<string, unknown>> {
  const doubtful = await doubtfulPayouts(
    database,
    payouts.map(({ id }) => id),
    now(),
  )
  return new Map([...doubtful].map((id) => [id, new Held(DOUBT, true)]))
}

/** Counts a payout as made by a transaction that was found. Asked twice, it does it once. */
export async function countAsPaid(services: Services, payoutId: string, txHash: string): Promise<void> {
  const { database, catalogue, log } = services
  const fields = { payoutId, txHash }
  const before = await readPayout(database, payoutId)
  const lying = before ? ((await lookAtSources(services, before, null)) ?? undefined) : undefined
  await database.transaction().execute(async (queries) => {
    const asked = await readPayout(queries, payoutId)
    await lockSwapRows(queries, asked?.swap_id ? [asked.swap_id] : [])
    const payout = await readPayout(queries, payoutId)
    if (payout?.state !== 'open') return
    // What stands in a slot is judged by the chain first: it may land there all the same.
    if (payout.started || (await liveSlot(queries, payoutId))) {
      log.error(fields, 'a payout was not counted as made: its slot is not settled yet')
      return
    }
    const row = (await lockRestored(queries, txHash)).find(
      ({ network, account, token }) =>
        network === payout.network && account === payout.account && token === payout.token,
    )
    const left = row ? row.units - row.explained_units : 0n
    if (!row || left <= 0n) {
      log.error(fields, 'a payout was not counted as made: the transaction does not cover it')
      return
    }
    const token = catalogue.token(payout.network, payout.token)
    await explainRestored(queries, row.id, payout.units < left ? payout.units : left)
    // Its own posting takes the whole from the wallet: what was booked when it was found is taken back by as much.
    await insertPosting(queries, recognised(payout.account, token, payout.units), payout.swap_id, row.block_number)
    await recordLanding(queries, payout.id, { hash: row.tx_hash, block: row.block_number, feeUnits: 0n })
    await closePayout(services, queries, { ...payout, block_number: row.block_number }, lying)
    if (payout.units >= left) await reviewRestored(queries, [row.id], 'recognised', services.now())
    log.warn(fields, 'payout counted as made')
  })
}
