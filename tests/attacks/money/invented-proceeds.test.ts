/**
 * A lying node invents the proceeds of a sale. All that they are to pay for waits until an operator has looked the
 * transaction up elsewhere, and either believes them or states what there really is.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { accountFrom } from '../../../chains/simulated/local/src/account.ts'
import { runCommand } from '../../../server/src/admin/cli/run.ts'
import { pay } from '../../../server/src/flow/payouts/pay.ts'
import { correctProceeds } from '../../../server/src/flow/swap/correct-proceeds.ts'
import { expireSwaps } from '../../../server/src/flow/swap/expire.ts'
import { setRefundAddress } from '../../../server/src/flow/swap/set-refund-address.ts'
import { rememberDualControl } from '../../../server/src/store/operators/operators.ts'
import type { CreatedSwap } from '../../../server/src/swaps/create-swap.ts'
import { createExchangeDouble } from '../../support/chains/exchange-double.ts'
import { startDatabase, type TestDatabase } from '../../support/database/database.ts'
import { admin } from '../../support/service/accounts.ts'
import { holdOf, holdWords } from '../../support/service/holds.ts'
import { type Hand, startHand } from '../../support/service/manual-driver.ts'
import { takeAddresses } from '../../support/service/progress.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
let database: TestDatabase
let hand: Hand
const double = createExchangeDouble(() => hand)
const { exchange } = double

beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  double.install()
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})
beforeEach(() => {
  Object.assign(exchange, { received: 0n, claimed: null, allowance: 0n, signed: 0 })
})

async function settleOn(network: string): Promise<void> {
  hand.chain(network).mine(hand.services.catalogue.network(network).finalDepth + 1)
  await hand.watch(network)
}

/** Pays whatever is open, on both networks, until nothing more happens. */
async function work(): Promise<void> {
  for (let round = 0; round < 4; round++) {
    const open = hand.services.database.selectFrom('payout').select('id').where('state', '=', 'open')
    for (const { id } of await open.orderBy('created_at').execute()) await pay(hand.services, id)
    for (const network of [FROM, TO]) await settleOn(network)
    await expireSwaps(hand.services)
  }
}

function payoutsOf({ view }: CreatedSwap) {
  const rows = hand.services.database.selectFrom('payout').selectAll().where('swap_id', '=', view.swap.id)
  return rows.orderBy('number').execute()
}

async function statusOf({ view }: CreatedSwap): Promise<string> {
  const swaps = hand.services.database.selectFrom('swap').select('status').where('id', '=', view.swap.id)
  return (await swaps.executeTakeFirstOrThrow()).status
}

function depositOf({ view }: CreatedSwap) {
  const rows = hand.services.database.selectFrom('deposit').select('id').where('swap_id', '=', view.swap.id)
  return rows.executeTakeFirstOrThrow()
}

type Worth = (network: string, token: string, units: bigint) => number

/** Runs a command for an operator who may give away forty dollars alone. */
async function asked(worth: Worth, ...words: string[]): Promise<string> {
  const lines: string[] = []
  const { database, now } = hand.services
  const desk = {
    actor: 'mallory',
    role: 'operator',
    sign: () => '',
    print: (line: string) => lines.push(line),
  } as const
  await runCommand({ database, now, worth, fourEyesUsd: 40, ...desk }, words)
  return lines.join('\n')
}

const heldBy = async (swap: CreatedSwap) =>
  Promise.all((await payoutsOf(swap)).slice(1).map(({ id }) => holdOf(hand.services.database, id)))

/** A swap whose sale brings what was expected, while the node claims this many times as much. */
async function soldFor(times: bigint): Promise<{ swap: CreatedSwap; brought: bigint }> {
  const swap = await double.swapWith('sale')
  hand.deposit(swap)
  await settleOn(FROM)
  const [sale] = await payoutsOf(swap)
  const brought = swap.view.swap.quote ? await expectedOf(swap) : 0n
  Object.assign(exchange, { received: brought, claimed: brought * times, allowance: sale?.units })
  await work()
  return { swap, brought }
}

async function expectedOf({ view }: CreatedSwap): Promise<bigint> {
  const swaps = hand.services.database.selectFrom('swap').select('quote').where('id', '=', view.swap.id)
  const { quote } = await swaps.executeTakeFirstOrThrow()
  return BigInt(JSON.parse(quote?.legs ?? '{}').sale.outUnits)
}

/** The booked units of the bought coin in the wallet. */
async function bookedOf({ view }: CreatedSwap, account: 'wallet' | 'customer'): Promise<bigint> {
  const rows = await hand.services.database
    .selectFrom('ledger_entry')
    .select('units')
    .where('swap_id', '=', view.swap.id)
    .where('account', '=', account)
    .where('network', '=', FROM)
    .where('token', '=', 'native')
    .where('reason', '!=', 'network fee')
    .execute()
  return rows.reduce((sum, { units }) => sum + BigInt(units), 0n)
}

