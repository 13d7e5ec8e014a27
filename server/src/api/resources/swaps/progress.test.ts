/** Calls of the web pages: a swap's progress, route health, address checks, balances, and site info. */
import { Balance, CheckedAddress, CreatedSwap, RouteHealth, Site, SwapProgress } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { post, startApi, type TestApi } from '../../../../../tests/support/service/api.ts'

let api: TestApi
let address: string
beforeAll(async () => {
  api = await startApi({ SITE_NAME: 'Bridge & Co', SITE_CONTACT: 'mailto:help@example.com' })
  address = (await api.services.chains.get('BETA')?.depositAddresses?.derive(900_001)) ?? ''
})
afterAll(() => api.stop())

async function create(fields: object = {}): Promise<z.infer<typeof CreatedSwap>> {
  const route = {
    source_network: 'ALPHA',
    source_token: 'USDC',
    destination_network: 'BETA',
    destination_token: 'USDC',
  }
  return api.ask(CreatedSwap, post('/api/v2/swaps', { ...route, destination_address: address, amount: 100, ...fields }))
}
const progressOf = (id: string) => api.ask(SwapProgress, `/api/v2/swaps/${id}/progress`)

test("a new swap shows its window, its quote's term, and its refund address", async () => {
  const refund = (await api.services.chains.get('ALPHA')?.depositAddresses?.derive(900_002)) ?? ''
  const { swap, quote } = await create({ refund_address: refund })
  const told = await progressOf(swap.id)
  const made = Date.parse(swap.created_date)
  expect(told.quote_expires_at).toBe(quote.expires_at)
  expect(Date.parse(told.expires_at) - made).toBe(api.services.config.depositWindowMs)
  expect(told).toMatchObject({ deposit_seen_at: null, gives_up_at: null, held: null })
  expect(told.usual_seconds).toBeGreaterThan(0)
  expect(told.refund).toMatchObject({ address: refund, owed: 0, needs_address: false })
  expect(told.refund.text_to_sign).toContain(`Swap: ${swap.id}`)
  expect(await api.refuse(`/api/v2/swaps/${crypto.randomUUID()}/progress`)).toMatchObject({ status: 404 })
})

test('an address is invalid, valid, or blocked', async () => {
  const check = (text: string) => api.ask(CheckedAddress, `/api/v2/address?network=BETA&address=${text}`)
  expect(await check('nonsense')).toMatchObject({ valid: false, address: null })
  expect(await check(address)).toMatchObject({ valid: true, address, blocked: false })
  const { treasury = '' } = api.services.chains.get('BETA') ?? {}
  expect(await check(treasury)).toMatchObject({ valid: true, blocked: true })
  expect(await api.refuse(`/api/v2/address?network=NOWHERE&address=${address}`)).toMatchObject({ code: 'NOT_FOUND' })
})

test('a balance comes from the chain with the transfer cost; concurrent requests share one node call', async () => {
  const chain = api.services.chains.get('BETA')
  if (!chain) throw new Error('no chain')
  const { balances } = chain
  let asked = 0
  chain.balances = (wanted) => {
    asked += 1
    return balances.call(chain, wanted)
  }
  const url = `/api/v2/balance?network=BETA&token=USDC&address=${chain.treasury}`
  const [told] = await Promise.all([api.ask(Balance, url), api.ask(Balance, url), api.ask(Balance, url)])
  expect(asked).toBe(1)
  const usdc = chain.network.tokens.find(({ symbol }) => symbol === 'USDC')
  if (!usdc) throw new Error('no token')
  const { units } = await balances.call(chain, [{ owner: chain.treasury, token: usdc }])
  expect(told.amount_in_base_units).toBe(String(units[0]))
  expect(BigInt(told.transfer_cost_in_base_units)).toBe((await chain.fees()).tokenTransfer)
  chain.balances = balances
  expect(await api.refuse('/api/v2/balance?network=BETA&token=USDC&address=nonsense')).toMatchObject({
    code: 'INVALID_ADDRESS_ERROR',
  })
})

test('routes without swaps have no health, and the site shows its name', async () => {
  expect(await api.ask(z.array(RouteHealth), '/api/v2/routes/health')).toEqual([])
  expect(await api.ask(Site, '/api/v2/site')).toMatchObject({
    name: 'Bridge & Co',
    contact: 'mailto:help@example.com',
    environment: 'testnet',
    sandbox: false,
    paused: [],
  })
})
