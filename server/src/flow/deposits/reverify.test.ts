/**
 * After a reorg one answer proves nothing, since a node may follow the abandoned branch. A deposit that no node can
 * locate delays neither other deposits nor the alarm for missing coins.
 */

import { type ChainAdapter, RetryLater } from '@causeway/core'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { holdOf, holdWords } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { changeBlocksFrom, readClock } from '../../store/deposits/observations.ts'
import { ledgerUnits } from '../../store/ledger/balances.ts'
import { listHalts } from '../../store/limits/halts.ts'
import type { DepositRow } from '../../store/swaps/swaps.ts'
import { sweepAddresses } from '../kinds/sweep.ts'
import { isSnapshotComparable } from '../reconciliation/comparable.ts'
import { reconcile } from '../reconciliation/reconcile.ts'
import { requeueMissingJobs } from '../run/requeue.ts'
import { inspectHint as followHint } from '../watch/deposit-hint.ts'
import { watchlistOf } from './receivers.ts'
import { recordObservations, recordSightings } from './record-observations.ts'

const [FROM, TO] = ['ALPHA', 'BETA'] as const
const [TIER, FINAL] = [2, 6]
const STUCK = 'no node says where a deposit stands since its block was replaced'

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

const adapter = () => chainOf(hand.services.chains, FROM)

async function mine(blocks = 1, network: string = FROM): Promise<void> {
  hand.chain(network).mine(blocks)
  await hand.watch(network)
}

async function rowOf(hash: string): Promise<DepositRow> {
  const row = hand.services.database.selectFrom('deposit').selectAll().where('tx_hash', '=', hash)
  return row.where('replaced', '=', false).executeTakeFirstOrThrow()
}

const looksOf = (hash: string) =>
  hand.services.database.selectFrom('deposit_look').select(['class', 'since']).where('tx_hash', '=', hash).execute()

/** Orphaned blocks that observations name. */
async function orphanedBlocks(): Promise<string[]> {
  const { rows } = await sql<{ hash: string }>`select hash from deposit_block where state = 'orphaned'`.execute(
    hand.services.database,
  )
  return rows.map(({ hash }) => hash)
}

/** A deposit with this many confirmations, whose payout is paused. */
async function waitingDeposit(blocks = TIER) {
  const { services } = hand
  await admin(services, 'switch', 'pause', '--scope', 'service', '--what', 'payouts', '--reason', 'a look')
  await services.safeguards.refresh()
  const swap = await hand.swap(FROM, TO)
  const hash = hand.deposit(swap)
  await mine(blocks)
  await hand.runJobs()
  return { swap, hash }
}

/** Replaces the node's answer about this transaction, `times` times; then the true answer returns. */
function answers(hash: string, instead: ChainAdapter['inspect'], times = Number.POSITIVE_INFINITY): { truly(): void } {
  const chain = adapter()
  const { inspect } = chain
  let left = times
  chain.inspect = (txHash, ours) => (txHash === hash && left-- > 0 ? instead : inspect)(txHash, ours)
  return { truly: () => (left = 0) }
}

/** A node that still follows the branch that has the deposit now. */
async function oldBranch(hash: string): Promise<ChainAdapter['inspect']> {
  const old = await adapter().inspect(hash, watchlistOf(hand.services, adapter()))
  expect(old).toMatchObject({ state: 'included' })
  return async () => old
}

const unanswered: ChainAdapter['inspect'] = async () => {
  throw new RetryLater('the answer is larger than this node sends')
}

async function paidAfterAll(swap: Awaited<ReturnType<Hand['swap']>>): Promise<bigint> {
  await admin(hand.services, 'switch', 'resume', '--scope', 'service')
  return paid(swap)
}

/** The amount paid after held payouts were rechecked. */
async function paid({ view: { swap } }: Awaited<ReturnType<Hand['swap']>>): Promise<bigint> {
  hand.passTime(10 * 60_000)
  await requeueMissingJobs(hand.services)
  await hand.runJobs()
  await mine(FINAL + 1, TO)
  return hand.chain(TO).balance(swap.destinationAddress, swap.destination.contract)
}

test.each([1, 2, 5])(
  'a deposit that vanished is not paid, whatever the old branch says of it (%s times)',
  async (times) => {
    const { swap, hash } = await waitingDeposit()
    expect((await rowOf(hash)).state).toBe('confirmed')
    answers(hash, await oldBranch(hash), times)
    hand.chain(FROM).reorg(TIER, 'dropped')
    await mine(TIER + 1)
    for (let round = 0; round < times; round++) await mine(FINAL)
    expect((await rowOf(hash)).state).toBe('gone')
    expect(await paidAfterAll(swap)).toBe(0n)
  },
)

