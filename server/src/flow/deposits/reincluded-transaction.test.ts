/** A transaction re-mined after a reorg is judged by its new content, and all money that arrived stays listed. */
import { type ChainAdapter, RetryLater, type Sighting, type Token } from '@causeway/core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { listUnmatched } from '../../store/deposits/unmatched.ts'
import { ledgerUnits } from '../../store/ledger/balances.ts'
import type { DepositRow } from '../../store/swaps/swaps.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { isSnapshotComparable } from '../reconciliation/comparable.ts'
import { inspectHint } from '../watch/deposit-hint.ts'

const FROM = 'ALPHA'
const TO = 'BETA'
const TIER = 2
const FINAL = 6

let database: TestDatabase
let hand: Hand
let untouched: Pick<ChainAdapter, 'scan' | 'inspect'>
let usdc: Token
let native: Token
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  const { scan, inspect } = chainOf(hand.services.chains, FROM)
  untouched = { scan, inspect }
  const network = hand.services.catalogue.network(FROM)
  native = network.nativeToken
  usdc = network.tokens.find(({ contract }) => contract !== null) ?? native
})
beforeEach(() => asItIs())
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

const adapter = () => chainOf(hand.services.chains, FROM)

/** From now on the transaction shows this transfer instead of the original one; null: none. */
function shows(hash: string, change: ((was: Sighting) => Sighting) | null): void {
  const changed = (sightings: Sighting[]) =>
    sightings.flatMap((each) => (each.txHash !== hash ? [each] : change ? [change(each)] : []))
  Object.assign(adapter(), {
    scan: async (...given: Parameters<ChainAdapter['scan']>) => {
      const found = await untouched.scan(...given)
      return { ...found, sightings: changed(found.sightings) }
    },
    inspect: async (...given: Parameters<ChainAdapter['inspect']>) => {
      const found = await untouched.inspect(...given)
      return 'sightings' in found ? { ...found, sightings: changed(found.sightings) } : found
    },
  })
}

function asItIs(): void {
  Object.assign(adapter(), untouched)
}

async function mine(blocks = 1, network = FROM): Promise<void> {
  hand.chain(network).mine(blocks)
  await hand.watch(network)
}

/** Replaces the newest blocks. Their transactions are re-mined in the next one. */
async function reorg(depth: number): Promise<void> {
  hand.chain(FROM).reorg(depth, 'returned')
  await mine(depth + 1)
}

async function rowsOf(hash: string): Promise<DepositRow[]> {
  const rows = hand.services.database.selectFrom('deposit').selectAll().where('tx_hash', '=', hash)
  return rows.orderBy('replaced', 'desc').orderBy('seen_at').execute()
}
const stateOf = async (hash: string) =>
  (await rowsOf(hash)).map(({ state, replaced, swap_id }) => [state, replaced ? 'replaced' : 'live', swap_id])

const unmatched = async (hash: string) =>
  (await listUnmatched(hand.services.database, 500)).filter(({ tx_hash }) => tx_hash === hash)
const statusOf = async ({ view }: CreatedSwap) =>
  (
    await hand.services.database
      .selectFrom('swap')
      .select('status')
      .where('id', '=', view.swap.id)
      .executeTakeFirstOrThrow()
  ).status
const payoutsOf = ({ view }: CreatedSwap) =>
  hand.services.database
    .selectFrom('payout')
    .select(['kind', 'state'])
    .where('swap_id', '=', view.swap.id)
    .orderBy('number')
    .execute()
const idOf = ({ view }: CreatedSwap) => view.swap.id

async function paidOut(): Promise<{ swap: CreatedSwap; hash: string; units: bigint }> {
  const swap = await hand.swap(FROM, TO)
  const hash = hand.deposit(swap)
  await mine(TIER)
  await hand.runJobs()
  await mine(TIER, TO)
  expect(await statusOf(swap)).toBe('completed')
  return { swap, hash, units: swap.view.swap.requestedUnits ?? 0n }
}

test('another token at the same index is not credited as the first one, but unmatched', async () => {
  const swap = await hand.swap(FROM, TO)
  const hash = hand.deposit(swap)
  await mine()
  shows(hash, (was) => ({ ...was, amount: { token: native, units: was.amount.units } }))
  await mine(TIER)
  await mine()
  expect(await stateOf(hash)).toEqual([
    ['gone', 'replaced', idOf(swap)],
    ['confirmed', 'live', null],
  ])
  expect((await unmatched(hash)).map(({ token, units }) => [token, units])).toEqual([['native', 50_000_000n]])
  expect(await statusOf(swap)).toBe('user_transfer_pending')
})

