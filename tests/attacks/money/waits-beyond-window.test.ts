/**
 * Attack B6, varied: all quotes are of one moment. Half of the deposits are confirmed at once. The others arrive at the end of
 * the term and are confirmed some minutes later; their makers accept no slippage, so they wait for the limit to be free.
 */
import { CreatedSwap } from '@causeway/sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { expireSwaps } from '../../../server/src/flow/swap/expire.ts'
import { post, startApi, type TestApi } from '../../support/service/api.ts'
import { confirmDeposit, landPayouts, seeDeposit } from '../../support/service/progress.ts'

const USDC = 1_000_000n
const LIMIT = 1_500
const ROUTE = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'SIM' }

let clock: Date
let api: TestApi
let recipient: string
beforeEach(async () => {
  clock = new Date('2026-03-01T12:00:00Z')
  api = await startApi({ MAX_SWAP_USD: '1000', MAX_EXPOSURE_USD: String(LIMIT) }, () => clock)
  recipient = (await api.services.chains.get('BETA')?.depositAddresses?.derive(900_001)) ?? ''
})
afterEach(() => api.stop())

async function passTime(seconds: number): Promise<void> {
  clock = new Date(clock.getTime() + seconds * 1_000)
  await api.services.refresh()
  await api.services.safeguards.refresh()
}

test.each([12, 180])('a network that confirms after %i minutes', async (minutes) => {
  const swaps: CreatedSwap[] = []
  for (let n = 0; n < 6; n++)
    swaps.push(
      await api.ask(
        CreatedSwap,
        post('/api/v2/swaps', { ...ROUTE, destination_address: recipient, amount: 400, slippage: 0 }),
      ),
    )
  api.services.prices.SIM = '2005'
  await passTime(0)
  const seen: string[] = []
  const see = async (from: number, to: number) => {
    for (let n = from; n < to; n++) seen.push(await seeDeposit(api.services, swaps[n]?.swap.id ?? '', {}, 400n * USDC))
  }
  const confirm = async (from: number, to: number) => {
    for (let n = from; n < to; n++) {
      const id = swaps[n]?.swap.id ?? ''
      await confirmDeposit(api.services, id, seen[n] ?? '')
      await landPayouts(api.services, id)
    }
  }
  await see(0, 3)
  await confirm(0, 3)
  await passTime(290)
  await see(3, 6)
  await passTime(minutes * 60)
  await confirm(3, 6)
  for (let minute = 0; minute < 31; minute++) {
    await passTime(60)
    await expireSwaps(api.services)
    for (const { swap } of swaps) await landPayouts(api.services, swap.id)
  }
  let usd = 0
  for (const { swap, quote } of swaps) {
    const rows = await api.services.database.selectFrom('payout').selectAll().where('swap_id', '=', swap.id).execute()
    const units = rows.find(({ kind }) => kind === 'output')?.units ?? 0n
    if (Number(units / 10n ** 10n) / 1e8 === quote.receive_amount) usd += 400
  }
  expect(usd).toBeLessThanOrEqual(LIMIT)
})
