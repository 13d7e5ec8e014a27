/** The operator's own transfers to the treasury become capital, and are not owed to anyone. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { bookFunding } from '../../flow/kinds/funding.ts'
import { unbalancedPostings } from '../../store/ledger/ledger.ts'

const NETWORK = 'BETA'
const FINAL = 6
const UNITS = 25_000_000n
const SAFE = accountFrom('the safe of the operator')

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

const db = () => hand.services.database
const run = (...words: string[]) => admin(hand.services, ...words)
const usdc = () => {
  const token = hand.services.catalogue.network(NETWORK).tokens.find(({ symbol }) => symbol === 'USDC')
  if (!token) throw new Error('no USDC')
  return token
}

async function send(units: bigint, payer = SAFE, blocks = FINAL + 1): Promise<void> {
  const chain = hand.chain(NETWORK)
  chain.mint(payer.address, null, chain.feePerMove)
  chain.mint(payer.address, usdc().contract, units)
  const { treasury } = chainOf(hand.services.chains, NETWORK)
  const moves = [{ from: payer.address, to: treasury, contract: usdc().contract, units }]
  const call = { network: NETWORK, account: payer.address, nonce: chain.nonce(payer.address), fee: chain.feePerMove }
  chain.submit(signedBy({ ...call, memo: null, moves }, payer))
  await pass(blocks)
}

async function pass(blocks: number): Promise<void> {
  hand.chain(NETWORK).mine(blocks)
  await hand.watch(NETWORK)
  await bookFunding(hand.services)
}

async function booked(account: 'capital' | 'unmatched'): Promise<bigint> {
  const entries = db().selectFrom('ledger_entry').select('units').where('account', '=', account)
  const rows = await entries
    .where('network', '=', NETWORK)
    .where('token', '=', usdc().contract ?? '')
    .execute()
  return rows.reduce((sum, { units }) => sum + units, 0n)
}

const announce = (...more: string[]) =>
  run('funding', 'announce', '--network', NETWORK, '--token', 'USDC', '--amount', '25', ...more)
const isListed = async (payer = SAFE) => (await run('unmatched', 'list')).includes(payer.address)

test('announced funding becomes capital once it is final, and each announcement takes one transfer', async () => {
  await announce('--from', SAFE.address)
  await send(UNITS, accountFrom('a stranger'))
  expect([await booked('capital'), await booked('unmatched')]).toEqual([0n, -UNITS])
  await send(UNITS, SAFE, 2)
  expect(await booked('capital')).toBe(0n)
  await pass(FINAL)
  expect([await booked('capital'), await booked('unmatched')]).toEqual([-UNITS, -UNITS])
  expect([await isListed(), await isListed(accountFrom('a stranger'))]).toEqual([false, true])
  expect(await run('funding', 'list')).toContain('arrived')
  await send(UNITS)
  expect([await booked('capital'), await booked('unmatched')]).toEqual([-UNITS, -2n * UNITS])
  expect(await unbalancedPostings(db(), 1)).toEqual([])
})

test('a transfer from before the announcement, of another amount, or of a cancelled one stays unmatched', async () => {
  await send(UNITS)
  hand.passTime(1_000)
  await announce()
  await pass(FINAL)
  expect(await booked('capital')).toBe(0n)
  await send(UNITS + 1n)
  expect(await booked('capital')).toBe(0n)
  const [id = ''] = /[0-9a-f-]{36}/.exec(await run('funding', 'list')) ?? []
  await run('funding', 'cancel', '--id', id)
  await send(UNITS)
  expect([await booked('capital'), await booked('unmatched')]).toEqual([0n, -3n * UNITS - 1n])
})

test('an operator declares an unmatched deposit as capital, once and only if it is final', async () => {
  await send(UNITS, SAFE, 3)
  const { id } = await db().selectFrom('deposit').select('id').executeTakeFirstOrThrow()
  await expect(run('unmatched', 'capital', '--deposit', id)).rejects.toThrow('is not final yet')
  await pass(FINAL)
  await run('unmatched', 'ignore', '--deposit', id)
  await run('unmatched', 'capital', '--deposit', id)
  expect([await booked('capital'), await booked('unmatched')]).toEqual([-UNITS, 0n])
  await expect(run('unmatched', 'capital', '--deposit', id)).rejects.toThrow('was decided about')
  await expect(run('unmatched', 'refund', '--deposit', id, '--to', SAFE.address)).rejects.toThrow('is capital already')
  expect(await booked('capital')).toBe(-UNITS)
  expect(await unbalancedPostings(db(), 1)).toEqual([])
})
