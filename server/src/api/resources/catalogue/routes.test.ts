/** GET /sources and /destinations list exactly what can be swapped now, and each flag does what it says. */
import { ListedNetwork, Quoted, RouteNetwork } from '@causeway/sdk'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { startApi, type TestApi } from '../../../../../tests/support/service/api.ts'
import { chainOf } from '../../../catalogue/chains.ts'

const Networks = z.array(RouteNetwork)
const EVERYTHING = ['ALPHA/SIM', 'ALPHA/USDC', 'BETA/SIM', 'BETA/USDC', 'GAMMA/SIM', 'GAMMA/USDC']

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterEach(() => {
  api.services.rules.length = 0
})
afterAll(() => api.stop())

const ask = (path: string) => api.ask(Networks, `/api/v2/${path}`)
/** The listed tokens, as `NETWORK/TOKEN`; with the status unless it is `active`. */
async function listed(path: string): Promise<string[]> {
  const networks = await ask(path)
  return networks.flatMap(({ name, tokens }) =>
    tokens.map(({ symbol, status }) => `${name}/${symbol}${status === 'active' ? '' : ` ${status}`}`),
  )
}

test('without a filter every token that can be swapped is listed, with status and refuel', async () => {
  expect(await listed('sources')).toEqual(EVERYTHING)
  expect(await listed('destinations')).toEqual(EVERYTHING)
  const [alpha] = await ask('destinations')
  expect(alpha?.deposit_methods).toEqual(['wallet', 'deposit_address'])
  expect(alpha?.tokens[1]).toMatchObject({
    symbol: 'USDC',
    status: 'active',
    refuel: { token: { symbol: 'SIM' }, network: { name: 'ALPHA' }, amount: 0.0005, amount_in_usd: 1 },
  })
  expect(alpha?.tokens[0]?.refuel).toBeNull()
})

test('a token has no route to itself', async () => {
  const others = EVERYTHING.filter((name) => name !== 'BETA/USDC')
  expect(await listed('sources?destination_network=BETA&destination_token=USDC')).toEqual(others)
  expect(await listed('destinations?source_network=BETA&source_token=USDC')).toEqual(others)
  expect(await listed('sources?destination_network=BETA&destination_token=USDC&include_unmatched=true')).toEqual(
    EVERYTHING.map((name) => (name === 'BETA/USDC' ? `${name} not_found` : name)),
  )
})

test('a network alone or a token alone is a filter too', async () => {
  expect(await listed('sources?destination_network=beta')).toEqual(EVERYTHING)
  expect(await listed('destinations?source_token=USDC')).toEqual(EVERYTHING)
  const [alpha] = await ask('sources?destination_network=BETA&destination_token=USDC')
  expect(alpha?.tokens[0]?.refuel).toMatchObject({ network: { name: 'BETA' }, amount: 0.0005 })
})

test('unknown names are ROUTE_NOT_FOUND_ERROR', async () => {
  for (const query of [
    'destination_network=NOWHERE',
    'destination_network=BETA&destination_token=DOGS',
    'destination_token=DOGS',
  ])
    expect(await api.refuse(`/api/v2/sources?${query}`)).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND_ERROR' })
})

test('a token without a price is not active, and is listed only on request', async () => {
  const { market } = api.services
  const price = market.price
  market.price = (token) => (token.symbol === 'SIM' ? null : price(token))
  try {
    // Fees are paid in SIM: without its price nothing can be priced.
    expect(await listed('sources')).toEqual([])
    expect(await listed('sources?include_unavailable=true')).toEqual(EVERYTHING.map((name) => `${name} inactive`))
    expect(await listed('destinations?include_unmatched=1')).toEqual(EVERYTHING.map((name) => `${name} inactive`))
  } finally {
    market.price = price
  }
})

test('an empty wallet makes its token inactive as a destination, not as a source', async () => {
  const { market } = api.services
  const free = market.free
  market.free = (token) => (token.network === 'BETA' && token.symbol === 'USDC' ? 0n : free(token))
  try {
    const without = EVERYTHING.filter((name) => name !== 'BETA/USDC')
    expect(await listed('destinations')).toEqual(without)
    expect(await listed('sources')).toEqual(EVERYTHING)
    expect(await listed('sources?destination_network=BETA&destination_token=USDC')).toEqual([])
    expect(await listed('destinations?include_unavailable=true')).toContain('BETA/USDC inactive')
  } finally {
    market.free = free
  }
})