test('a pending deposit is not credited by a node on the old branch', async () => {
  const { hash } = await waitingDeposit(1)
  expect((await rowOf(hash)).state).toBe('seen')
  const old = await oldBranch(hash)
  answers(hash, async (...given) => ({ ...(await old(...given)), confirmations: TIER }) as never)
  hand.chain(FROM).reorg(1, 'dropped')
  await mine(TIER)
  await mine()
  expect((await rowOf(hash)).state).toBe('seen')
  await mine(FINAL)
  expect((await rowOf(hash)).state).toBe('gone')
  // Neither an inspection of orphaned deposits nor a client's hint finds it there again.
  await mine()
  await followHint(hand.services, FROM, hash)
  expect((await rowOf(hash)).state).toBe('gone')
})

test('a deposit that the scan shows in its new block is verified', async () => {
  const { hash } = await waitingDeposit()
  const before = await rowOf(hash)
  hand.chain(FROM).reorg(TIER, 'returned')
  await mine(TIER + 1)
  const now = await rowOf(hash)
  expect(now.block_hash).not.toBe(before.block_hash)
  expect([now.state, await looksOf(hash), await orphanedBlocks()]).toEqual(['confirmed', [], [before.block_hash]])
  await mine(FINAL)
  expect((await rowOf(hash)).final).toBe(true)
})

test('so is one in an abandoned block that the chain returns to', async () => {
  const { hash } = await waitingDeposit()
  const { services } = hand
  const { block_number, block_hash } = await rowOf(hash)
  await services.database.transaction().execute(async (queries) => {
    const clock = await readClock(queries, FROM)
    const also = await changeBlocksFrom(queries, FROM, block_number ?? 0n, 'orphaned', clock)
    await recordObservations(services, queries, adapter(), [], { also })
  })
  expect([await looksOf(hash), await orphanedBlocks()]).toMatchObject([[{ class: 'reverify' }], [block_hash]])
  const found = await adapter().inspect(hash, watchlistOf(services, adapter()))
  const sightings = 'sightings' in found ? found.sightings : []
  await services.database
    .transaction()
    .execute((queries) => recordSightings(services, queries, adapter(), sightings, 'scan'))
  expect([(await rowOf(hash)).state, await looksOf(hash), await orphanedBlocks()]).toEqual(['confirmed', [], []])
})

test('a scan on another branch that was not stored changes nothing', async () => {
  const { hash } = await waitingDeposit(1)
  const chain = adapter()
  const { scan } = chain
  hand.node(FROM).stray(TIER)
  // The scan fails before its position is stored.
  chain.scan = async (...given) => ({ ...(await scan(...given)), next: '\u0000' })
  await hand.watch(FROM).catch(() => undefined)
  chain.scan = scan
  hand.node(FROM).rejoin()
  for (let round = 0; round <= FINAL; round++) await mine()
  expect(await rowOf(hash)).toMatchObject({ state: 'confirmed', final: true })
  expect(await orphanedBlocks()).toEqual([])
})

test('a deposit reported only by a node is final only after an inspection at final depth', async () => {
  const { hash } = await waitingDeposit()
  const chain = adapter()
  const { scan } = chain
  // The scan does not report it again.
  chain.scan = async (...given) => ({ ...(await scan(...given)), sightings: [] })
  hand.chain(FROM).reorg(TIER, 'returned')
  await mine(TIER + 1)
  const { block_number } = await rowOf(hash)
  expect(await looksOf(hash)).toEqual([{ class: 'reverify', since: BigInt(hand.chain(FROM).height) }])
  const block = Number(block_number)
  await mine(block + FINAL - 2 - hand.chain(FROM).height)
  expect(await rowOf(hash)).toMatchObject({ state: 'confirmed', final: false })
  expect(await looksOf(hash)).toMatchObject([{ class: 'reverify' }])
  await mine()
  expect(await looksOf(hash)).toEqual([])
  await mine()
  expect((await rowOf(hash)).final).toBe(true)
})

/** After an ordinary reorg no node can locate one deposit. */
async function stuckDeposit() {
  const { hash } = await waitingDeposit()
  const node = answers(hash, unanswered)
  hand.chain(FROM).reorg(TIER, 'dropped')
  await mine(TIER + 1)
  return { hash, node }
}

