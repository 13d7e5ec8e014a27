/**
 * A deposit that was mined before its swap was created is not credited to it: it may belong to a lost swap with the
 * same address or reference.
 */
import type { ChainAdapter, Sighting } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { recordSightings } from './record-observations.ts'

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

/** Finds a deposit for the swap in this block. Returns whether the swap got it. */
async function isGivenAt({ view }: CreatedSwap, number: bigint | null): Promise<boolean> {
  const txHash = crypto.randomUUID()
  const { swap, reference, receiver } = view
  const sighting: Sighting = {
    ...{ txHash, index: 0, refundableSender: null, fundingAddresses: [], to: receiver },
    block: number === null ? null : { number, hash: `block ${number}` },
    amount: { token: swap.source, units: 50_000_000n },
    reference: swap.usesDepositAddress ? null : reference,
  }
  const { database: db } = hand.services
  await db.transaction().execute((queries) => recordSightings(hand.services, queries, chain, [sighting], 'scan'))
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

test('a deposit that names no swap, or another one, is unmatched', async () => {
  const swap = await hand.swap(FROM, TO)
  const other = await hand.swap('GAMMA', TO)
  const naming = (reference: bigint) => ({ ...swap, view: { ...swap.view, reference } })
  for (const reference of [swap.view.reference + 1_000n, other.view.reference])
    expect(await isGivenAt(naming(reference), BigInt(hand.chain(FROM).height))).toBe(false)
})
