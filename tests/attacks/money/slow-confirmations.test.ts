/**
 * Attack B6, varied: all deposits arrive within the term of their quotes. Some are confirmed at once, the others on a network
 * that confirms long after the limit's window. All quotes are of one moment and of one move.
 */
import { CreatedSwap } from '@causeway/sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
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

async function passTime(minutes: number): Promise<void> {
  clock = new Date(clock.getTime() + minutes * 60_000)
  await api.services.refresh()
  await api.services.safeguards.refresh()
}

test.each([46, 300])('deposits of one moment, some confirmed %i minutes later', async (minutes) => {
  const swaps: CreatedSwap[] = []
  for (let n = 0; n < 8; n++)
    swaps.push(
      await api.ask(CreatedSwap, post('/api/v2/swaps', { ...ROUTE, destination_address: recipient, amount: 400 })),
    )
  api.services.prices.SIM = '2005'
  await passTime(0)
  const seen: string[] = []
  for (const { swap } of swaps) seen.push(await seeDeposit(api.services, swap.id, {}, 400n * USDC))
  const confirm = async (from: number, to: number) => {
    for (let n = from; n < to; n++) {
      const id = swaps[n]?.swap.id ?? ''
      await confirmDeposit(api.services, id, seen[n] ?? '')
      await landPayouts(api.services, id)
    }
  }
  await confirm(0, 4)
  await passTime(minutes)
  await confirm(4, 8)
  let usd = 0
  for (const { swap, quote } of swaps) {
    const rows = await api.services.database.selectFrom('payout').selectAll().where('swap_id', '=', swap.id).execute()
    const units = rows.find(({ kind }) => kind === 'output')?.units ?? 0n
    if (Number(units / 10n ** 10n) / 1e8 === quote.receive_amount) usd += 400
  }
  expect(usd).toBeLessThanOrEqual(LIMIT)
})
