/** A short reference may have been given out before a rollback: only a deposit from the swap's `source_address` is credited by it. */
import type { Sighting } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { recordSightings } from './record-observations.ts'

const FROM = 'ALPHA'

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

/** Which swap a deposit from this sender is credited to. */
async function ownerOf(swap: Awaited<ReturnType<Hand['swap']>>, sender: string | null): Promise<string | null> {
  const { services } = hand
  const { view } = swap
  const chain = chainOf(services.chains, FROM)
  const txHash = crypto.randomUUID()
  const sighting: Sighting = {
    ...{ txHash, index: 0, block: null, refundableSender: sender, fundingAddresses: [], to: view.receiver },
    amount: { token: view.swap.source, units: view.swap.requestedUnits ?? 0n },
    reference: view.reference,
  }
  await services.database
    .transaction()
    .execute((queries) => recordSightings(services, queries, chain, [sighting], 'scan'))
  const rows = services.database.selectFrom('deposit').select('swap_id').where('tx_hash', '=', txHash)
  return (await rows.executeTakeFirstOrThrow()).swap_id
}

test('with short references a deposit from another sender is unmatched; with long ones it is credited', async () => {
  const chain = chainOf(hand.services.chains, FROM)
  const { references } = chain
  const depositAddress = async (index: number) => (await chain.depositAddresses?.derive(index)) ?? ''
  const [sender, other] = [await depositAddress(900_001), await depositAddress(900_002)]
  const swap = await hand.swap(FROM, 'BETA', { sourceAddress: sender })
  const id = swap.view.swap.id
  Object.assign(chain, { references: { bits: 28 } })
  try {
    expect([await ownerOf(swap, other), await ownerOf(swap, null), await ownerOf(swap, sender)]).toEqual([
      null,
      null,
      id,
    ])
  } finally {
    Object.assign(chain, { references })
  }
  expect([await ownerOf(swap, other), await ownerOf(swap, null)]).toEqual([id, id])
})