test('another reference at the same index makes it a deposit of the swap that it names now', async () => {
  const [first, second] = [await hand.swap(FROM, TO), await hand.swap(FROM, TO)]
  const hash = hand.deposit(first)
  await mine()
  shows(hash, (was) => ({ ...was, reference: second.view.reference }))
  await mine(TIER)
  await mine()
  expect(await stateOf(hash)).toEqual([
    ['gone', 'replaced', idOf(first)],
    ['confirmed', 'live', idOf(second)],
  ])
  expect([await statusOf(first), await statusOf(second)]).toEqual(['user_transfer_pending', 'ls_transfer_pending'])
})

test('another sender makes it another deposit: this sender is screened and refunded', async () => {
  const swap = await hand.swap(FROM, TO)
  const hash = hand.deposit(swap)
  await mine()
  const [before] = await rowsOf(hash)
  const other = accountFrom('somebody else').address
  const contract = accountFrom('a contract').address
  shows(hash, (was) => ({ ...was, refundableSender: other, fundingAddresses: [other, contract] }))
  await mine(TIER)
  await mine()
  const [old, now] = await rowsOf(hash)
  expect([old?.id, old?.state]).toEqual([before?.id, 'gone'])
  expect(now).toMatchObject({
    state: 'confirmed',
    from_address: other,
    senders: [other, contract],
    swap_id: idOf(swap),
  })
  expect((await payoutsOf(swap)).map(({ kind }) => kind)).toEqual(['output'])
})

test('a node that knows only some senders does not change the deposit, and no sender is forgotten', async () => {
  const swap = await hand.swap(FROM, TO)
  const hash = hand.deposit(swap)
  await mine()
  const [from = ''] = (await rowsOf(hash))[0]?.senders ?? []
  const beside = accountFrom('beside').address
  shows(hash, (was) => ({ ...was, refundableSender: null, fundingAddresses: [beside, from] }))
  await mine(TIER)
  expect(await rowsOf(hash)).toMatchObject([{ state: 'confirmed', from_address: null, senders: [from, beside] }])
})

test('a deposit re-mined with more or less before its credit is credited with the new amount', async () => {
  for (const change of [1n, -1n]) {
    const swap = await hand.swap(FROM, TO)
    const hash = hand.deposit(swap)
    await mine()
    shows(hash, (was) => ({ ...was, amount: { ...was.amount, units: was.amount.units + change } }))
    await mine()
    expect(await rowsOf(hash)).toMatchObject([{ state: 'confirmed', units: 50_000_000n + change, replaced: false }])
  }
})

test('an unmatched deposit is booked with its amount, and reversed with the same amount', async () => {
  const before = await ledgerUnits(hand.services.database, adapter().treasury, usdc)
  const swap = await hand.swap(FROM, TO)
  const hash = hand.deposit(swap)
  shows(hash, (was) => ({ ...was, reference: null }))
  await mine()
  shows(hash, (was) => ({ ...was, reference: null, amount: { ...was.amount, units: 990n } }))
  await mine()
  expect(await ledgerUnits(hand.services.database, adapter().treasury, usdc)).toBe(before + 990n)
  shows(hash, null)
  await reorg(TIER)
  expect((await rowsOf(hash)).map(({ state }) => state)).toEqual(['gone'])
  expect(await ledgerUnits(hand.services.database, adapter().treasury, usdc)).toBe(before)
})

test('a credited deposit whose transaction transfers nothing any more is orphaned', async () => {
  const swap = await hand.swap(FROM, TO)
  const hash = hand.deposit(swap)
  await mine(TIER)
  expect(await statusOf(swap)).toBe('ls_transfer_pending')
  shows(hash, null)
  await reorg(TIER)
  expect(await stateOf(hash)).toEqual([['gone', 'live', idOf(swap)]])
  expect([await statusOf(swap), await payoutsOf(swap)]).toEqual([
    'user_transfer_pending',
    [{ kind: 'output', state: 'abandoned' }],
  ])
})

test('an unspent credited deposit that is re-mined with less is judged again', async () => {
  const swap = await hand.swap(FROM, TO)
  const hash = hand.deposit(swap)
  await mine(TIER)
  shows(hash, (was) => ({ ...was, amount: { ...was.amount, units: 1_000n } }))
  await reorg(TIER)
  expect(await rowsOf(hash)).toMatchObject([{ units: 1_000n, replaced: false }])
  await mine(TIER)
  expect(await rowsOf(hash)).toMatchObject([{ state: 'confirmed', units: 1_000n, output_units: 0n }])
  expect(await statusOf(swap)).toBe('user_transfer_pending')
})

