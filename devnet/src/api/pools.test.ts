/** The sandbox's exchanges: a token that only pools hold can be bought and sold, and its pools move on demand. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { poolAddress } from '../../../chains/evm/local/src/uniswap.ts'
import { type Sandbox, startSandbox } from '../sandbox.ts'

const [V2, V3] = ['OPTIMISM_SEPOLIA', 'ARBITRUM_SEPOLIA']
let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({ only: [V2, V3], env: { LOG_LEVEL: 'fatal' } })
})
afterAll(() => sandbox?.stop())

async function ask(path: string, body?: unknown) {
  const headers = { 'content-type': 'application/json' }
  const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(`${sandbox.url}${path}`, init)
  return JSON.parse(await response.text())
}

const route = (from: string, sold: string, to: string, bought: string) => ({
  ...{ source_network: from, source_token: sold, destination_network: to, destination_token: bought },
})

async function quote(ends: Record<string, string>, amount = 100) {
  return ask(`/api/v2/quote?${new URLSearchParams({ ...ends, amount: String(amount) })}`)
}

/** Pools are read about once per block. */
async function until<T>(read: () => Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read()
    if (isDone(value)) return value
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

it('lists the pools that the local chains open, and the treasury holds nothing of their token', async () => {
  for (const name of [V2, V3]) {
    const { providers = [], tokens } = sandbox.catalogue.network(name)
    const [pool] = providers.flatMap(({ pools }) => pools)
    if (!pool) throw new Error('no pool is listed')
    expect(pool.address).toBe(poolAddress(pool.kind, pool.token0 as '0x', pool.token1 as '0x', pool.feePpm))
    const gem = tokens.find(({ symbol }) => symbol === 'GEM')
    if (!gem) throw new Error('no GEM is listed')
    expect(await sandbox.devnets.get(name)?.balance(gem, sandbox.treasuries[name] ?? '')).toBe(0n)
  }
})

it('a newcomer buys GEM on one chain and sells it on the other', async () => {
  const account = sandbox.devnets.get(V2)?.accounts[3]?.address ?? ''
  for (const [ends, path, exchange] of [
    [route(V2, 'USDC', V3, 'GEM'), ['causeway', 'uniswap-v3'], { type: 'purchase', provider: 'uniswap-v3' }],
    [route(V2, 'GEM', V3, 'USDC'), ['uniswap-v2', 'causeway'], { type: 'sale', provider: 'uniswap-v2' }],
  ] as const) {
    const addresses = { destination_address: account, refund_address: account }
    const { data } = await ask('/api/v2/swaps', { ...ends, ...addresses, amount: 50 })
    expect(data.quote.price_impact).toBeGreaterThan(0)
    expect(data.quote.path.map(({ provider }: { provider: string }) => provider)).toEqual(path)
    await ask('/sandbox/deposit', { swap_id: data.swap.id })
    const ended = await until(
      async () => (await ask(`/api/v2/swaps/${data.swap.id}`)).data.swap,
      ({ status }) => status === 'completed' || status === 'failed' || status === 'refunded',
    )
    expect(ended.status).toBe('completed')
    const [leg] = ended.legs
    expect(leg).toMatchObject({ ...exchange, status: 'completed', transaction_hash: expect.stringMatching(/^0x/) })
    expect(leg.bought_amount).toBeGreaterThanOrEqual(leg.min_bought_amount)
    // The recipient's transaction is in the destination token, also if the exchange pays it.
    const output = ended.transactions.find(({ type }: { type: string }) => type === 'output')
    expect(output.token.symbol).toBe(ends.destination_token)
    if (leg.type === 'purchase') expect(output.amount).toBe(leg.bought_amount)
  }
})

it.each([V2, V3])('a pool of %s moves by the asked percent, both ways', async (network) => {
  const ends = route(network === V2 ? V3 : V2, 'USDC', network, 'GEM')
  const rate = async () => (await quote(ends)).data.quote.rate as number
  const before = await rate()
  await ask('/sandbox/pool/move', { network, token: 'GEM', percent: 25 })
  const dearer = await until(rate, (value) => value !== before)
  expect(before / dearer).toBeCloseTo(1.25, 2)
  await ask('/sandbox/pool/move', { network, token: 'GEM', percent: -20 })
  expect(await until(rate, (value) => value !== dearer)).toBeCloseTo(before, 2)
})

it.each([
  [V2, 'ROUTE_NOT_FOUND_ERROR'],
  [V3, 'PRICE_UNAVAILABLE'],
])('an emptied pool of %s is not offered any more', async (network, code) => {
  const ends = route(network === V2 ? V3 : V2, 'USDC', network, 'GEM')
  expect((await quote(ends)).error).toBeUndefined()
  await ask('/sandbox/pool/empty', { network, token: 'GEM' })
  const { error } = await until(
    () => quote(ends),
    (answer) => answer.error !== undefined,
  )
  expect(error.code).toBe(code)
})

it.each([
  [{ network: V2, token: 'USDC', percent: 5 }, /no pool of this token/],
  [{ network: V2, token: 'GEM', percent: 0 }, /must not be 0/],
  [{ network: V2, token: 'GEM', percent: -100 }, /percent/],
])('is rejected with a reason: %j', async (body, reason) => {
  expect((await ask('/sandbox/pool/move', body)).error.message).toMatch(reason)
})
