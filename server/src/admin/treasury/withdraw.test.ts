/** The operator's own money leaves only to listed addresses, once, and never from what is reserved or owed. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { openConsole, post } from '../../../../tests/support/service/console.ts'
import { holdOf } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { reconcile } from '../../flow/reconciliation/reconcile.ts'
import { listFindings, unbalancedPostings } from '../../store/ledger/ledger.ts'
import { listHalts } from '../../store/limits/halts.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const FINAL = 6
const INVENTORY = 10_000_000_000n
const COLD = accountFrom('a cold wallet').address

let database: TestDatabase
let hand: Hand
beforeEach(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  await reconcileFinally()
  await reconcileFinally()
})
afterEach(async () => {
  await hand.stop()
  await database.stop()
})

const db = () => hand.services.database
const run = (...words: string[]) => admin(hand.services, ...words)
const usdc = () => {
  const token = hand.services.catalogue.network(TO).tokens.find(({ symbol }) => symbol === 'USDC')
  if (!token) throw new Error('no USDC')
  return token
}
const held = (address: string) => hand.chain(TO).balance(address, usdc().contract)
const list = (address = COLD) =>
  run('withdrawal', 'add', '--network', TO, '--address', address, '--note', 'the safe in the office')
const withdraw = (amount: string, to = COLD) =>
  run('wallet', 'withdraw', '--network', TO, '--token', 'USDC', '--amount', amount, '--to', to)
const withdrawals = (): Promise<PayoutRow[]> =>
  db().selectFrom('payout').selectAll().where('kind', '=', 'withdrawal').orderBy('created_at').execute()

async function pass(network: string, blocks: number): Promise<void> {
  hand.chain(network).mine(blocks)
  await hand.watch(network)
}

/** Reconciles at a block that has become final. */
async function reconcileFinally(): Promise<void> {
  await reconcile(hand.services)
  for (const network of [FROM, TO]) await pass(network, FINAL)
  await reconcile(hand.services)
  await hand.services.refresh()
}

async function booked(account: 'capital' | 'promised'): Promise<bigint> {
  const entries = db().selectFrom('ledger_entry').select('units').where('account', '=', account)
  const rows = await entries
    .where('network', '=', TO)
    .where('token', '=', usdc().contract ?? '')
    .execute()
  return rows.reduce((sum, { units }) => sum + units, 0n)
}

/** A plain transfer to the treasury, which belongs to no swap. */
async function sendUnmatched(units: bigint): Promise<void> {
  const chain = hand.chain(TO)
  const payer = accountFrom('somebody')
  chain.mint(payer.address, null, chain.feePerMove)
  chain.mint(payer.address, usdc().contract, units)
  const { treasury } = chainOf(hand.services.chains, TO)
  const moves = [{ from: payer.address, to: treasury, contract: usdc().contract, units }]
  const call = { network: TO, account: payer.address, nonce: chain.nonce(payer.address), fee: chain.feePerMove }
  chain.submit(signedBy({ ...call, memo: null, moves }, payer))
  await pass(TO, FINAL + 1)
  await hand.services.refresh()
}

test('a withdrawal to a listed address is paid exactly once, and the books agree with the chain', async () => {
  await expect(withdraw('1000')).rejects.toThrow(`${COLD} is not listed for withdrawals on ${TO}`)
  expect(await withdrawals()).toEqual([])
  await list()
  await expect(list()).rejects.toThrow('is listed already')
  expect(await run('withdrawal', 'list')).toContain(COLD)
  const { treasury } = chainOf(hand.services.chains, TO)
  await expect(list(treasury)).rejects.toThrow('is an address of this service')

  const before = await booked('capital')
  expect(await withdraw('1000')).toContain('1000 USDC')
  await expect(withdraw('1000')).rejects.toThrow('the same withdrawal is open')
  const [payout, ...more] = await withdrawals()
  expect(more).toEqual([])
  expect(await run('payout', 'list')).toMatch(new RegExp(`${payout?.id} +withdrawal .*${COLD} +open`))
  expect(await booked('promised')).toBe(-1_000_000_000n)
  for (let time = 0; time < 3; time++) {
    await hand.runJobs()
    await pass(TO, FINAL)
  }
  expect(held(COLD)).toBe(1_000_000_000n)
  expect((await withdrawals()).map(({ state }) => state)).toEqual(['confirmed'])
  const listed = await run('payout', 'list', '--kind', 'withdrawal')
  expect(listed).toContain('confirmed')
  expect(listed).toContain((await withdrawals())[0]?.tx_hash)

  expect([await booked('capital'), await booked('promised')]).toEqual([before + 1_000_000_000n, 0n])
  await reconcileFinally()
  expect(await unbalancedPostings(db(), 1)).toEqual([])
  expect(await listHalts(db())).toEqual([])
  const found = (await listFindings(db())).find((row) => row.account === treasury && row.token === usdc().contract)
  expect(found).toMatchObject({ chain_units: INVENTORY - 1_000_000_000n, ledger_units: INVENTORY - 1_000_000_000n })
})

