/**
 * Attack B6, in every order: swaps are made ahead, the price moves, and they are paid one after the other, at once, from
 * many networks or by many apps. Payments at old prices stay within the exposure limit of each asset.
 */
import { CreatedSwap } from '@causeway/sdk'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expireSwaps } from '../../../server/src/flow/swap/expire.ts'
import { keyOf } from '../../support/service/accounts.ts'
import { post, startApi, type TestApi } from '../../support/service/api.ts'
import { confirmDeposit, landPayouts, seeDeposit } from '../../support/service/progress.ts'

const USDC = 1_000_000n
const SIM = 10n ** 18n
const HOUR_MS = 3_600_000
/** Dollars that may be paid at old prices. */
const LIMIT = 1_500

let clock: Date
let api: TestApi
let recipient: string
let sender: string
beforeEach(async () => {
  clock = new Date('2026-03-01T12:00:00Z')
  api = await startApi({ MAX_SWAP_USD: '1000', MAX_EXPOSURE_USD: String(LIMIT) }, () => clock)
  recipient = (await api.services.chains.get('BETA')?.depositAddresses?.derive(900_001)) ?? ''
  sender = (await api.services.chains.get('ALPHA')?.depositAddresses?.derive(900_002)) ?? ''
})
afterEach(() => api.stop())

/** USDC for SIM at 2,000 dollars. */
const ROUTE = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'SIM' }

interface Ahead extends CreatedSwap {
  usd: number
}

/** A swap that is made before the price moves. */
async function ahead(usd: number, fields: object = {}, headers: Record<string, string> = {}): Promise<Ahead> {
  const body = { ...ROUTE, destination_address: recipient, amount: usd, ...fields }
  return { ...(await api.ask(CreatedSwap, { ...post('/api/v2/swaps', body), headers })), usd }
}

async function times(count: number, usd: number, fields: object = {}): Promise<Ahead[]> {
  const swaps = []
  for (let n = 0; n < count; n++) swaps.push(await ahead(usd, fields))
  return swaps
}

/** The price of SIM moves. */
async function priced(usd: string): Promise<void> {
  api.services.prices.SIM = usd
  await api.services.refresh()
  await api.services.safeguards.refresh()
}

async function pay(id: string, units: bigint): Promise<void> {
  await confirmDeposit(api.services, id, await seeDeposit(api.services, id, { refundableSender: sender }, units))
}

/** Each deposit is credited and its output paid before the next deposit arrives. */
async function payInTurn(swaps: readonly Ahead[], unitsOf = ({ usd }: Ahead) => BigInt(usd) * USDC): Promise<void> {
  for (const swap of swaps) {
    await pay(swap.swap.id, unitsOf(swap))
    await landPayouts(api.services, swap.swap.id)
  }
}

async function payAtOnce(swaps: readonly Ahead[]): Promise<void> {
  const { services } = api
  const seen = await Promise.all(swaps.map(({ swap, usd }) => seeDeposit(services, swap.id, {}, BigInt(usd) * USDC)))
  await Promise.all(swaps.map(({ swap }, n) => confirmDeposit(services, swap.id, seen[n] ?? '')))
}

/** The output in whole tokens, rounded down to the shown digits. */
async function outputOf({ swap, quote }: Ahead): Promise<number> {
  const { database } = api.services
  const rows = await database.selectFrom('payout').selectAll().where('swap_id', '=', swap.id).execute()
  const units = rows.find(({ kind }) => kind === 'output')?.units ?? 0n
  return quote.destination_token.decimals === 6 ? Number(units) / 1e6 : Number(units / 10n ** 10n) / 1e8
}

/** Dollars of deposits whose output is what the quote promised. */
async function usdAsQuoted(swaps: readonly Ahead[]): Promise<number> {
  let usd = 0
  for (const swap of swaps) if ((await outputOf(swap)) === swap.quote.receive_amount) usd += swap.usd
  return usd
}

