/** A deposit that a reorg removed is no longer paid for, if its payout was not sent or can never be mined. */

import { type Order, RetryLater } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { holdOf, holdWords } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { liveSlot } from '../../store/payouts/slot-records.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { requeueMissingJobs } from '../run/requeue.ts'
import { pay } from './pay.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const TIER = 2
const FINAL = 6

let database: TestDatabase
let hand: Hand
beforeEach(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  // Switches off theft detection, which another test covers.
  for (const chain of hand.services.chains.values()) Object.assign(chain, { audit: undefined })
})
afterEach(async () => {
  await hand.stop()
  await database.stop()
})

async function mineAndWatch(network: string, blocks: number): Promise<void> {
  hand.chain(network).mine(blocks)
  await hand.watch(network)
}

/** Removes the deposit by a reorg and lets the service prove that it is gone. */
async function lose(): Promise<void> {
  hand.chain(FROM).reorg(TIER, 'dropped')
  await hand.watch(FROM)
  await mineAndWatch(FROM, 1)
  for (let round = 0; round < 3; round++) await mineAndWatch(FROM, FINAL)
  const [deposit] = await hand.services.database.selectFrom('deposit').select('state').execute()
  expect(deposit?.state).toBe('lost')
}

const received = ({ view: { swap } }: CreatedSwap) =>
  hand.chain(TO).balance(swap.destinationAddress, swap.destination.contract)
const output = () => hand.services.database.selectFrom('payout').selectAll().executeTakeFirstOrThrow()

async function goOn(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    hand.passTime(60_000)
    await requeueMissingJobs(hand.services)
    await hand.runJobs()
    await mineAndWatch(TO, FINAL)
  }
}

test('an output whose slot is dead gets no new slot after its deposit was lost', async () => {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  await mineAndWatch(FROM, TIER)
  await hand.runJobs()
  for (const { hash } of [...hand.chain(TO).mempool]) hand.chain(TO).evict(hash)
  await lose()
  // The output's slot becomes invalid; on many chains it expires.
  const { id, account } = await output()
  const parts = (await liveSlot(hand.services.database, id))?.slot.parts ?? []
  const chain = chainOf(hand.services.chains, TO)
  const amount = { token: chain.network.nativeToken, units: 7n }
  const rival: Order = { kind: 'transfers', account, transfers: [{ to: accountFrom('rival').address, amount }] }
  await chain.broadcast(await chain.sign(rival, parts, await chain.prepare(rival, null)))
  await mineAndWatch(TO, FINAL)
  expect(await output()).toMatchObject({ state: 'open', started: false })
  await goOn()
  expect(received(swap)).toBe(0n)
})

/**
 * The slot is allocated, the signer is down, and the deposit is lost before the signer is back. Returns the deposit's
 * hash.
 */
async function lostUnsigned(swap: CreatedSwap): Promise<string> {
  const hash = hand.deposit(swap)
  await mineAndWatch(FROM, TIER)
  const chain = chainOf(hand.services.chains, TO)
  const { sign } = chain
  chain.sign = () => Promise.reject(new RetryLater('the signer is away'))
  await hand.runJobs()
  expect(await output()).toMatchObject({ state: 'open', started: true })
  await lose()
  chain.sign = sign
  await goOn()
  expect(await output()).toMatchObject({ started: false, held_by: 'rule' })
  expect(await holdOf(hand.services.database, (await output()).id)).toMatchObject({
    code: 'deposit_lost',
    txHash: hash,
  })
  return hash
}

test('an unsigned slot of an output is not signed after its deposit was lost', async () => {
  const swap = await hand.swap(FROM, TO)
  await lostUnsigned(swap)
  expect(received(swap)).toBe(0n)
})

test('if an operator rejects a payout held for a lost deposit, nothing is paid and nothing is lost', async () => {
  const swap = await hand.swap(FROM, TO)
  await lostUnsigned(swap)
  await admin(hand.services, 'payout', 'reject', ...(await holdWords(hand.services.database, (await output()).id)))
  await goOn()
  expect([received(swap), (await output()).state]).toEqual([0n, 'abandoned'])
  const { database } = hand.services
  expect(await database.selectFrom('deposit').select('state').execute()).toEqual([{ state: 'gone' }])
  const losses = await database.selectFrom('ledger_entry').select('units').where('account', '=', 'loss').execute()
  expect(losses.reduce((sum, { units }) => sum + units, 0n)).toBe(0n)
})

test('if an operator approves a payout held for a lost deposit, it is paid once', async () => {
  const swap = await hand.swap(FROM, TO)
  await lostUnsigned(swap)
  const { id, units } = await output()
  await admin(hand.services, 'payout', 'approve', ...(await holdWords(hand.services.database, id)))
  await goOn()
  expect([received(swap), (await output()).state]).toEqual([units, 'confirmed'])
})

