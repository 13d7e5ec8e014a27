/**
 * After a reorg the same coins may be at another log index of their transaction: they are not paid out a second time.
 */
import type { ChainAdapter, Sighting } from '@causeway/core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { listUnmatched } from '../../store/deposits/unmatched.ts'

const [FROM, TO] = ['ALPHA', 'BETA'] as const
const TIER = 2

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
})
beforeEach(async () => {
  hand = await startHand(await database.createDatabase())
})
afterEach(() => hand.stop())
afterAll(() => database.stop())

async function mine(blocks = 1, network: string = FROM): Promise<void> {
  hand.chain(network).mine(blocks)
  await hand.watch(network)
}

/** Changes what the transaction shows from now on. */
function shows(hash: string, what: (was: Sighting) => Sighting[]): void {
  const chain = chainOf(hand.services.chains, FROM)
  const { scan, inspect } = chain
  const changed = <T extends object>(found: T): T =>
    'sightings' in found
      ? {
          ...found,
          sightings: (found.sightings as Sighting[]).flatMap((was) => (was.txHash === hash ? what(was) : [was])),
        }
      : found
  Object.assign(chain, {
    scan: async (...given: Parameters<ChainAdapter['scan']>) => changed(await scan(...given)),
    inspect: async (...given: Parameters<ChainAdapter['inspect']>) => changed(await inspect(...given)),
  })
}

/** The contract emits one more event before the transfer: the coins move to the next index. */
const movesOn = (hash: string) => shows(hash, (was) => [{ ...was, index: was.index + 1 }])

async function reorg(depth: number): Promise<void> {
  hand.chain(FROM).reorg(depth, 'returned')
  await mine(depth + 1)
  await mine(TIER)
  await hand.runJobs()
  await mine(TIER, TO)
}

const payouts = () => hand.services.database.selectFrom('payout').select(['kind', 'state']).orderBy('number').execute()
const DELIVERED = [{ kind: 'output', state: 'confirmed' }]

test('a paid deposit that is mined again at another index of its transaction stays the same deposit', async () => {
  const hash = hand.deposit(await hand.swap(FROM, TO))
  await mine(TIER)
  await hand.runJobs()
  await mine(TIER, TO)
  expect(await payouts()).toEqual(DELIVERED)
  movesOn(hash)
  await reorg(TIER)
  expect(await payouts()).toEqual(DELIVERED)
  expect(await listUnmatched(hand.services.database, 10)).toEqual([])
  const rows = hand.services.database.selectFrom('deposit').select(['index', 'state'])
  expect(await rows.execute()).toEqual([{ index: 1, state: 'confirmed' }])
  // The next reorg does not pay it either.
  await reorg(1)
  await reorg(TIER)
  expect(await payouts()).toEqual(DELIVERED)
})

test('an unpaid deposit is credited at its new index', async () => {
  const scope = ['--scope', 'service']
  await admin(hand.services, 'switch', 'pause', ...scope, '--what', 'payouts', '--reason', 'a look')
  const hash = hand.deposit(await hand.swap(FROM, TO))
  await mine(TIER)
  await hand.runJobs()
  movesOn(hash)
  await admin(hand.services, 'switch', 'resume', ...scope)
  await reorg(TIER)
  expect((await payouts()).filter(({ state }) => state !== 'abandoned')).toEqual(DELIVERED)
  expect(await listUnmatched(hand.services.database, 10)).toEqual([])
})

test('two deposits of one re-mined transaction both stay credited', async () => {
  const hash = hand.deposit(await hand.swap(FROM, TO))
  const other = (await hand.swap(FROM, TO)).view.swap.id
  const row = hand.services.database.selectFrom('swap').select('reference').where('id', '=', other)
  const { reference } = await row.executeTakeFirstOrThrow()
  shows(hash, (was) => [was, { ...was, index: 1, reference }])
  await mine(TIER)
  await hand.runJobs()
  await mine(TIER, TO)
  expect(await payouts()).toEqual([...DELIVERED, ...DELIVERED])
  await reorg(TIER)
  expect(await listUnmatched(hand.services.database, 10)).toEqual([])
  const rows = await hand.services.database.selectFrom('deposit').select('state').execute()
  expect(rows).toEqual([{ state: 'confirmed' }, { state: 'confirmed' }])
})
