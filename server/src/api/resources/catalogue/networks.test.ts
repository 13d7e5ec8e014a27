/** GET /networks shows the catalogue, and hides nodes that may carry a key. */
import { ListedNetwork } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { startApi, type TestApi } from '../../../../../tests/support/service/api.ts'

const Networks = z.array(ListedNetwork)

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

test('every field of a network and of a token is present', async () => {
  const [network] = await api.ask(Networks, { url: '/api/v2/networks', headers: { host: 'swap.example' } })
  const native = {
    symbol: 'SIM',
    display_asset: 'SIM',
    logo: 'http://swap.example/logos/tokens/SIM.svg',
    contract: null,
    decimals: 18,
    price_in_usd: 2000,
    precision: 8,
    listing_date: '2026-01-01T00:00:00Z',
    source_rank: 1,
    destination_rank: 1,
    group: 'SIM',
    supports_gasless_deposit: false,
  }
  expect(network).toMatchObject({
    name: 'ALPHA',
    display_name: 'Network ALPHA',
    logo: 'http://swap.example/logos/networks/ALPHA.svg',
    chain_id: '1000',
    node_url: 'https://public.example/rpc',
    nodes: ['https://public.example/rpc'],
    type: 'starkex',
    transaction_explorer_template: 'https://explorer.example/tx/{0}',
    account_explorer_template: 'https://explorer.example/account/{0}',
    source_rank: 0,
    destination_rank: 0,
    token: native,
    metadata: {
      listing_date: '2026-01-01T00:00:00Z',
      evm_oracle_contract: null,
      evm_multicall_contract: null,
      zks_paymaster_contract: null,
      watchdog_contract: null,
    },
    deposit_methods: ['wallet', 'deposit_address'],
  })
  expect(network?.tokens.map(({ symbol }) => symbol)).toEqual(['SIM', 'USDC'])
})

test('a network without deposit addresses offers the wallet only', async () => {
  const networks = await api.ask(Networks, '/api/v2/networks')
  expect(networks.find(({ name }) => name === 'GAMMA')?.deposit_methods).toEqual(['wallet'])
})

test('links follow the proxy that terminates TLS', async () => {
  const headers = { host: 'swap.example', 'x-forwarded-proto': 'https' }
  const [network] = await api.ask(Networks, { url: '/api/v2/networks', headers })
  expect(network?.logo).toBe('https://swap.example/logos/networks/ALPHA.svg')
})

test('types may be comma-separated, repeated, or both', async () => {
  const count = async (query: string) => (await api.ask(Networks, `/api/v2/networks?${query}`)).length
  expect(await count('network_types=evm')).toBe(0)
  expect(await count('network_types=evm,starkex')).toBe(3)
  expect(await count('network_types=evm&network_types=starkex')).toBe(3)
  expect(await count('network_types=evm,ton&network_types=solana')).toBe(0)
  expect(await count('network_types=')).toBe(3)
  expect(await count('network_types=EVM,StarkEx')).toBe(3)
  expect(await api.refuse('/api/v2/networks?network_types=evm,dogs')).toMatchObject({
    code: 'VALIDATION_ERROR',
    metadata: { network_types: expect.stringContaining('must be one of evm') },
  })
})

test('configured nodes are shown only if they are on this machine', async () => {
  const { config, catalogue } = api.services
  const network = catalogue.network('BETA')
  const configured = ['https://node.example/v2/secret-key', 'http://127.0.0.1:8545/']
  config.nodes.BETA = configured
  network.nodes = configured
  const networks = await api.ask(Networks, '/api/v2/networks')
  const shown = networks.find(({ name }) => name === 'BETA')
  expect(shown).toMatchObject({ node_url: 'http://127.0.0.1:8545/', nodes: ['http://127.0.0.1:8545/'] })
  expect(JSON.stringify(networks)).not.toContain('secret-key')
})
