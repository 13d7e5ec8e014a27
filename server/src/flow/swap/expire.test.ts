/** Decisions by time: a sum just below the amount, the end of the window, and no swap that waits behind others. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { confirmDeposit, seeDeposit } from '../../../../tests/support/service/progress.ts'
import { startServices, type TestServices } from '../../../../tests/support/service/services.ts'
import { claimDueSwaps } from '../../store/swaps/swaps.ts'
import { createSwap } from '../../swaps/create-swap.ts'
import type { SwapRequest } from '../../swaps/request.ts'
import { expireSwaps } from './expire.ts'

const SECOND = 1000
const USDC = 1_000_000n

let clock = new Date('2026-03-01T12:00:00Z')
let database: TestDatabase
let services: TestServices
let recipient: string
beforeAll(async () => {
  database = await startDatabase()
  services = await startServices(database.url, {}, () => clock)
  recipient = (await services.chains.get('BETA')?.depositAddresses?.derive(900_001)) ?? ''
})
afterAll(async () => {
  await services.stop()
  await database.stop()
})

async function swapOf(fields: Partial<SwapRequest> = {}): Promise<string> {
  await services.refresh()
  const route = { sourceNetwork: 'ALPHA', sourceToken: 'USDC', destinationNetwork: 'BETA', destinationToken: 'USDC' }
  const no = { refuel: false, useDepositAddress: false, useDepository: false, useGasless: false, slippage: null }
  const nobody = { sourceAddress: null, refundAddress: null, referenceId: null, appId: null, appName: null }
  const nowhere = { sourceExchange: null, destinationExchange: null, correlationId: null, useNewDepositAddress: false }
  const request = { ...route, ...no, ...nobody, ...nowhere, amount: '100', destinationAddress: recipient, ...fields }
  return (await createSwap(services, request)).view.swap.id
}

async function deposit(swapId: string, units: bigint): Promise<void> {
  await confirmDeposit(services, swapId, await seeDeposit(services, swapId, {}, units))
}

async function pass(ms: number): Promise<void> {
  clock = new Date(clock.getTime() + ms)
  await services.refresh()
}

const read = (id: string) =>
  services.database.selectFrom('swap').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('a sum of nine tenths is swapped after two minutes without another deposit', async () => {
  const id = await swapOf()
  await deposit(id, 60n * USDC)
  await pass(60 * SECOND)
  await deposit(id, 30n * USDC)
  await pass(119 * SECOND)
  await expireSwaps(services)
  expect((await read(id)).status).toBe('user_transfer_pending')
  await pass(SECOND)
  await expireSwaps(services)
  expect(await read(id)).toMatchObject({ status: 'ls_transfer_pending', due_at: null })
  const terms = await read(id)
  expect([terms.quote?.requestedUnits, terms.agreed_quote?.requestedUnits]).toEqual(['90000000', '100000000'])
})

test('the network file sets how long the rest is waited for', async () => {
  const network = services.catalogue.network('ALPHA')
  network.topUpMs = 10 * SECOND
  try {
    const id = await swapOf()
    await deposit(id, 90n * USDC)
    await pass(10 * SECOND)
    await expireSwaps(services)
    expect((await read(id)).status).toBe('ls_transfer_pending')
  } finally {
    delete network.topUpMs
  }
})

test('a smaller sum is left alone until its window closes', async () => {
  const id = await swapOf()
  await deposit(id, 50n * USDC)
  expect((await read(id)).due_at).toBe(null)
  await pass(services.config.depositWindowMs - SECOND)
  await expireSwaps(services)
  expect((await read(id)).status).toBe('user_transfer_pending')
  await pass(SECOND)
  await expireSwaps(services)
  expect((await read(id)).status).toBe('ls_transfer_pending')
})

test('an undecided swap is asked again later, and delays no other', async () => {
  const [stuck, other] = [await swapOf(), await swapOf()]
  services.prices.USDC = ''
  await pass(services.config.priceMaxAgeMs + SECOND)
  await deposit(stuck, 100n * USDC)
  await deposit(other, 100n * USDC)
  const take = (at: Date) =>
    claimDueSwaps(services.database, { now: at, nextAt: new Date(at.getTime() + 5 * SECOND), limit: 1 })
  const taken = [...(await take(clock)), ...(await take(clock))]
  expect(new Set(taken)).toEqual(new Set([stuck, other]))
  expect(await take(clock)).toEqual([])
  services.prices.USDC = '1'
  await pass(5 * SECOND)
  await expireSwaps(services)
  for (const id of taken) expect((await read(id)).status).toBe('ls_transfer_pending')
})

test('a deposit to an expired swap without a price is decided once there is a price', async () => {
  const id = await swapOf()
  await pass(services.config.depositWindowMs)
  await expireSwaps(services)
  services.prices.USDC = ''
  await pass(services.config.priceMaxAgeMs + SECOND)
  await deposit(id, 100n * USDC)
  expect((await read(id)).status).toBe('expired')
  services.prices.USDC = '1'
  await pass(5 * SECOND)
  await expireSwaps(services)
  expect((await read(id)).status).toBe('ls_transfer_pending')
})

test('however many windows closed at once, one round handles all of them', async () => {
  const ids: string[] = []
  while (ids.length < 210) ids.push(await swapOf())
  await pass(services.config.depositWindowMs)
  await expireSwaps(services)
  for (const id of ids) expect((await read(id)).status).toBe('expired')
}, 60_000)

test('money that waits for an address is not rechecked by the clock', async () => {
  const id = await swapOf({ useDepositAddress: true })
  await deposit(id, 60_000n * USDC)
  expect(await read(id)).toMatchObject({ status: 'pending_refund', due_at: null })
})