test('nothing is paid from invented proceeds, and the true ones pay the swap', async () => {
  const { swap, brought } = await soldFor(10n)
  const [, ...paid] = await payoutsOf(swap)
  expect(paid.map(({ kind, state, started }) => ({ kind, state, started }))).toEqual([
    { kind: 'output', state: 'open', started: false },
    { kind: 'return', state: 'open', started: false },
  ])
  const plausible = `${(brought * 105n) / 100n}`
  const hold = { code: 'excess_proceeds', symbol: 'SIM', received: `${brought * 10n}`, plausible }
  expect(await heldBy(swap)).toEqual([hold, hold])

  const { id } = swap.view.swap
  await admin(hand.services, 'swap', 'proceeds', '--id', id, '--units', `${brought}`)
  await correctProceeds(hand.services, { swapId: id, units: `${brought}` })
  await work()
  expect(await statusOf(swap)).toBe('completed')
  const after = await payoutsOf(swap)
  expect(after[0]).toMatchObject({ kind: 'sale', state: 'confirmed', received_units: brought })
  const output = after.find(({ kind, state }) => kind === 'output' && state === 'confirmed')
  expect(output?.units).toBeLessThanOrEqual(swap.view.swap.quote?.receiveUnits ?? 0n)
  expect(output?.units).toBeGreaterThanOrEqual(await double.leastOf(swap))
  expect(await bookedOf(swap, 'wallet')).toBe(brought)
  expect(await bookedOf(swap, 'customer')).toBe(0n)
})

test('an operator who finds them on the chain approves what they pay for', async () => {
  const { swap } = await soldFor(3n)
  for (const { id } of (await payoutsOf(swap)).slice(1))
    await admin(hand.services, 'payout', 'approve', ...(await holdWords(hand.services.database, id)))
  await work()
  expect(await statusOf(swap)).toBe('completed')
  expect((await payoutsOf(swap)).map(({ kind, state }) => [kind, state])).toEqual([
    ['sale', 'confirmed'],
    ['output', 'confirmed'],
    ['return', 'confirmed'],
  ])
})

test('proceeds within the bound are paid on at once', async () => {
  const { swap } = await soldFor(1n)
  expect(await statusOf(swap)).toBe('completed')
})

test('a rejected output does not lead to a refund of invented proceeds', async () => {
  const { swap, brought } = await soldFor(10n)
  const [, output, rest] = await payoutsOf(swap)
  for (const id of [output?.id ?? '', rest?.id ?? ''])
    await admin(hand.services, 'payout', 'reject', ...(await holdWords(hand.services.database, id)))
  await work()
  const [, ...paid] = await payoutsOf(swap)
  expect(paid.filter(({ state }) => state !== 'abandoned').every(({ started }) => !started)).toBe(true)
  expect(paid.some(({ state }) => state === 'confirmed')).toBe(false)
  const { id } = swap.view.swap
  await correctProceeds(hand.services, { swapId: id, units: `${brought}` })
  for (const { id: payout, state } of (await payoutsOf(swap)).slice(1))
    if (state === 'open') await admin(hand.services, 'payout', 'reject', '--id', payout)
  await work()
  expect(await statusOf(swap)).toBe('pending_refund')
  expect(await admin(hand.services, 'swap', 'list', '--owed')).toContain(id)
  const home = accountFrom('a safe place').address
  // A stolen key of the swap's app does not redirect proceeds above the threshold for two people.
  const depositIds = [(await depositOf(swap)).id]
  await rememberDualControl(hand.services.database, 1)
  await setRefundAddress(hand.services, { swapId: id, address: home, by: 'app', depositIds, signers: [] })
  expect(await statusOf(swap)).toBe('pending_refund')
  await rememberDualControl(hand.services.database, undefined)
  // Nor does one operator alone, although the token that was sold is worth nothing any more.
  const worth: Worth = (_network, token, units) => (token === 'native' ? Number(units) : 0)
  expect(await asked(worth, 'swap', 'refund', '--id', id, '--to', home)).toContain('nothing is done yet')
  expect(await takeAddresses(hand.services)).toBe(0)
  await admin(hand.services, 'swap', 'refund', '--id', id, '--to', home)
  expect(await takeAddresses(hand.services)).toBe(1)
  await work()
  expect(await statusOf(swap)).toBe('refunded')
  const returned = (await payoutsOf(swap)).find(({ to_address }) => to_address === home)
  expect(returned?.state).toBe('confirmed')
  expect(returned?.units).toBeLessThanOrEqual(brought)
})

test('proceeds are not corrected once something was paid from them, and never upwards', async () => {
  const { swap, brought } = await soldFor(1n)
  const id = swap.view.swap.id
  const words = (units: bigint) => ['swap', 'proceeds', '--id', id, '--units', `${units}`]
  await expect(admin(hand.services, ...words(brought + 1n))).rejects.toThrow('below')
  const before = await payoutsOf(swap)
  await correctProceeds(hand.services, { swapId: id, units: `${brought - 1n}` })
  expect(await payoutsOf(swap)).toEqual(before)
})

test('approvals of implausible proceeds by one operator count together', async () => {
  const { swap } = await soldFor(3n)
  const answers: string[] = []
  for (const { id } of (await payoutsOf(swap)).slice(1)) {
    const words = await holdWords(hand.services.database, id)
    answers.push(await asked(() => 30, 'payout', 'approve', ...words))
  }
  expect(answers.map((answer) => answer.includes('nothing is done yet'))).toEqual([false, true])
})
