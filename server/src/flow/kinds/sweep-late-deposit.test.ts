/** A deposit that arrives after its address was read for a sweep stays there, and the next sweep takes it. */
import type { ChainAdapter } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
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

/** Returns the signed bytes. */
function give({ view }: CreatedSwap, units: bigint, label: string): string {
  const simulated = hand.chain(FROM)
  const { contract } = view.swap.source
  const payer = accountFrom(label)
  simulated.mint(payer.address, null, simulated.feePerMove)
  simulated.mint(payer.address, contract, units)
  const moves = [{ from: payer.address, to: view.receiver, contract, units }]
  const nonce = simulated.nonce(payer.address)
  const paid = { network: FROM, account: payer.address, nonce, fee: simulated.feePerMove, memo: null, moves }
  const bytes = signedBy(paid, payer)
  simulated.submit(bytes)
  return bytes
}

async function pass(blocks: number): Promise<void> {
  hand.chain(FROM).mine(blocks)
  await hand.watch(FROM)
}

async function sweep(): Promise<void> {
  await hand.services.refresh()
  await sweepAddresses(hand.services)
  await hand.runJobs()
}

/** Does everything that a running service does over a long time. */
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

async function sweptOnce(): Promise<CreatedSwap> {
  const swap = await hand.swap(FROM, TO, { useDepositAddress: true })
  give(swap, 50_000_000n, 'before the sweep')
  await pass(TIER)
  await pass(TIER)
  await sweep()
  hand.chain(FROM).mine(FINAL)
  return swap
}

test('a deposit after a sweep was booked is swept by the next one', async () => {
  const swap = await sweptOnce()
  await hand.watch(FROM)
  give(swap, 60_000_000n, 'after the close')
  await pass(1)
  await liveOn()
  expect(lying(swap)).toBe(0n)
})

test('a deposit after the block of an external sweep does not count as swept', async () => {
  const swap = await hand.swap(FROM, TO, { useDepositAddress: true })
  const { contract } = swap.view.swap.source
  for (const network of [FROM, TO]) {
    await reconcile(hand.services)
    hand.chain(network).mine(FINAL)
    await hand.watch(network)
  }
  await reconcile(hand.services)
  give(swap, 50_000_000n, 'before it was emptied')
  await pass(TIER)
  await pass(TIER)
  // Anyone may sweep it if a contract is at the address, including the depositor.
  hand.chain(FROM).mint(swap.view.receiver, contract, -50_000_000n)
  hand.chain(FROM).mint(chain().treasury, contract, 50_000_000n)
  await pass(1)
  for (let look = 0; look < 2; look++) {
    await reconcile(hand.services)
    await pass(FINAL)
  }
  give(swap, 60_000_000n, 'after it was emptied')
  await pass(TIER)
  await pass(TIER)
  await reconcile(hand.services)
  await liveOn()
  const emptied = (await rows(swap)).filter((row) => row.emptied).map(({ units }) => units)
  expect({ lying: lying(swap), emptied }).toEqual({ lying: 0n, emptied: [50_000_000n] })
})

const rows = ({ view }: CreatedSwap) =>
  hand.services.database
    .selectFrom('deposit')
    .select(['units', 'state', 'swept_by', 'emptied'])
    .where('to_address', '=', view.receiver)
    .orderBy('units')
    .execute()

/** Two deposits and a sweep of both that waits in the mempool. A reorg drops the second deposit: returns its bytes. */
async function lastDropped(swap: CreatedSwap): Promise<string> {
  give(swap, 50_000_000n, 'the first')
  await pass(FINAL + 1)
  const bytes = give(swap, 60_000_000n, 'the second')
  await pass(TIER)
  await pass(1)
  expect((await rows(swap)).map(({ state }) => state)).toEqual(['confirmed', 'confirmed'])
  // Both are to be swept.
  await sweep()
  expect((await rows(swap)).map(({ swept_by }) => swept_by !== null)).toEqual([true, true])
  const sent = hand.chain(FROM).mempool.find(({ moves }) => moves.some(({ from }) => from === swap.view.receiver))
  if (!sent) throw new Error('no sweep')
  // The sweep takes what it finds: only the first deposit.
  hand.chain(FROM).reorg(TIER + 1, 'dropped')
  hand.chain(FROM).alter(
    sent.hash,
    sent.moves.map((move) => ({ ...move, units: 50_000_000n })),
  )
  return bytes
}

const sweepState = async () => {
  const sweeps = hand.services.database.selectFrom('payout').select('state').where('kind', '=', 'sweep')
  return (await sweeps.executeTakeFirstOrThrow()).state
}

test('a deposit re-included after its sweep and another one is swept by the next', async () => {
  const swap = await hand.swap(FROM, TO, { useDepositAddress: true })
  const bytes = await lastDropped(swap)
  await hand.watch(FROM)
  await pass(1)
  await pass(FINAL)
  await pass(FINAL)
  expect([await sweepState(), lying(swap)]).toEqual(['confirmed', 0n])
  // Its sender sends it again.
  expect(hand.chain(FROM).submit(bytes)).toBe('accepted')
  await pass(1)
  await pass(FINAL)
  expect((await rows(swap)).map(({ state }) => state)).toEqual(['confirmed', 'confirmed'])
  await liveOn()
  expect(lying(swap)).toBe(0n)
})

test('a deposit re-mined behind its sweep, before that is booked, is swept by the next', async () => {
  const swap = await hand.swap(FROM, TO, { useDepositAddress: true })
  const bytes = await lastDropped(swap)
  hand.chain(FROM).mine(1)
  expect(lying(swap)).toBe(0n)
  expect(hand.chain(FROM).submit(bytes)).toBe('accepted')
  for (let block = 0; block <= 2 * FINAL; block++) await pass(1)
  expect(await sweepState()).toBe('confirmed')
  const [first, second] = await rows(swap)
  expect([first?.swept_by === null, second?.swept_by === null]).toEqual([false, true])
  await liveOn()
  expect(lying(swap)).toBe(0n)
})

test('a deposit re-mined before its sweep is taken by it', async () => {
  const swap = await hand.swap(FROM, TO, { useDepositAddress: true })
  give(swap, 50_000_000n, 'the first')
  await pass(TIER)
  await sweep()
  hand.chain(FROM).reorg(TIER, 'returned')
  for (let block = 0; block <= 2 * FINAL; block++) await pass(1)
  expect([await sweepState(), lying(swap)]).toEqual(['confirmed', 0n])
  expect((await rows(swap)).map(({ swept_by }) => swept_by === null)).toEqual([false])
})