test('before the first comparison with the ledger the refusal says so', async () => {
  await list()
  await db().updateTable('reconciliation').set({ opened: false }).execute()
  await expect(withdraw('10030')).rejects.toThrow('was not compared with the ledger yet')
})

test('units that are reserved for payouts or owed to users cannot be withdrawn', async () => {
  await list()
  await sendUnmatched(30_000_000n)
  await expect(withdraw('10030')).rejects.toThrow('at most 10000 USDC can be withdrawn: 0 USDC are reserved')
  await expect(withdraw('10030')).rejects.toThrow('30 USDC are owed')
  // A swap is deposited, and its payout is ordered but not sent.
  hand.deposit(await hand.swap(FROM, TO))
  await pass(FROM, FINAL)
  const output = await db().selectFrom('payout').select('units').where('kind', '=', 'output').executeTakeFirstOrThrow()
  await expect(withdraw('10000')).rejects.toThrow('are reserved')
  // A withdrawal reserves its own units: two of them cannot take the same ones.
  await withdraw('6000')
  await expect(withdraw('5000')).rejects.toThrow('at most')
  for (let time = 0; time < 3; time++) {
    await hand.runJobs()
    await pass(TO, FINAL)
  }
  expect(held(COLD)).toBe(6_000_000_000n)
  expect(held(chainOf(hand.services.chains, TO).treasury)).toBe(INVENTORY + 30_000_000n - 6_000_000_000n - output.units)
  await reconcileFinally()
  expect(await listHalts(db())).toEqual([])
})

test('an address that is taken off the list gets nothing, and the money stays the operator’s', async () => {
  await list()
  const before = await booked('capital')
  await withdraw('1000')
  expect(await run('withdrawal', 'remove', '--network', TO, '--address', COLD)).toContain('given up')
  await hand.runJobs()
  await pass(TO, FINAL)
  expect((await withdrawals()).map(({ state }) => state)).toEqual(['abandoned'])
  expect(held(COLD)).toBe(0n)
  expect([await booked('capital'), await booked('promised')]).toEqual([before, 0n])
  await expect(withdraw('1000')).rejects.toThrow('is not listed')
})

test('a withdrawal counts against the outflow limit', async () => {
  await list()
  await run('limit', 'set', '--kind', 'hourly_outflow', '--scope', `network:${TO}`, '--usd', '500')
  await withdraw('400')
  hand.passTime(1)
  await withdraw('300')
  await hand.runJobs()
  await pass(TO, FINAL)
  const [first, second] = (await withdrawals()).toSorted((a, b) => Number(b.units - a.units))
  expect([first?.state, second?.state]).toEqual(['confirmed', 'open'])
  expect(await holdOf(db(), second?.id ?? '')).toEqual({ code: 'outflow_limit' })
  expect(held(COLD)).toBe(400_000_000n)
})

test('two people list an address, and order a withdrawal above the threshold', async () => {
  hand.services.config.fourEyesUsd = 500
  const desk = openConsole(hand.services, (ms) => hand.passTime(ms))
  const seats: Record<string, Awaited<ReturnType<typeof desk.seat>>> = {}
  for (const name of ['ada', 'eve']) {
    await desk.person(name, 'admin')
    seats[name] = await desk.seat(name)
  }
  await hand.services.refresh()
  const act = (by: string, noun: string, verb: string, values: Record<string, string>) =>
    desk.told(post('/act', { noun, verb, values, names: [], reason: `${by} says so` }, seats[by]))
  const confirm = (id: string) => act('eve', 'request', 'confirm', { id })
  const order = (amount: string) => act('ada', 'wallet', 'withdraw', { network: TO, token: 'USDC', amount, to: COLD })

  const listing = await act('ada', 'withdrawal', 'add', { network: TO, address: COLD, note: 'safe' })
  expect(await run('withdrawal', 'list')).not.toContain(COLD)
  await confirm(listing.asked)
  expect(await run('withdrawal', 'list')).toContain(COLD)

  expect((await order('400')).asked).toBeNull()
  expect((await withdrawals()).map(({ units }) => units)).toEqual([400_000_000n])
  // Parts of a large one count together, for a day.
  expect((await order('101')).asked).not.toBeNull()
  expect(await withdrawals()).toHaveLength(1)
  hand.passTime(24 * 3_600_000)
  await hand.services.refresh()
  for (const name of ['ada', 'eve']) seats[name] = await desk.seat(name)
  expect((await order('101')).asked).toBeNull()
  const large = await order('600')
  expect(await withdrawals()).toHaveLength(2)
  expect(await run('request', 'list')).toMatch(new RegExp(`USDC.* on ${TO} to ${COLD}`))
  await confirm(large.asked)
  expect((await withdrawals()).map(({ units }) => units)).toEqual([400_000_000n, 101_000_000n, 600_000_000n])
  hand.passTime(24 * 3_600_000)
  await hand.services.refresh()
  for (const name of ['ada', 'eve']) seats[name] = await desk.seat(name)
  await Promise.allSettled(['490', '480', '470', '460'].map(order))
  expect(await withdrawals(), 'ordered at the same moment').toHaveLength(4)
  await desk.server.close()
})
