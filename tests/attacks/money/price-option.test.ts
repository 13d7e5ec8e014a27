/**
 * Attack A8: a quote is no free option. The attacker requests a quote, waits until the price moves, and deposits at the
 * old price. Creating swaps must not cost others anything either.
 */
import { CreatedSwap, Quoted, SwapDetails } from '@causeway/sdk'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { expireSwaps } from '../../../server/src/flow/swap/expire.ts'
import { post, startApi, type TestApi } from '../../support/service/api.ts'
import { confirmDeposit, landPayouts, seeDeposit } from '../../support/service/progress.ts'

const MINUTE = 60_000
/** 100 USDC for SIM at 2,000 dollars. */
const USDC = 1_000_000n

let clock = new Date('2026-03-01T12:00:00Z')
let api: TestApi
let recipient: string
let sender: string
beforeAll(async () => {
  api = await startApi({ MAX_SWAP_USD: '1000', MAX_EXPOSURE_USD: '1500', QUOTE_DEVIATION_BPS: '100' }, () => clock)
  recipient = (await api.services.chains.get('BETA')?.depositAddresses?.derive(900_001)) ?? ''
  sender = (await api.services.chains.get('ALPHA')?.depositAddresses?.derive(900_002)) ?? ''
})
beforeEach(() => priced('2000'))
afterAll(() => api.stop())

const ROUTE = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'SIM' }

function make(fields: object = {}): Promise<CreatedSwap> {
  const body = { ...ROUTE, destination_address: recipient, amount: 100, ...fields }
  return api.ask(CreatedSwap, post('/api/v2/swaps', body))
}

async function priced(usd: string): Promise<void> {
  api.services.prices.SIM = usd
  await api.services.refresh()
  await api.services.safeguards.refresh()
}

async function pass(minutes: number): Promise<void> {
  clock = new Date(clock.getTime() + minutes * MINUTE)
  await api.services.refresh()
  await expireSwaps(api.services)
}

async function pay(id: string, units = 100n * USDC): Promise<void> {
  await confirmDeposit(api.services, id, await seeDeposit(api.services, id, { refundableSender: sender }, units))
}

const read = (id: string) => api.ask(SwapDetails, `/api/v2/swaps/${id}`)

async function outputOf(id: string): Promise<bigint | null> {
  const { services } = api
  const rows = await services.database.selectFrom('payout').selectAll().where('swap_id', '=', id).execute()
  return rows.find(({ kind }) => kind === 'output')?.units ?? null
}

/** Rounded to the shown digits. */
async function shownOutput(id: string): Promise<number> {
  return Number(((await outputOf(id)) ?? 0n) / 10n ** 10n) / 1e8
}

test('a deposit in the term is not paid at the old price after it moved by a tenth', async () => {
  const { swap, quote } = await make()
  await priced('2200')
  await pay(swap.id)
  expect(await outputOf(swap.id)).toBe(null)
  expect((await read(swap.id)).swap.status).toBe('user_transfer_pending')
  await pass(29)
  expect(await outputOf(swap.id)).toBe(null)
  await pass(1)
  const ended = await read(swap.id)
  expect(ended.swap).toMatchObject({ status: 'refund_pending', fail_reason: 'degraded_quote' })
  expect(await outputOf(swap.id)).toBe(null)
  expect(quote.receive_amount).toBeGreaterThan(0)
})

test('whatever slippage the attacker grants, the old price is not paid', async () => {
  const { swap, quote } = await make({ slippage: 0.5 })
  await priced('2200')
  await pay(swap.id)
  const paid = Number(await outputOf(swap.id)) / 1e18
  expect(paid).toBeGreaterThan(0)
  expect(paid).toBeLessThan((quote.receive_amount ?? 0) * 0.92)
})

test('if the price is back within half an hour, the quote is paid', async () => {
  const { swap, quote } = await make()
  await priced('2200')
  await pay(swap.id)
  await priced('2010')
  await pass(2)
  expect(await shownOutput(swap.id)).toBe(quote.receive_amount)
})

test('if the price moved the other way, the quote is paid', async () => {
  const { swap, quote } = await make()
  await priced('1800')
  await pay(swap.id)
  expect(await shownOutput(swap.id)).toBe(quote.receive_amount)
})

test('a quote shows its expiry: five minutes, or fifteen within a token family', async () => {
  const minutesOf = async (destination: string) => {
    const query = new URLSearchParams({ ...ROUTE, destination_token: destination, amount: '100' })
    const { quote } = await api.ask(Quoted, `/api/v2/quote?${query}`)
    return (Date.parse(quote.expires_at ?? '') - clock.getTime()) / MINUTE
  }
  expect(await minutesOf('SIM')).toBe(5)
  expect(await minutesOf('USDC')).toBe(15)
  const { swap, quote } = await make()
  expect(Date.parse(quote.expires_at ?? '') - Date.parse(swap.created_date)).toBe(5 * MINUTE)
  const open = await make({ use_deposit_address: true, amount: null })
  expect(open.quote.expires_at).toBe(null)
})

/** Why 900 dollars are not offered now; null if they are. */
async function refusal() {
  await api.services.safeguards.refresh()
  return api.refuse(`/api/v2/quote?${new URLSearchParams({ ...ROUTE, amount: '900' })}`).catch(() => null)
}

test('unpaid swaps reserve nothing; deposits that are not paid out yet do, until they are', async () => {
  for (let swap = 0; swap < 20; swap++) await make({ amount: 900 })
  expect(await refusal()).toBe(null)
  const paid = [await make({ amount: 900 }), await make({ amount: 900 })]
  const seen = []
  for (const { swap } of paid) seen.push([swap.id, await seeDeposit(api.services, swap.id, {}, 900n * USDC)] as const)
  expect(await refusal()).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND_ERROR' })
  for (const [swapId, depositId] of seen) {
    await confirmDeposit(api.services, swapId, depositId)
    await landPayouts(api.services, swapId)
  }
  expect(await refusal()).toBe(null)
})

test('pending mempool deposits take nothing from others, nor does an excess over the request', async () => {
  // The quotes of earlier tests have ended.
  await pass(6)
  for (let swap = 0; swap < 3; swap++) {
    const { swap: made } = await make({ amount: 900 })
    await seeDeposit(api.services, made.id, { block: null }, 900n * USDC)
  }
  expect(await refusal()).toBe(null)
  const { swap } = await make({ amount: 100 })
  await seeDeposit(api.services, swap.id, {}, 100_000n * USDC)
  expect(await refusal()).toBe(null)
})

/** Two deposits of 890 for 1,000 each, with a limit of 1,500. They wait for the rest until the window ends, after six hours. */
test('part payments that wait for the end of their window close the route of no one else', async () => {
  await pass(6)
  for (let swap = 0; swap < 2; swap++) await pay((await make({ amount: 1_000 })).swap.id, 890n * USDC)
  await pass(60)
  expect(await refusal()).toBe(null)
})
