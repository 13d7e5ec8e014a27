/**
 * A deposit in the same transaction as a lost one is listed for an operator, even if an operator had assigned it
 * before.
 */
import type { ChainAdapter, Sighting } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { listUnmatched } from '../../store/deposits/unmatched.ts'
import { assignUnmatched } from '../swap/resolve-unmatched.ts'

const [FROM, TO] = ['ALPHA', 'BETA'] as const
const TIER = 2

let database: TestDatabase
let hand: Hand
beforeEach(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
})
afterEach(async () => {
  await hand.stop()
  await database.stop()
})

async function mine(blocks = 1, network: string = FROM): Promise<void> {
  hand.chain(network).mine(blocks)
  await hand.watch(network)
}

/**
 * The contract emits one more event before the transfer: the coins move to the next index, perhaps without a reference.
 */
function movesOn(hash: string, as: Partial<Sighting> = {}): void {
  const chain = chainOf(hand.services.chains, FROM)
  const { scan, inspect } = chain
  const moved = (was: Sighting) => (was.txHash === hash ? { ...was, index: was.index + 1, ...as } : was)
  const changed = <T extends object>(found: T): T =>
    'sightings' in found ? { ...found, sightings: (found.sightings as Sighting[]).map(moved) } : found
  Object.assign(chain, {
    scan: async (...given: Parameters<ChainAdapter['scan']>) => changed(await scan(...given)),
    inspect: async (...given: Parameters<ChainAdapter['inspect']>) => changed(await inspect(...given)),
  })
}

async function reorg(depth: number): Promise<void> {
  hand.chain(FROM).reorg(depth, 'returned')
  await hand.watch(FROM)
  await mine(depth + 1)
  await mine(TIER)
}

test('a sibling of a lost deposit that was assigned and then reorged is listed again', async () => {
  const hash = hand.deposit(await hand.swap(FROM, TO))
  await mine(TIER)
  await hand.runJobs()
  await mine(TIER, TO)
  movesOn(hash)
  await reorg(TIER)
  const [beside] = await listUnmatched(hand.services.database, 10)
  expect(beside).toMatchObject({ tx_hash: hash, index: 1, state: 'confirmed' })
  // An operator decides that it is new money.
  const other = await hand.swap(FROM, TO)
  await assignUnmatched(hand.services, beside?.id ?? '', other.view.swap.id)
  await reorg(TIER + 3)
  await mine(TIER)
  const rows = hand.services.database.selectFrom('deposit').select(['state', 'swap_id', 'resolution'])
  const now = await rows.where('id', '=', beside?.id ?? '').executeTakeFirstOrThrow()
  const listed = (await listUnmatched(hand.services.database, 10)).map(({ id }) => id)
  // Either the swap has it, or an operator sees it.
  expect({ ...now, isSeen: now.swap_id !== null || listed.includes(beside?.id ?? '') }).toMatchObject({ isSeen: true })
  // And it can be decided again.
  await assignUnmatched(hand.services, beside?.id ?? '', other.view.swap.id)
  const given = await rows.where('id', '=', beside?.id ?? '').executeTakeFirstOrThrow()
  expect(given).toMatchObject({ state: 'confirmed', swap_id: other.view.swap.id, resolution: 'assigned' })
})

test('a lost deposit that is re-mined at another index without a reference is reported as such', async () => {
  const hash = hand.deposit(await hand.swap(FROM, TO))
  await mine(TIER)
  await hand.runJobs()
  await mine(TIER, TO)
  movesOn(hash, { reference: null })
  const told: string[] = []
  const { log } = hand.services
  const { error } = log
  log.error = ((fields: object, text: string) => {
    told.push(text)
    error.call(log, fields, text)
  }) as typeof error
  await reorg(TIER)
  const [beside] = await listUnmatched(hand.services.database, 10)
  expect(beside).toMatchObject({ tx_hash: hash, index: 1, state: 'confirmed' })
  expect(told).toContain('deposit found where one was lost: it waits for a decision')
})
