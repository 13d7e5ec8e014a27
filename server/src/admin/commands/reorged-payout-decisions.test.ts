/**
 * Two operators answer for a payout that a reorg removed, one after the other: the second answer is never turned into
 * its opposite.
 */

import type { Order } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { holdWords } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { readReorged } from '../../store/payouts/reorged-payouts.ts'
import { liveSlot } from '../../store/payouts/slot-records.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const [TIER, FINAL] = [2, 6]
let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  for (const chain of hand.services.chains.values()) Object.assign(chain, { audit: undefined })
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

async function mineAndWatch(network: string, blocks: number): Promise<void> {
  hand.chain(network).mine(blocks)
  await hand.watch(network)
}

test.each(['made', 'not-made'])(
  '"payout reject" of what was undone, said after somebody has approved it, must say what is meant: %s',
  async (meant) => {
    const swap = await hand.swap(FROM, TO)
    hand.deposit(swap)
    await mineAndWatch(FROM, TIER)
    await hand.runJobs()
    await mineAndWatch(TO, TIER)
    const rows = () => hand.services.database.selectFrom('payout').selectAll().where('swap_id', '=', swap.view.swap.id)
    const payout = await rows().executeTakeFirstOrThrow()
    expect(payout.state).toBe('confirmed')
    const parts = (await liveSlot(hand.services.database, payout.id))?.slot.parts ?? []
    hand.chain(TO).reorg(TIER)
    const chain = chainOf(hand.services.chains, TO)
    const amount = { token: chain.network.nativeToken, units: 7n }
    const rival: Order = {
      kind: 'transfers',
      account: payout.account,
      transfers: [{ to: accountFrom('rival').address, amount }],
    }
    await chain.broadcast(await chain.sign(rival, parts, await chain.prepare(rival, null)))
    await mineAndWatch(TO, FINAL)
    expect(await rows().executeTakeFirstOrThrow()).toMatchObject({ state: 'open', held_by: 'undone' })

    // `payout held` says: approving pays again, rejecting counts it as made. Ada approves; Bob, who has checked the
    // chain, rejects.
    await admin(hand.services, 'payout', 'approve', ...(await holdWords(hand.services.database, payout.id)))
    const reject = async (...words: string[]) =>
      admin(hand.services, 'payout', 'reject', ...(await holdWords(hand.services.database, payout.id)), ...words)
    await expect(reject()).rejects.toThrow('--as made if it was made after all')
    await expect(reject('--as', 'maid')).rejects.toThrow('--as is made or not-made')
    const isMade = meant === 'made'
    expect(await reject('--as', meant)).toBe(`payout rejected: ${payout.id}${isMade ? ', which counts as made' : ''}`)
    await hand.runJobs()
    await mineAndWatch(FROM, FINAL)
    await hand.runJobs()
    await mineAndWatch(FROM, FINAL)
    const refunded = hand.chain(FROM).balance(swap.view.swap.refundAddress ?? '', swap.view.swap.source.contract)
    expect(refunded > 0n).toBe(!isMade)
    const made = { state: 'confirmed', tx_hash: payout.tx_hash, held_by: null, rejected_at: null }
    expect((await rows().execute())[0]).toMatchObject(isMade ? made : { state: 'abandoned' })
    expect(await readReorged(hand.services.database, payout.id)).toBeNull()
  },
)