test('if the deposit is mined again, the held payout is paid once without an answer', async () => {
  const swap = await hand.swap(FROM, TO)
  const simulated = hand.chain(FROM)
  const { submit } = simulated
  const submitted: string[] = []
  simulated.submit = (bytes) => {
    submitted.push(bytes)
    return submit.call(simulated, bytes)
  }
  await lostUnsigned(swap)
  expect(submitted).toHaveLength(1)
  expect(simulated.submit(submitted[0] ?? '')).toBe('accepted')
  for (let round = 0; round < 2; round++) await mineAndWatch(FROM, FINAL)
  hand.passTime(600_000)
  await hand.services.refresh()
  await goOn()
  const { state, units } = await output()
  expect([received(swap), state]).toEqual([units, 'confirmed'])
})

/** No node accepts the payout's first bytes while `isRefused`; then the deposit is lost. */
async function lostSigned(isRefused: boolean): Promise<void> {
  const chain = chainOf(hand.services.chains, TO)
  const { broadcast } = chain
  const refused = new Set<string>()
  chain.broadcast = async (signed) => {
    if (isRefused && refused.size === 0) refused.add(signed.hash)
    if (refused.has(signed.hash)) throw new RetryLater('max fee per gas less than block base fee')
    await broadcast(signed)
  }
  await hand.runJobs()
  for (const { hash } of [...hand.chain(TO).mempool]) hand.chain(TO).evict(hash)
  await lose()
  for (let round = 0; round < 3; round++) {
    hand.passTime(60_000)
    await hand.services.refresh()
    await pay(hand.services, (await output()).id)
  }
}

const replacements = () =>
  hand.services.database.selectFrom('attempt').select('cancels').where('number', '>', 0).orderBy('number').execute()

test('bytes that no node ever accepted are replaced by a cancellation after their deposit was lost', async () => {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  await mineAndWatch(FROM, TIER)
  await lostSigned(true)
  expect((await replacements()).map(({ cancels }) => cancels)).toContain(true)
  expect((await replacements()).map(({ cancels }) => cancels)).not.toContain(false)
  await goOn()
  expect(received(swap)).toBe(0n)
  expect(await output()).toMatchObject({ state: 'open', started: false, held_by: 'rule' })
})

test('bytes that a node has accepted are followed to their end, and paid once', async () => {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  await mineAndWatch(FROM, TIER)
  await lostSigned(false)
  expect((await replacements()).map(({ cancels }) => cancels)).not.toContain(true)
  await goOn()
  const { state, units } = await output()
  expect([received(swap), state]).toEqual([units, 'confirmed'])
})

/** The payout is signed, and no node is reached. Returns what lets nodes be reached again. */
async function signedUnsent(): Promise<{ swap: CreatedSwap; reconnect(): void }> {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  await mineAndWatch(FROM, TIER)
  const chain = chainOf(hand.services.chains, TO)
  const { broadcast } = chain
  chain.broadcast = () => Promise.reject(new RetryLater('connect ECONNREFUSED'))
  await hand.runJobs()
  const attempts = hand.services.database.selectFrom('attempt').select(['cancels', 'sent_at'])
  expect(await attempts.execute()).toMatchObject([{ cancels: false, sent_at: null }])
  return { swap, reconnect: () => Object.assign(chain, { broadcast }) }
}

test.each(['by-fee', 'none'] as const)(
  'bytes that never reached a node are not sent for the first time after their deposit was lost: replacement %s',
  async (replacement) => {
    Object.assign(chainOf(hand.services.chains, TO), { replacement })
    const { swap, reconnect } = await signedUnsent()
    await lose()
    reconnect()
    await goOn()
    expect(received(swap)).toBe(0n)
  },
)

test('nor while no node can say where their deposit is since its block was replaced', async () => {
  const { swap, reconnect } = await signedUnsent()
  chainOf(hand.services.chains, FROM).inspect = () => Promise.reject(new RetryLater('no node answers'))
  hand.chain(FROM).reorg(TIER, 'dropped')
  await hand.watch(FROM)
  const looks = hand.services.database.selectFrom('deposit_look').select('class')
  expect(await looks.execute()).toEqual([{ class: 'reverify' }])
  reconnect()
  await goOn()
  expect(received(swap), 'in reverification').toBe(0n)
  for (let round = 0; round < 3; round++) await mineAndWatch(FROM, FINAL)
  expect(await looks.execute()).toEqual([{ class: 'unlocatable' }])
  await goOn()
  expect(received(swap), 'unlocatable').toBe(0n)
})
