/** Balances that are folded in the background always equal the sum of all entries. */
import { depositArrived, reversed, type Token, unexplainedCredit } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { saveLooks } from '../deposits/observations.ts'
import { insertPosting } from '../swaps/save-step.ts'
import { foldLedger, ledgerUnits, nextHolders, provePostings, setAsked, setLooked, unitsAt } from './balances.ts'

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

/** A swap's confirmed and booked deposit. */
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
  // The deposit is in the block before the newest one.
  const top = BigInt(hand.chain(FROM).height)
  expect(await unitsAt(books, treasury, usdc, top - BigInt(TIER))).toEqual({ least: before - 50_000_000n, seen: 0n })
  expect(await unitsAt(books, treasury, usdc, top)).toEqual({ least: before, seen: 0n })
  // While a reorg may have removed the deposit, both balances are accepted. If no node can find it afterwards, the
  // wallet is compared.
  const { tx_hash: txHash } = await books.selectFrom('deposit').select('tx_hash').executeTakeFirstOrThrow()
  const look = { txHash, due: 0n, since: top }
  await saveLooks(books, FROM, [txHash], [{ ...look, class: 'reverify' }])
  expect(await unitsAt(books, treasury, usdc, top)).toEqual({ least: before - 50_000_000n, seen: 50_000_000n })
  await saveLooks(books, FROM, [txHash], [{ ...look, class: 'unlocatable' }])
  expect(await unitsAt(books, treasury, usdc, top)).toEqual({ least: before, seen: 0n })
})

test('a finished swap leaves no zero balance behind, and later postings count from zero', async () => {
  const { database: books } = hand.services
  const usdc = tokenOf(FROM, 'USDC')
  const owner = crypto.randomUUID()
  const balances = () => books.selectFrom('ledger_balance').select('units').where('owner', '=', owner).execute()
  const arrived = depositArrived(owner, adapter(FROM).treasury, usdc, 7n)
  await insertPosting(books, arrived, null)
  await foldLedger(books)
  expect(await balances()).toEqual([{ units: -7n }])
  await insertPosting(books, reversed(arrived, 'assigned'), null)
  await foldLedger(books)
  expect(await balances()).toEqual([])
  await insertPosting(books, arrived, null)
  await Promise.all([foldLedger(books), foldLedger(books)])
  expect(await balances()).toEqual([{ units: -7n }])
})

test('an unbalanced posting is found when its slice is checked', async () => {
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

test('addresses are read in turn, and one that needs a recheck soon comes first', async () => {
  const { database: books } = hand.services
  const { treasury } = adapter('GAMMA')
  const token = tokenOf('GAMMA', 'USDC')
  const owners = ['a', 'b', 'c', 'd', 'e']
  for (const owner of owners) await insertPosting(books, unexplainedCredit(owner, token, 1n), null)
  await foldLedger(books)
  const at = (seconds: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, seconds))
  const turn = async (seconds: number) => {
    const next = (await nextHolders(books, token, treasury, 2)).map(({ owner }) => owner)
    await setAsked(books, token, next, at(seconds))
    return next
  }
  const [first, second, third] = [await turn(1), await turn(2), await turn(3)]
  expect([...first, ...second]).toEqual(['a', 'b', 'c', 'd'])
  expect(third).toEqual(['e', 'a'])
  await setLooked(books, token, 'd', null)
  expect(await turn(4)).toEqual(['d', 'b'])
})