test('an unlocatable deposit alerts once, delays no other, and is found when a node answers', async () => {
  const told = vi.spyOn(hand.services.log, 'error')
  const alerts = vi.spyOn(hand.services.metrics.alerts, 'inc')
  const timesTold = () => told.mock.calls.filter(([, line]) => line === STUCK).length
  const { hash, node } = await stuckDeposit()
  const other = hand.deposit(await hand.swap(FROM, TO))
  await mine(FINAL - 1)
  expect(timesTold()).toBe(0)
  expect(
    await isSnapshotComparable(hand.services, adapter(), adapter().network.nativeToken, adapter().treasury, 'too much'),
  ).toBe(false)
  for (let round = 0; round < 4; round++) await mine()
  expect([timesTold(), alerts.mock.calls.length]).toEqual([1, 1])
  expect(
    await isSnapshotComparable(hand.services, adapter(), adapter().network.nativeToken, adapter().treasury, 'too much'),
  ).toBe(true)
  expect((await rowOf(other)).final).toBe(true)
  expect(await rowOf(hash)).toMatchObject({ state: 'confirmed', final: false })
  expect(await looksOf(hash)).toMatchObject([{ class: 'unlocatable' }])
  node.truly()
  await mine()
  expect((await rowOf(hash)).state).toBe('gone')
})

const payoutOf = ({ view: { swap } }: Awaited<ReturnType<Hand['swap']>>) =>
  hand.services.database.selectFrom('payout').selectAll().where('swap_id', '=', swap.id).executeTakeFirstOrThrow()

test('nothing is paid for a deposit whose block was replaced until the scan shows it again', async () => {
  const { swap, hash } = await waitingDeposit()
  answers(hash, unanswered)
  const chain = adapter()
  const { scan } = chain
  chain.scan = async (...given) => ({ ...(await scan(...given)), sightings: [] })
  hand.chain(FROM).reorg(TIER, 'returned')
  await mine(TIER + 1)
  expect(await paidAfterAll(swap)).toBe(0n)
  const { id, started } = await payoutOf(swap)
  expect(started).toBe(false)
  expect(await holdOf(hand.services.database, id)).toEqual({ code: 'deposit_reverifying', txHash: hash })
  // An approval does not prove where the deposit is.
  const approval = admin(hand.services, 'payout', 'approve', ...(await holdWords(hand.services.database, id)))
  await expect(approval).rejects.toThrow('an approval does not lift this hold')
  expect(await paid(swap)).toBe(0n)
  chain.scan = scan
  hand.chain(FROM).reorg(TIER + 1, 'returned')
  await mine(TIER + 2)
  expect(await paid(swap)).not.toBe(0n)
})

test('if no node locates it for the final depth, an operator decides whether to pay', async () => {
  const { swap, hash } = await waitingDeposit()
  answers(hash, unanswered)
  hand.chain(FROM).reorg(TIER, 'dropped')
  await mine(TIER + 1)
  for (let round = 0; round <= FINAL; round++) await mine()
  expect(await paidAfterAll(swap)).toBe(0n)
  const { id } = await payoutOf(swap)
  expect(await holdOf(hand.services.database, id)).toEqual({ code: 'deposit_unlocatable', txHash: hash })
  await admin(hand.services, 'payout', 'approve', ...(await holdWords(hand.services.database, id)))
  expect(await paid(swap)).not.toBe(0n)
})

test('an answer about one unlocatable deposit of a swap does not cover another', async () => {
  const { services } = hand
  await admin(services, 'switch', 'pause', '--scope', 'service', '--what', 'payouts', '--reason', 'a look')
  await services.safeguards.refresh()
  const swap = await hand.swap(FROM, TO)
  const hashes = [sendPart(swap, 'one'), sendPart(swap, 'two')]
  await mine(FINAL - 1)
  expect(await Promise.all(hashes.map(async (hash) => (await rowOf(hash)).state))).toEqual(['confirmed', 'confirmed'])
  for (const hash of hashes) answers(hash, unanswered)
  hand.chain(FROM).reorg(FINAL - 1, 'dropped')
  await mine(FINAL)
  for (let round = 0; round <= FINAL; round++) await mine()
  expect(await paidAfterAll(swap)).toBe(0n)
  const { id } = await payoutOf(swap)
  const hold = await holdOf(services.database, id)
  expect(hashes.filter((txHash) => hold?.code === 'deposit_unlocatable' && hold.txHash === txHash)).toHaveLength(1)
  await admin(services, 'payout', 'approve', ...(await holdWords(hand.services.database, id)))
  expect(await paid(swap), 'nobody was asked about the other part').toBe(0n)
})

