/** A deposit that stood in a block before its swap was made is none of it: numbers may come twice after a restore. */
import type { ChainAdapter, Sighting } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { matchSightings } from './match.ts'

const FROM = 'ALPHA'
const TO = 'BETA'
const FINAL = 6n

let database: TestDatabase
let hand: Hand
let chain: ChainAdapter
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  chain = chainOf(hand.services.chains, FROM)
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

/** A deposit for the swap is found in this block. Answers whether it was given to it. */
async function isGivenAt({ view }: CreatedSwap, number: bigint | null): Promise<boolean> {
  const txHash = crypto.randomUUID()
  const { swap, sequence, receiver } = view
  const sighting: Sighting = {
    ...{ txHash, index: 0, refundableSender: null, fundingAddresses: [], to: receiver },
    block: number === null ? null : { number, hash: `block ${number}` },
    amount: { token: swap.source, units: 50_000_000n },
    reference: swap.usesDepositAddress ? null : sequence,
  }
  const { database: db } = hand.services
  await db.transaction().execute((queries) => matchSightings(hand.services, queries, chain, [sighting]))
  const row = await db.selectFrom('deposit').select('swap_id').where('tx_hash', '=', txHash).executeTakeFirstOrThrow()
  expect(row.swap_id === null || row.swap_id === swap.id).toBe(true)
  return row.swap_id !== null
}

test.each([false, true])(
  'below the head at its making less the final depth it is unmatched (address: %s)',
  async (useDepositAddress) => {
    const head = BigInt(hand.chain(FROM).height)
    const swap = await hand.swap(FROM, TO, { useDepositAddress })
    expect(await isGivenAt(swap, head - FINAL - 1n)).toBe(false)
    expect(await isGivenAt(swap, head - FINAL)).toBe(true)
    expect(await isGivenAt(swap, head + 1n)).toBe(true)
    expect(await isGivenAt(swap, null)).toBe(true)
  },
)

test('a deposit that names a number not given out yet is unmatched, and a person is told', async () => {
  const { metrics } = hand.services
  const alerts = async () => (await metrics.alerts.get()).values[0]?.value ?? 0
  const swap = await hand.swap(FROM, TO)
  const before = await alerts()
  const next = { ...swap, view: { ...swap.view, sequence: swap.view.sequence + 1_000n } }
  expect(await isGivenAt(next, BigInt(hand.chain(FROM).height))).toBe(false)
  expect(await alerts()).toBe(before + 1)
  // One of a number that was given out, and is not this swap's, is nobody's business.
  const other = await hand.swap('GAMMA', TO)
  hand.passTime(3_600_000)
  expect(await isGivenAt({ ...swap, view: { ...swap.view, sequence: other.view.sequence } }, 10n)).toBe(false)
  expect(await alerts()).toBe(before + 1)
})