describe('whatever the order, old prices are paid up to the exposure limit', () => {
  test('one after the other, each paid before the next deposit', async () => {
    const swaps = await times(8, 400)
    await priced('2005')
    await payInTurn(swaps)
    expect(await usdAsQuoted(swaps)).toBe(1_200)
  })

  test('all at once', async () => {
    const swaps = await times(8, 400)
    await priced('2005')
    await payAtOnce(swaps)
    expect(await usdAsQuoted(swaps)).toBe(1_200)
  })

  test('all at once, from every network to every other one', async () => {
    const names = ['ALPHA', 'BETA', 'GAMMA']
    const swaps = []
    for (const source of names)
      for (const destination of names)
        swaps.push(await ahead(400, { source_network: source, destination_network: destination }))
    await priced('2005')
    await payAtOnce(swaps)
    expect(await usdAsQuoted(swaps)).toBe(1_200)
  })

  test('by many apps', async () => {
    const swaps = []
    for (let n = 0; n < 6; n++) {
      const headers = { 'x-ls-apikey': await keyOf(api.services, `ahead ${n}`) }
      swaps.push(await ahead(400, {}, headers))
    }
    await priced('2005')
    await payInTurn(swaps)
    expect(await usdAsQuoted(swaps)).toBe(1_200)
  })

  test('small ones first, then large ones', async () => {
    const swaps = [...(await times(4, 50)), ...(await times(3, 900))]
    await priced('2005')
    await payInTurn(swaps)
    expect(await usdAsQuoted(swaps)).toBe(1_100)
  })

  test('in parts, and with an excess that is returned', async () => {
    const swaps = await times(6, 600, { slippage: 0 })
    await priced('2005')
    for (const [n, { swap }] of swaps.entries()) {
      for (const part of n % 2 === 0 ? [200n, 400n] : [650n]) await pay(swap.id, part * USDC)
      await landPayouts(api.services, swap.id)
    }
    expect(await usdAsQuoted(swaps)).toBe(1_200)
  })

  test('when the makers accept no slippage and wait until the limit is free again', async () => {
    const swaps = await times(6, 600, { slippage: 0 })
    await priced('2005')
    await payInTurn(swaps)
    for (let minute = 0; minute < 31; minute++) {
      clock = new Date(clock.getTime() + 60_000)
      await api.services.refresh()
      await expireSwaps(api.services)
      for (const { swap } of swaps) await landPayouts(api.services, swap.id)
    }
    expect(await usdAsQuoted(swaps)).toBe(1_200)
  })

  test('in the other direction, which has a limit of its own', async () => {
    const others = await times(5, 400)
    const swaps = await times(5, 400, { source_token: 'SIM', destination_token: 'USDC', amount: 0.2 })
    await priced('1995')
    await payInTurn(swaps, () => SIM / 5n)
    expect(await usdAsQuoted(swaps)).toBe(1_200)
    // For these the current price is better than the quoted one: they cost us nothing.
    await payInTurn(others)
    expect(await usdAsQuoted(others)).toBe(2_000)
  })
})

test('within the service fee an old price is always paid, and its maker earns nothing', async () => {
  const swaps = await times(8, 400)
  await priced('2001.8')
  await payInTurn(swaps)
  expect(await usdAsQuoted(swaps)).toBe(3_200)
  for (const swap of swaps) expect((await outputOf(swap)) * 2001.8).toBeLessThan(400)
})

test('all that strangers earn is the deviation less the service fee, on the exposure limit', async () => {
  const swaps = await times(10, 400)
  await priced('2005.9')
  await payInTurn(swaps)
  let gain = 0
  for (const swap of swaps) gain += Math.max(0, (await outputOf(swap)) * 2005.9 - 400)
  expect(gain).toBeGreaterThan(0)
  expect(gain).toBeLessThan(LIMIT * (0.003 - 0.001))
})

test('the limit is free again when the quotes of that time have ended', async () => {
  for (let round = 0; round < 2; round++) {
    await priced('2000')
    const swaps = await times(5, 400)
    await priced('2005')
    await payInTurn(swaps)
    expect(await usdAsQuoted(swaps)).toBe(1_200)
    clock = new Date(clock.getTime() + HOUR_MS)
  }
})