test('a deposit at the index of a lost one waits for an operator, and is not paid automatically', async () => {
  const { swap, hash, units } = await paidOut()
  const before = await ledgerUnits(hand.services.database, adapter().treasury, usdc)
  const other = accountFrom('a third').address
  const sender = { refundableSender: other, fundingAddresses: [other] }
  shows(hash, (was) => ({ ...was, ...sender, amount: { ...was.amount, units: units - 7n } }))
  await reorg(TIER)
  await mine(TIER)
  expect(await stateOf(hash)).toEqual([
    ['lost', 'replaced', idOf(swap)],
    ['confirmed', 'live', null],
  ])
  expect((await unmatched(hash)).map((row) => row.units)).toEqual([units - 7n])
  expect(await payoutsOf(swap)).toEqual([{ kind: 'output', state: 'confirmed' }])
  // The ledger shows the present state: one deposit is gone, another has arrived.
  expect(await ledgerUnits(hand.services.database, adapter().treasury, usdc)).toBe(before - 7n)
  asItIs()
  await reorg(FINAL - 1)
  await mine(TIER)
  // The first deposit is back at its index: the loss is reversed, and the deposit that had replaced it no longer
  // counts.
  const states = (await rowsOf(hash)).map(({ state, replaced, swap_id }) => [state, replaced, swap_id])
  expect(states).toEqual([
    ['gone', true, null],
    ['confirmed', false, idOf(swap)],
  ])
  expect(await ledgerUnits(hand.services.database, adapter().treasury, usdc)).toBe(before)
  expect(await payoutsOf(swap)).toEqual([{ kind: 'output', state: 'confirmed' }])
})

test('a lost deposit explains a surplus only while its transaction transfers it', async () => {
  const { hash } = await paidOut()
  const isSettledNow = () => isSnapshotComparable(hand.services, adapter(), usdc, adapter().treasury, 'too much')
  shows(hash, null)
  await reorg(TIER)
  await mine(TIER)
  expect((await stateOf(hash)).map(([state]) => state)).toEqual(['lost'])
  expect(await isSettledNow()).toBe(true)
  asItIs()
  expect(await isSettledNow()).toBe(false)
  await reorg(FINAL - 1)
  await mine(TIER)
})

test('so does a deposit that was orphaned unspent', async () => {
  const hash = hand.deposit(await hand.swap(FROM, TO))
  await mine(TIER)
  shows(hash, null)
  await reorg(TIER)
  expect((await stateOf(hash)).map(([state]) => state)).toEqual(['gone'])
  const isSettledNow = () => isSnapshotComparable(hand.services, adapter(), usdc, adapter().treasury, 'too much')
  expect(await isSettledNow()).toBe(true)
  asItIs()
  expect(await isSettledNow()).toBe(false)
  for (const seenThenCounted of [1, 2]) await mine(seenThenCounted)
  expect((await stateOf(hash)).map(([state]) => state)).toEqual(['confirmed'])
  expect(await isSettledNow()).toBe(true)
})

test('another deposit of the same transaction does not explain a surplus', async () => {
  const swap = await hand.swap(FROM, TO, { useDepositAddress: true })
  const { receiver } = swap.view
  const simulated = hand.chain(FROM)
  const payer = accountFrom('one who pays in two parts')
  const moves = [20_000_000n, 30_000_000n].map((units) => ({
    ...{ from: payer.address, to: receiver, contract: usdc.contract, units },
  }))
  for (const { units } of moves) simulated.mint(payer.address, usdc.contract, units)
  const fee = 2n * simulated.feePerMove
  simulated.mint(payer.address, null, fee)
  const nonce = simulated.nonce(payer.address)
  simulated.submit(signedBy({ network: FROM, account: payer.address, nonce, fee, memo: null, moves }, payer))
  const hash = simulated.mempool.at(-1)?.hash ?? ''
  await mine(TIER)
  await mine()
  await hand.runJobs()
  for (let time = 0; time < 2; time++) await mine(TIER, TO)
  const first = (sightings: Sighting[]) => sightings.filter(({ txHash, index }) => txHash !== hash || index === 0)
  Object.assign(adapter(), {
    scan: async (...given: Parameters<ChainAdapter['scan']>) => {
      const found = await untouched.scan(...given)
      return { ...found, sightings: first(found.sightings) }
    },
    inspect: async (...given: Parameters<ChainAdapter['inspect']>) => {
      const found = await untouched.inspect(...given)
      return 'sightings' in found ? { ...found, sightings: first(found.sightings) } : found
    },
  })
  await reorg(TIER + 1)
  await mine(TIER)
  expect((await rowsOf(hash)).map(({ index, state }) => [index, state]).toSorted()).toEqual([
    [0, 'confirmed'],
    [1, 'lost'],
  ])
  expect(await isSnapshotComparable(hand.services, adapter(), usdc, receiver, 'too much')).toBe(true)
})

