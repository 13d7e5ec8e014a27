/** Which swap gets a deposit at a shared deposit address if several swaps wait there, or a third party claims it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { keyOf } from '../../../../tests/support/service/accounts.ts'
import { confirmDeposit, openPayouts, seeDeposit } from '../../../../tests/support/service/progress.ts'
import { startServices, type TestServices } from '../../../../tests/support/service/services.ts'
import { findApp } from '../../store/apps/apps.ts'
import { type CreatedSwap, createSwap } from '../../swaps/create-swap.ts'
import { applyEvent } from '../swap/advance.ts'

const USDC = 1_000_000n

let clock = new Date('2026-03-01T12:00:00Z')
let database: TestDatabase
let services: TestServices
let recipients = 900_000
beforeAll(async () => {
  database = await startDatabase()
  services = await startServices(database.url, {}, () => clock)
})
afterAll(async () => {
  await services.stop()
  await database.stop()
})

const address = async () => (await services.chains.get('BETA')?.depositAddresses?.derive(++recipients)) ?? ''

async function appNamed(name: string): Promise<string> {
  await keyOf(services, name)
  return (await findApp(services.database, name))?.id ?? ''
}

async function swapAt(
  destinationAddress: string,
  amount: string,
  fields: { appId?: string; sourceAddress?: string } = {},
): Promise<CreatedSwap> {
  await services.refresh()
  const route = { sourceNetwork: 'ALPHA', sourceToken: 'USDC', destinationNetwork: 'BETA', destinationToken: 'USDC' }
  const no = { refuel: false, useDepository: false, useGasless: false, slippage: null, useNewDepositAddress: false }
  const nobody = { sourceAddress: null, refundAddress: null, referenceId: null, appId: null, appName: null }
  const nowhere = { sourceExchange: null, destinationExchange: null, correlationId: null }
  const request = { ...route, ...no, ...nobody, ...nowhere, useDepositAddress: true, destinationAddress, amount }
  const hasSecretKey = typeof fields.appId === 'string'
  return createSwap(services, { ...request, hasSecretKey, ...fields })
}

/** Which of the swaps gets this amount, deposited at the address of the first one. */
async function given(swaps: CreatedSwap[], whole: bigint): Promise<number> {
  const [first] = swaps
  const depositId = await seeDeposit(services, first?.view.swap.id ?? '', {}, whole * USDC)
  const row = services.database.selectFrom('deposit').select('swap_id').where('id', '=', depositId)
  const { swap_id } = await row.executeTakeFirstOrThrow()
  return swaps.findIndex(({ view }) => view.swap.id === swap_id)
}

test('the same route and recipient give another user neither the address nor the deposit', async () => {
  const [recipient, thief] = [await address(), await address()]
  const victim = await swapAt(recipient, '50')
  const stranger = await swapAt(recipient, '5000', { sourceAddress: thief })
  expect(stranger.view.receiver).not.toBe(victim.view.receiver)
  const { id } = victim.view.swap
  const depositId = await seeDeposit(services, id, { refundableSender: thief }, 50n * USDC)
  await confirmDeposit(services, id, depositId)
  expect(await openPayouts(services, id)).toMatchObject([{ kind: 'output', to_address: recipient }])
  clock = new Date(clock.getTime() + services.config.depositWindowMs)
  await applyEvent(services, stranger.view.swap.id, { type: 'tick' })
  expect(await openPayouts(services, stranger.view.swap.id)).toEqual([])
})

test('of an app’s swaps at one address, the one with that amount gets it, else the newest waiting', async () => {
  const appId = await appNamed('shop')
  const recipient = await address()
  const swaps = [
    await swapAt(recipient, '50', { appId }),
    await swapAt(recipient, '70', { appId }),
    await swapAt(recipient, '90', { appId }),
  ]
  expect(new Set(swaps.map(({ view }) => view.receiver)).size).toBe(1)
  expect(await given(swaps, 50n)).toBe(0)
  expect(await given(swaps, 70n)).toBe(1)
  expect(await given(swaps, 71n)).toBe(2)
})

test('two orders of one amount each get one of two such deposits', async () => {
  const appId = await appNamed('shop')
  const recipient = await address()
  const swaps = [await swapAt(recipient, '50', { appId }), await swapAt(recipient, '50', { appId })]
  expect(new Set([await given(swaps, 50n), await given(swaps, 50n)])).toEqual(new Set([0, 1]))
})

test('an amount that only a closed swap asked for goes to the waiting one', async () => {
  const appId = await appNamed('shop')
  const recipient = await address()
  const closed = await swapAt(recipient, '50', { appId })
  clock = new Date(clock.getTime() + services.config.depositWindowMs)
  await applyEvent(services, closed.view.swap.id, { type: 'tick' })
  const swaps = [closed, await swapAt(recipient, '60', { appId })]
  expect(await given(swaps, 50n)).toBe(1)
})
