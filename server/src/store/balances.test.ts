/** Balances that are folded in the background are at every moment what all entries sum up to. */
import type { Token } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { type Hand, startHand } from '../../../tests/support/hand.ts'
import { chainOf } from '../catalogue/chains.ts'
import { foldLedger, ledgerUnits, provePostings, unitsAt } from './balances.ts'

const FROM = 'ALPHA'
const TIER = 2

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

const adapter = (network: string) => chainOf(hand.services.chains, network)

function tokenOf(network: string, symbol: string): Token {
  const token = adapter(network).network.tokens.find((other) => other.symbol === symbol)
  if (!token) throw new Error('no such token')
  return token
}

/** What a swap deposits, confirmed and booked. */
async function deposit(): Promise<void> {
  hand.deposit(await hand.swap(FROM, 'BETA'))
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
}

test('a balance is the same whether its entries are folded in or not', async () => {
  const { treasury } = adapter(FROM)
  const usdc = tokenOf(FROM, 'USDC')
  const { database: books } = hand.services
  await deposit()
  const unfolded = await books.selectFrom('ledger_entry').select('id').where('folded', '=', false).execute()
  expect(unfolded.length).toBeGreaterThan(0)
  const before = await ledgerUnits(books, treasury, usdc)
  await Promise.all([foldLedger(books), foldLedger(books)])
  expect(await ledgerUnits(books, treasury, usdc)).toBe(before)
  const { units } = await books
    .selectFrom('ledger_balance')
    .select('units')
    .where('account', '=', 'wallet')
    .where('owner', '=', treasury)
    .where('token', '=', usdc.contract ?? '')
    .executeTakeFirstOrThrow()
  expect(units).toBe(before)
  // The deposit stands in the block before the newest one.
  const top = BigInt(hand.chain(FROM).height)
  expect(await unitsAt(books, treasury, usdc, top - BigInt(TIER))).toEqual({ least: before - 50_000_000n, seen: 0n })
  expect(await unitsAt(books, treasury, usdc, top)).toEqual({ least: before, seen: 0n })
})

test('a posting that does not balance is found when its slice is proven', async () => {
  await deposit()
  const { database: books } = hand.services
  await provePostings(books)
  expect(await provePostings(books)).toEqual([])
  const { posting } = await books
    .updateTable('ledger_entry')
    .set((eb) => ({ units: eb('units', '+', 1n) }))
    .where('id', '=', (eb) => eb.selectFrom('ledger_entry').select((of) => of.fn.max('id').as('id')))
    .returning('posting')
    .executeTakeFirstOrThrow()
  const proofs = [await provePostings(books), await provePostings(books)]
  expect(proofs.flat()).toEqual([posting])
})