/** Sends half of the swap's amount. */
function sendPart({ view: { swap, reference, receiver } }: Awaited<ReturnType<Hand['swap']>>, name: string): string {
  const { contract } = swap.source
  const chain = hand.chain(FROM)
  const payer = accountFrom(`part ${name}`)
  const units = (swap.requestedUnits ?? 0n) / 2n
  chain.mint(payer.address, null, chain.feePerMove)
  chain.mint(payer.address, contract, units)
  const moves = [{ from: payer.address, to: receiver, contract, units }]
  const transfer = { network: FROM, account: payer.address, nonce: chain.nonce(payer.address), fee: chain.feePerMove }
  chain.submit(signedBy({ ...transfer, memo: `${reference}`, moves }, payer))
  return chain.mempool.at(-1)?.hash ?? ''
}

const usdc = () => adapter().network.tokens.find(({ symbol }) => symbol === 'USDC')

async function openBooks(): Promise<void> {
  await reconcile(hand.services)
  await mine(FINAL)
  await reconcile(hand.services)
}

/** Reconciles once a minute until the wallet is halted. */
async function looksUntilHalted(most: number): Promise<number> {
  for (let look = 1; look <= most; look++) {
    await mine()
    hand.passTime(60_000)
    await reconcile(hand.services)
    if ((await listHalts(hand.services.database)).length > 0) return look
  }
  return Number.POSITIVE_INFINITY
}

test('missing coins halt the wallet at once, although one deposit cannot be located', async () => {
  await openBooks()
  await stuckDeposit()
  hand.chain(FROM).mint(adapter().treasury, usdc()?.contract ?? null, -1_000_000_000n)
  expect(await looksUntilHalted(25)).toBe(2)
})

test('missing coins are reported, although an unlocatable deposit has the same amount', async () => {
  await openBooks()
  const hash = hand.deposit(await hand.swap(FROM, TO))
  answers(hash, unanswered)
  await mine(FINAL + 1)
  const { state, units } = await rowOf(hash)
  expect(state).toBe('seen')
  expect(await looksUntilHalted(5), 'nothing is missing yet').toBe(Number.POSITIVE_INFINITY)
  hand.chain(FROM).mint(adapter().treasury, usdc()?.contract ?? null, -units)
  expect(await looksUntilHalted(4 * FINAL)).toBeLessThan(4 * FINAL)
})

test('a deposit in reverification halts no wallet, and explains only its own amount', async () => {
  await openBooks()
  const { hash, node } = await stuckDeposit()
  expect(await looksUntilHalted(3)).toBe(Number.POSITIVE_INFINITY)
  node.truly()
  expect(await looksUntilHalted(2 * FINAL)).toBe(Number.POSITIVE_INFINITY)
  expect((await rowOf(hash)).state).toBe('gone')
})

test('missing coins hidden by an unlocatable deposit are reported after the final depth', async () => {
  await openBooks()
  await stuckDeposit()
  expect(await looksUntilHalted(3 * FINAL)).toBeLessThan(2 * FINAL)
})

test('a sweep is booked with its own amount, even while a reorg may have removed a deposit', async () => {
  const { services } = hand
  const swap = await hand.swap(FROM, TO, { useDepositAddress: true })
  hand.deposit(swap)
  await mine(TIER)
  await services.refresh()
  await sweepAddresses(services)
  await hand.runJobs()
  const sweep = () =>
    services.database.selectFrom('payout').select('state').where('kind', '=', 'sweep').executeTakeFirstOrThrow()
  const booked = () => ledgerUnits(services.database, swap.view.receiver, swap.view.swap.source)
  await mine(FINAL - TIER - 1)
  const hash = hand.deposit(swap)
  await mine(TIER)
  expect([await rowOf(hash), await sweep()]).toMatchObject([{ state: 'confirmed' }, { state: 'open' }])
  const node = answers(hash, unanswered)
  hand.chain(FROM).reorg(TIER, 'dropped')
  await mine(TIER + 2)
  const inDoubt = await rowOf(hash)
  expect([inDoubt, await sweep()]).toMatchObject([{ state: 'confirmed', swept_by: null }, { state: 'confirmed' }])
  expect(await booked()).toBe(inDoubt.units)
  node.truly()
  await mine()
  await mine()
  expect((await rowOf(hash)).state).toBe('gone')
  expect(await booked()).toBe(0n)
})
