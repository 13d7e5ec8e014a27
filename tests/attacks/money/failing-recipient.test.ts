/**
 * Attack A2, repeated: a recipient whose code passes every simulation and fails on chain. Each attempt costs us a
 * transaction and the deposit is refunded, so the attack is free. After a few failures the address gets no more
 * payouts.
 */
import type { Address } from '@causeway/core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { accountFrom } from '../../../chains/simulated/local/src/account.ts'
import { chainOf } from '../../../server/src/catalogue/chains.ts'
import { pay } from '../../../server/src/flow/payouts/pay.ts'
import { type CreatedSwap, createSwap } from '../../../server/src/swaps/create-swap.ts'
import { startDatabase, type TestDatabase } from '../../support/database/database.ts'
import { type Hand, startHand } from '../../support/service/manual-driver.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const FINAL = 8
const DAY_MS = 24 * 3600_000

let database: TestDatabase
let hand: Hand
let thief: Address
let refunds: Address
beforeAll(async () => {
  database = await startDatabase()
})
beforeEach(async () => {
  hand = await startHand(await database.createDatabase())
  // A chain where a payment runs the recipient's code.
  chainOf(hand.services.chains, TO).recipientGas = { extraGas: async () => 0n }
  thief = accountFrom('a recipient that refuses').address
  refunds = accountFrom('its refunds').address
})
afterEach(() => hand.stop())
afterAll(() => database.stop())

async function swapTo(destinationAddress: Address, destinationToken: string): Promise<CreatedSwap> {
  await hand.services.refresh()
  return createSwap(hand.services, {
    ...{ sourceNetwork: FROM, sourceToken: 'USDC', destinationNetwork: TO, destinationToken, destinationAddress },
    ...{ amount: '50', referenceId: null, appId: null, appName: null, sourceAddress: null, correlationId: null },
    ...{ sourceExchange: null, destinationExchange: null, refuel: false, useDepository: false, useGasless: false },
    ...{ slippage: null, useNewDepositAddress: true, useDepositAddress: false, refundAddress: refunds },
  })
}

async function settle(network: string): Promise<void> {
  hand.chain(network).mine(FINAL)
  await hand.watch(network)
}

/** Deposits, and lets each payout fail on chain until nothing more is sent. Returns the number of failures. */
async function failOnce(swap: CreatedSwap): Promise<number> {
  const before = await reverted()
  hand.deposit(swap)
  await settle(FROM)
  for (let time = 0; time < 4; time++) {
    hand.chain(TO).blocked.delete(thief)
    await hand.runJobs()
    hand.chain(TO).blocked.add(thief)
    await settle(TO)
  }
  hand.chain(TO).blocked.delete(thief)
  return (await reverted()) - before
}

/** The number of failed attempts of all payouts. */
async function reverted(): Promise<number> {
  const rows = await hand.services.database.selectFrom('payout').select('reverts').execute()
  return rows.reduce((sum, { reverts }) => sum + reverts, 0)
}

async function statusOf({ view }: CreatedSwap): Promise<string | undefined> {
  const { swap } = view
  const row = await hand.services.database
    .selectFrom('swap')
    .select('status')
    .where('id', '=', swap.id)
    .executeTakeFirst()
  return row?.status
}

async function outputOf({ view }: CreatedSwap): Promise<string> {
  const { database } = hand.services
  const found = await database
    .selectFrom('payout')
    .select('id')
    .where('swap_id', '=', view.swap.id)
    .executeTakeFirstOrThrow()
  return found.id
}

test('the second failed payout of coins is the last: the next gets no slot, and its deposit is owed', async () => {
  const made = [await swapTo(thief, 'SIM'), await swapTo(thief, 'SIM'), await swapTo(thief, 'SIM')]
  const failed: number[] = []
  for (const swap of made) failed.push(await failOnce(swap))
  // Each payout is tried twice, unless its recipient has already failed two.
  expect(failed).toEqual([2, 1, 0])
  const last = made.at(-1)
  if (!last) throw new Error('no swap')
  hand.passTime(hand.services.config.payoutPatienceMs)
  await hand.services.refresh()
  await pay(hand.services, await outputOf(last))
  expect(['refund_pending', 'pending_refund']).toContain(await statusOf(last))
})

test('a repeated failure is rejected at swap creation on chains with recipient gas, for one day', async () => {
  Object.assign(chainOf(hand.services.chains, TO), { recipientGas: { extraGas: async () => 0n } })
  for (const times of [2, 1]) expect(await failOnce(await swapTo(thief, 'SIM'))).toBe(times)
  await expect(swapTo(thief, 'SIM')).rejects.toMatchObject({ code: 'INVALID_ADDRESS_ERROR' })
  await expect(swapTo(accountFrom('somebody else').address, 'SIM')).resolves.toBeDefined()
  hand.passTime(DAY_MS)
  await expect(swapTo(thief, 'SIM')).resolves.toBeDefined()
})

test('a token runs no recipient code: its rejections count against no recipient', async () => {
  const made = [await swapTo(thief, 'USDC'), await swapTo(thief, 'USDC'), await swapTo(thief, 'USDC')]
  const failed: number[] = []
  for (const swap of made) failed.push(await failOnce(swap))
  expect(failed).toEqual([2, 2, 2])
})

/** Deposits for many swaps at once, and lets each payout fail on chain. */
async function burst(recipient: Address, count: number): Promise<CreatedSwap[]> {
  const made: CreatedSwap[] = []
  for (let time = 0; time < count; time++) made.push(await swapTo(recipient, 'SIM'))
  for (const swap of made) hand.deposit(swap)
  await settle(FROM)
  await hand.runJobs()
  return made
}

/** Rechecks each payout, as happens periodically. */
async function payAll(made: readonly CreatedSwap[]): Promise<void> {
  for (const swap of made) await pay(hand.services, await outputOf(swap))
}

/** Payouts that have a slot and are not finished. */
async function onTheirWay(): Promise<number> {
  const rows = await hand.services.database
    .selectFrom('payout')
    .select('id')
    .where('state', '=', 'open')
    .where('started', '=', true)
    .execute()
  return rows.length
}

const CODE = { accounts: { isContract: async () => true } }

test('a burst to a recipient with code has three payouts in flight, and none once these have failed', async () => {
  Object.assign(chainOf(hand.services.chains, TO), CODE)
  const made = await burst(thief, 8)
  expect(await onTheirWay()).toBe(3)
  hand.chain(TO).blocked.add(thief)
  await settle(TO)
  hand.chain(TO).blocked.delete(thief)
  expect(await reverted()).toBe(3)
  for (let look = 0; look < 3; look++) {
    hand.passTime(30_000)
    await payAll(made)
  }
  expect([await onTheirWay(), await reverted()]).toEqual([0, 3])
})

test('a burst to an honest recipient that is code is paid to its end, three at a time', async () => {
  Object.assign(chainOf(hand.services.chains, TO), CODE)
  const made = await burst(thief, 8)
  const paid: number[] = []
  for (let look = 0; look < 3; look++) {
    paid.push(await onTheirWay())
    await settle(TO)
    hand.passTime(30_000)
    await payAll(made)
  }
  expect(paid).toEqual([3, 3, 2])
  await settle(TO)
  expect(await Promise.all(made.map(statusOf))).toEqual(made.map(() => 'completed'))
})

test('a burst of payouts to a plain account is sent at once', async () => {
  Object.assign(chainOf(hand.services.chains, TO), { accounts: { isContract: async () => false } })
  await burst(thief, 8)
  expect(await onTheirWay()).toBe(8)
})
