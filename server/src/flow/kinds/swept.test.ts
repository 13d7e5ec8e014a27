/** A sweep is booked with exactly what its own transaction moved, whatever its addresses hold when that is read. */
import { type ChainAdapter, RetryLater, tokenKey } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import type { Move } from '../../../../chains/simulated/src/transaction.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { ledgerUnits } from '../../store/ledger/balances.ts'
import { listHalts } from '../../store/limits/halts.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { reconcile } from '../reconciliation/reconcile.ts'
import { sweepAddresses } from './sweep.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const [TIER, FINAL] = [2, 6]
const DAY_MS = 86_400_000
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

const chain = (): ChainAdapter => chainOf(hand.services.chains, FROM)
const address = () => hand.swap(FROM, TO, { useDepositAddress: true })

function give({ view }: CreatedSwap, units: bigint, label: string): void {
  const simulated = hand.chain(FROM)
  const { contract } = view.swap.source
  const payer = accountFrom(label)
  simulated.mint(payer.address, null, simulated.feePerMove)
  simulated.mint(payer.address, contract, units)
  const moves = [{ from: payer.address, to: view.receiver, contract, units }]
  const nonce = simulated.nonce(payer.address)
  const paid = { network: FROM, account: payer.address, nonce, fee: simulated.feePerMove, memo: null, moves }
  simulated.submit(signedBy(paid, payer))
}

async function pass(blocks: number): Promise<void> {
  hand.chain(FROM).mine(blocks)
  await hand.watch(FROM)
}

async function credited(...gifts: [CreatedSwap, bigint][]): Promise<void> {
  for (const [place, [swap, units]] of gifts.entries()) give(swap, units, `giver ${place} ${swap.view.receiver}`)
  await pass(TIER)
  await pass(TIER)
}

async function sweep(): Promise<void> {
  await hand.services.refresh()
  await sweepAddresses(hand.services)
  await hand.runJobs()
}

/** Lets the waiting sweep move something else, as a sweep by a contract may. */
function alterSweep(change: (moves: readonly Move[]) => Move[]): void {
  const simulated = hand.chain(FROM)
  const waiting = simulated.mempool.find(({ account }) => account === chain().treasury)
  if (!waiting) throw new Error('no sweep waits')
  simulated.alter(waiting.hash, change(waiting.moves))
}

/** Everything that a running service does over a long time. */
async function liveOn(): Promise<void> {
  for (let round = 0; round < 4; round++) {
    hand.passTime(DAY_MS)
    await pass(FINAL)
    await reconcile(hand.services)
    await sweep()
    await pass(FINAL)
  }
}

const lying = ({ view }: CreatedSwap) => hand.chain(FROM).balance(view.receiver, view.swap.source.contract)
const booked = ({ view }: CreatedSwap) => ledgerUnits(hand.services.database, view.receiver, view.swap.source)

async function expectBooksEqualChain(...swaps: CreatedSwap[]): Promise<void> {
  for (const swap of swaps) expect(await booked(swap), swap.view.receiver).toBe(lying(swap))
  for (const token of chain().network.tokens)
    expect(await ledgerUnits(hand.services.database, chain().treasury, token), token.symbol).toBe(
      hand.chain(FROM).balance(chain().treasury, token.contract),
    )
  expect(await listHalts(hand.services.database)).toEqual([])
}

const parts = () =>
  hand.services.database.selectFrom('sweep_source').select(['address', 'token', 'units']).orderBy('units').execute()

const sweptOf = async ({ view }: CreatedSwap) => {
  const deposits = hand.services.database.selectFrom('deposit').select(['units', 'swept_by', 'emptied'])
  const rows = await deposits.where('to_address', '=', view.receiver).orderBy('units').execute()
  return rows.map(({ units, swept_by, emptied }) => [units, emptied ? 'emptied' : swept_by !== null])
}

/** The ledger knows what the wallet held before: then nothing that it lacks can hide. */
async function opened(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await reconcile(hand.services)
    await pass(FINAL)
  }
  await reconcile(hand.services)
}

test('no balance is read to book a sweep', async () => {
  const swap = await address()
  await opened()
  await credited([swap, 50_000_000n])
  await sweep()
  const adapter = chain()
  const { balances } = adapter
  adapter.balances = async () => {
    throw new RetryLater('no node tells balances')
  }
  await pass(FINAL)
  adapter.balances = balances
  expect(await parts()).toEqual([
    { address: swap.view.receiver, token: tokenKey(swap.view.swap.source), units: 50_000_000n },
  ])
  expect(await sweptOf(swap)).toEqual([[50_000_000n, true]])
  await expectBooksEqualChain(swap)
})

