/**
 * Attack B6: many swaps are made ahead, the price moves a little, and all of them are paid at the old price. The exposure
 * limit bounds what is paid at old prices. `old-price-limit.test.ts` tries other orders.
 */
import { CreatedSwap } from '@causeway/sdk'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { post, startApi, type TestApi } from '../../support/service/api.ts'
import { confirmDeposit, landPayouts, seeDeposit } from '../../support/service/progress.ts'

/** 100 USDC for SIM at 2,000 dollars. */
const USDC = 1_000_000n

let clock = new Date('2026-03-01T12:00:00Z')
let api: TestApi
let recipient: string
let sender: string
beforeAll(async () => {
  api = await startApi({ MAX_SWAP_USD: '1000', MAX_EXPOSURE_USD: '1500' }, () => clock)
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

async function pay(id: string, units = 100n * USDC): Promise<void> {
  await confirmDeposit(api.services, id, await seeDeposit(api.services, id, { refundableSender: sender }, units))
}

async function outputOf(id: string): Promise<bigint | null> {
  const { services } = api
  const rows = await services.database.selectFrom('payout').selectAll().where('swap_id', '=', id).execute()
  return rows.find(({ kind }) => kind === 'output')?.units ?? null
}

/** Rounded to the shown digits. */
async function shownOutput(id: string): Promise<number> {
  return Number(((await outputOf(id)) ?? 0n) / 10n ** 10n) / 1e8
}

/** The swaps are paid when the price has moved by 0.25 %, which is less than three service fees. */
async function paidAhead(count: number): Promise<{ asQuoted: number; usd: number }> {
  const made = []
  for (let n = 0; n < count; n++) made.push(await make({ amount: 900 }))
  await priced('2005')
  const seen = []
  for (const { swap } of made) seen.push(await seeDeposit(api.services, swap.id, {}, 900n * USDC))
  for (const [n, { swap }] of made.entries()) await confirmDeposit(api.services, swap.id, seen[n] ?? '')
  let asQuoted = 0
  for (const { swap, quote } of made) asQuoted += Number((await shownOutput(swap.id)) === quote.receive_amount)
  for (const { swap } of made) await landPayouts(api.services, swap.id)
  return { asQuoted, usd: asQuoted * 900 }
}

test('of many swaps made ahead only those within the exposure limit are paid as quoted', async () => {
  expect(await paidAhead(1)).toEqual({ asQuoted: 1, usd: 900 })
  clock = new Date(clock.getTime() + 3_600_000)
  await priced('2000')
  const { asQuoted, usd } = await paidAhead(6)
  expect(asQuoted).toBe(1)
  expect(usd).toBeLessThanOrEqual(1_500)
})

test('by default an old price costs at most three times the service fee', async () => {
  const { swap, quote } = await make()
  await priced('2008')
  await pay(swap.id)
  expect(await shownOutput(swap.id)).toBeLessThan(quote.receive_amount)
})

test('open quotes count by their chance of use, up to a fifth of the limit', async () => {
  const maximum = async () => {
    await api.services.safeguards.refresh()
    return (await api.server.inject(`/api/v2/limits?${new URLSearchParams(ROUTE)}`)).json().data.max_amount
  }
  const { swap } = await make({ amount: 600 })
  await seeDeposit(api.services, swap.id, {}, 600n * USDC)
  const before = await maximum()
  for (let n = 0; n < 10; n++) await make({ amount: 200 })
  expect(before - (await maximum())).toBe(300)
})