test('a closed route is not found; unavailable does not mean unmatched', async () => {
  api.services.rules.push({
    source: { network: 'ALPHA' },
    destination: { network: 'BETA', token: 'USDC' },
    closed: true,
  })
  const path = 'sources?destination_network=BETA&destination_token=USDC'
  expect(await listed(path)).toEqual(['BETA/SIM', 'GAMMA/SIM', 'GAMMA/USDC'])
  expect(await listed(`${path}&include_unavailable=true`)).toEqual(['BETA/SIM', 'GAMMA/SIM', 'GAMMA/USDC'])
  expect(await listed(`${path}&include_unmatched=true`)).toContain('ALPHA/SIM not_found')
})

test('pairs that need a swap provider are listed with include_swaps', async () => {
  api.services.rules.push({ source: { token: 'SIM' }, destination: { token: 'USDC' }, provider: 'dex' })
  const path = 'sources?destination_network=BETA&destination_token=USDC'
  const ours = ['ALPHA/USDC', 'GAMMA/USDC']
  const all = ['ALPHA/SIM', 'ALPHA/USDC', 'BETA/SIM', 'GAMMA/SIM', 'GAMMA/USDC']
  expect(await listed(path)).toEqual(ours)
  expect(await listed(`${path}&include_swaps=true`)).toEqual(all)
  // GAMMA has no deposit addresses.
  const byAddress = ['ALPHA/SIM', 'ALPHA/USDC', 'BETA/SIM']
  expect(await listed(`${path}&include_swaps_via_deposit_address=true`)).toEqual([...byAddress, 'GAMMA/USDC'])
  expect(await listed(`${path}&has_deposit_address=true`)).toEqual(['ALPHA/USDC'])
  expect(await listed(`${path}&has_deposit_address=true&include_swaps=true`)).toEqual(['ALPHA/USDC'])
  expect(await listed(`${path}&has_deposit_address=true&include_swaps_via_deposit_address=true`)).toEqual(byAddress)
})

test('has_deposit_address applies to the source, on both lists', async () => {
  expect(await listed('sources?has_deposit_address=true')).toEqual(
    EVERYTHING.filter((name) => !name.startsWith('GAMMA')),
  )
  expect(await listed('destinations?has_deposit_address=true')).toEqual(EVERYTHING)
  expect(await listed('destinations?source_network=GAMMA&has_deposit_address=true')).toEqual([])
})

test('without references only deposit addresses are offered, and without those no deposits', async () => {
  const [alpha, gamma] = [chainOf(api.services.chains, 'ALPHA'), chainOf(api.services.chains, 'GAMMA')]
  const references = { alpha: alpha.references, gamma: gamma.references }
  delete alpha.references
  delete gamma.references
  try {
    const methods = (await api.ask(z.array(ListedNetwork), '/api/v2/networks')).map(
      (network) => network.deposit_methods,
    )
    expect(methods).toEqual([['deposit_address'], ['wallet', 'deposit_address'], []])
    const noGamma = EVERYTHING.filter((name) => !name.startsWith('GAMMA'))
    expect(await listed('sources')).toEqual(noGamma)
    expect(await listed('sources?has_deposit_address=true')).toEqual(noGamma)
    expect(await listed('destinations')).toEqual(EVERYTHING)
    const quote = (from: string, more = '') =>
      `/api/v2/quote?source_network=${from}&source_token=USDC&destination_network=BETA&destination_token=USDC&amount=100${more}`
    const { quote: flagged } = await api.ask(Quoted, quote('ALPHA', '&use_deposit_address=true'))
    expect((await api.ask(Quoted, quote('ALPHA'))).quote.total_fee).toBe(flagged.total_fee)
    expect(await api.refuse(quote('GAMMA'))).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND_ERROR' })
  } finally {
    Object.assign(alpha, { references: references.alpha })
    Object.assign(gamma, { references: references.gamma })
  }
})

test('types may be comma-separated, repeated, or both', async () => {
  for (const list of ['sources', 'destinations']) {
    expect(await ask(`${list}?network_types=evm`)).toEqual([])
    expect(await ask(`${list}?network_types=evm,starkex&network_types=ton`)).toHaveLength(3)
    expect(await ask(`${list}?network_types=evm&network_types=starkex`)).toHaveLength(3)
    expect(await api.refuse(`/api/v2/${list}?network_types=dogs`)).toMatchObject({ code: 'VALIDATION_ERROR' })
  }
})

test('every active token can be quoted', async () => {
  for (const source of await ask('sources')) {
    for (const { symbol } of source.tokens) {
      const named = `source_network=${source.name}&source_token=${symbol}`
      for (const destination of await ask(`destinations?${named}`)) {
        for (const token of destination.tokens) {
          const route = `${named}&destination_network=${destination.name}&destination_token=${token.symbol}`
          expect((await api.server.inject(`/api/v2/limits?${route}`)).statusCode).toBe(200)
        }
      }
    }
  }
})