test('a deposit after the sweep is not booked as swept, even if the scan does not know it yet', async () => {
  const swap = await address()
  await opened()
  await credited([swap, 5_000_000n])
  await sweep()
  hand.chain(FROM).mine(FINAL)
  for (let dust = 0; dust < 3; dust++) {
    give(swap, 60_000_000n + BigInt(dust), `after the sweep ${dust}`)
    await pass(1)
  }
  expect((await parts()).map(({ units }) => units)).toEqual([5_000_000n])
  expect((await sweptOf(swap))[0]).toEqual([5_000_000n, true])
  await pass(FINAL)
  expect((await sweptOf(swap)).map(([, by]) => by)).toEqual([true, false, false, false])
  expect(await booked(swap)).toBe(180_000_003n)
  await liveOn()
  expect(lying(swap)).toBe(0n)
  await expectBooksEqualChain(swap)
})

test('a deposit that the sweep took along before the scan knew it is booked once', async () => {
  const swap = await address()
  await opened()
  await credited([swap, 5_000_000n])
  await sweep()
  give(swap, 60_000_000n, 'just before the sweep')
  const simulated = hand.chain(FROM)
  const [swept, ...others] = simulated.mempool.splice(0)
  simulated.mempool.push(...others)
  simulated.mine(1)
  if (swept) simulated.mempool.push(swept)
  alterSweep((moves) => moves.map((move) => ({ ...move, units: 65_000_000n })))
  await pass(FINAL)
  await pass(FINAL)
  expect((await parts()).map(({ units }) => units)).toEqual([65_000_000n])
  await expectBooksEqualChain(swap)
  await credited([swap, 7_000_000n])
  await liveOn()
  expect(lying(swap)).toBe(0n)
  expect((await sweptOf(swap)).map(([, by]) => by)).toEqual([true, true, true])
  await expectBooksEqualChain(swap)
})

test('an address that could not be emptied with the others waits for the next sweep', async () => {
  const [one, other] = [await address(), await address()]
  await opened()
  await credited([one, 50_000_000n], [other, 60_000_000n])
  await sweep()
  alterSweep((moves) => moves.filter(({ from }) => from === one.view.receiver))
  await pass(FINAL)
  expect([await sweptOf(one), await sweptOf(other)]).toEqual([[[50_000_000n, true]], [[60_000_000n, false]]])
  await expectBooksEqualChain(one, other)
  await liveOn()
  expect([lying(one), lying(other)]).toEqual([0n, 0n])
  await expectBooksEqualChain(one, other)
})

test('an address that a stranger emptied after the order is left to reconciliation', async () => {
  const [robbed, other] = [await address(), await address()]
  await opened()
  await credited([robbed, 50_000_000n], [other, 60_000_000n])
  await sweep()
  const { contract } = robbed.view.swap.source
  alterSweep((moves) => moves.filter(({ from }) => from === other.view.receiver))
  hand.chain(FROM).mint(robbed.view.receiver, contract, -50_000_000n)
  hand.chain(FROM).mint(chain().treasury, contract, 50_000_000n)
  await pass(FINAL)
  expect((await parts()).map(({ units }) => units)).toEqual([60_000_000n])
  await liveOn()
  expect(await sweptOf(robbed)).toEqual([[50_000_000n, 'emptied']])
  await expectBooksEqualChain(robbed, other)
})

test('a fee that an address paid in the native token is booked with the sweep of its token', async () => {
  const swap = await address()
  const native = chain().network.nativeToken
  await opened()
  await credited([swap, 50_000_000n])
  const books = hand.services.database
  const before = await ledgerUnits(books, chain().treasury, native)
  const adapter = chain()
  const { sweptBy } = adapter
  if (!sweptBy) throw new Error('it has deposit addresses')
  adapter.sweptBy = async (...given) => [
    ...(await sweptBy(...given)),
    { address: swap.view.receiver, amount: { token: native, units: 7n } },
  ]
  await sweep()
  await pass(FINAL)
  adapter.sweptBy = sweptBy
  expect((await parts()).map(({ token, units }) => [token, units])).toEqual([
    [tokenKey(native), 7n],
    [tokenKey(swap.view.swap.source), 50_000_000n],
  ])
  expect(await ledgerUnits(books, swap.view.receiver, native)).toBe(-7n)
  const { tx_hash } = await books
    .selectFrom('payout')
    .select('tx_hash')
    .where('kind', '=', 'sweep')
    .executeTakeFirstOrThrow()
  const fee = hand.chain(FROM).find(tx_hash ?? '')?.landed.transaction.fee ?? 0n
  expect(await ledgerUnits(books, chain().treasury, native)).toBe(before + 7n - fee)
})