test('a lost deposit that returns with less than was spent is listed, not credited as the whole', async () => {
  const { swap, hash, units } = await paidOut()
  shows(hash, (was) => ({ ...was, amount: { ...was.amount, units: units / 2n } }))
  await reorg(TIER)
  await mine(TIER)
  expect(await stateOf(hash)).toEqual([
    ['lost', 'replaced', idOf(swap)],
    ['confirmed', 'live', null],
  ])
  expect((await unmatched(hash)).map((row) => row.units)).toEqual([units / 2n])
})

test('a hint that contradicts a credited deposit changes nothing, but schedules an inspection', async () => {
  const swap = await hand.swap(FROM, TO)
  const hash = hand.deposit(swap)
  await mine(TIER)
  shows(hash, (was) => ({ ...was, amount: { token: native, units: was.amount.units } }))
  await inspectHint(hand.services, FROM, hash)
  expect(await stateOf(hash)).toEqual([['confirmed', 'live', idOf(swap)]])
  asItIs()
  await mine()
  expect(await stateOf(hash)).toEqual([['confirmed', 'live', idOf(swap)]])
  shows(hash, (was) => ({ ...was, amount: { token: native, units: was.amount.units } }))
  await inspectHint(hand.services, FROM, hash)
  await mine()
  expect(await stateOf(hash)).toEqual([
    ['gone', 'replaced', idOf(swap)],
    ['confirmed', 'live', null],
  ])
})

test('a quote is kept by a mined deposit, not by a transaction that waits in the mempool', async () => {
  const hash = hand.deposit(await hand.swap(FROM, TO))
  shows(hash, (was) => ({ ...was, block: null }))
  const { inspect } = adapter()
  adapter().inspect = async (...given) => ({ ...(await inspect(...given)), state: 'pending', sightings: [] })
  await mine()
  expect((await rowsOf(hash))[0]?.block_hash).toBeNull()
  hand.passTime(60_000)
  asItIs()
  await inspectHint(hand.services, FROM, hash)
  expect((await rowsOf(hash))[0]?.seen_at).toEqual(hand.services.now())
})

test('a mempool deposit that transfers nothing once mined does not stay pending for ever', async () => {
  const swap = await hand.swap(FROM, TO)
  const hash = hand.deposit(swap)
  await inspectHint(hand.services, FROM, hash)
  expect(await stateOf(hash)).toEqual([['seen', 'live', idOf(swap)]])
  shows(hash, null)
  await mine(TIER)
  expect(await stateOf(hash)).toEqual([['gone', 'live', idOf(swap)]])
})

test('an unanswered inspection after a reorg is repeated', async () => {
  const swap = await hand.swap(FROM, TO)
  const hash = hand.deposit(swap)
  await mine(TIER)
  shows(hash, null)
  const { inspect: look } = adapter()
  Object.assign(adapter(), { inspect: () => Promise.reject(new RetryLater('the node does not answer')) })
  await reorg(TIER)
  expect(await stateOf(hash)).toEqual([['confirmed', 'live', idOf(swap)]])
  Object.assign(adapter(), { inspect: look })
  await mine()
  expect(await stateOf(hash)).toEqual([['gone', 'live', idOf(swap)]])
})

test('two hundred lost deposits do not delay the credit of another', async () => {
  const { services } = hand
  const [template] = await rowsOf((await paidOut()).hash)
  if (!template) throw new Error('no deposit')
  const { id: _, ...lost } = { ...template, state: 'lost' as const, block_number: 1n }
  const rows = Array.from({ length: 220 }, (_, n) => ({ ...lost, tx_hash: `lost ${n}` }))
  await services.database.insertInto('deposit').values(rows).execute()
  const hash = hand.deposit(await hand.swap(FROM, TO))
  await mine(TIER)
  expect((await rowsOf(hash)).map(({ state }) => state)).toEqual(['confirmed'])
})
