/** Nothing is booked for a deposit address on the word of one node: others must show the same. */
import { type Address, RetryLater, type Token } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { ledgerUnits } from '../../store/ledger/balances.ts'
import { listHalts } from '../../store/limits/halts.ts'
import { reconcile } from './reconcile.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const FINAL = 6
const HOUR_MS = 3_600_000

let database: TestDatabase
let hand: Hand
let address: Address
let usdc: Token
beforeEach(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  for (const network of [FROM, TO]) await pass(network)
  const found = chain().network.tokens.find(({ symbol }) => symbol === 'USDC')
  if (!found) throw new Error('no such token')
  usdc = found
  const swap = await hand.swap(FROM, TO, { useDepositAddress: true })
  address = swap.view.receiver
  hand.deposit(swap)
  await rounds(3)
  expect(await booked()).toBe(50_000_000n)
})
afterEach(async () => {
  await hand.stop()
  await database.stop()
})

const chain = () => chainOf(hand.services.chains, FROM)
const booked = () => ledgerUnits(hand.services.database, address, usdc)

/** A comparison, and enough blocks to make it final. */
async function pass(network: string): Promise<void> {
  hand.passTime(HOUR_MS)
  await reconcile(hand.services)
  hand.chain(network).mine(FINAL)
  await hand.watch(network)
  await reconcile(hand.services)
}

/** The preferred node tells this about the address while other nodes tell the truth. */
async function lie(units: bigint): Promise<() => void> {
  const { balances } = chain()
  Object.assign(chain(), {
    balances: async (wanted: Parameters<typeof balances>[0]) => {
      const told = await balances(wanted)
      const isIt = wanted.map(({ owner, token }) => owner === address && token.contract === usdc.contract)
      return { ...told, units: told.units.map((held, at) => (isIt[at] ? units : held)) }
    },
  })
  return () => void Object.assign(chain(), { balances })
}

async function reasons(): Promise<string[]> {
  const rows = await hand.services.database.selectFrom('ledger_entry').select('reason').distinct().execute()
  return rows.map(({ reason }) => reason)
}

async function rounds(count: number): Promise<void> {
  for (let round = 0; round < count; round++) await pass(FROM)
}

test('an address that one node shows as empty is not booked as swept', async () => {
  const stop = await lie(0n)
  await rounds(4)
  stop()
  await rounds(4)
  expect(await reasons()).not.toContain('sweep')
  expect(await booked()).toBe(50_000_000n)
  expect(await listHalts(hand.services.database)).toEqual([])
  const rows = hand.services.database.selectFrom('deposit').select('emptied').where('to_address', '=', address)
  expect(await rows.execute()).toEqual([{ emptied: false }])
})

test('coins that one node invents at an address are not booked', async () => {
  const stop = await lie(70_000_000n)
  await rounds(6)
  stop()
  await rounds(2)
  expect(await reasons()).not.toContain('unannounced')
  expect(await booked()).toBe(50_000_000n)
  expect(await listHalts(hand.services.database)).toEqual([])
})

test('while nodes differ nothing is booked, and what they agree on is booked afterwards', async () => {
  hand.chain(FROM).mine(1)
  hand.chain(FROM).mint(address, usdc.contract, -50_000_000n)
  hand.chain(FROM).mint(chain().treasury, usdc.contract, 50_000_000n)
  const { agreedBalance } = chain()
  Object.assign(chain(), {
    agreedBalance: async () => {
      throw new RetryLater('they differ')
    },
  })
  await rounds(4)
  expect(await booked()).toBe(50_000_000n)
  Object.assign(chain(), { agreedBalance })
  await rounds(4)
  expect(await booked()).toBe(0n)
  expect(await listHalts(hand.services.database)).toEqual([])
})
