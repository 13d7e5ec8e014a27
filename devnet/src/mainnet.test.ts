import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from './sandbox.ts'
import { welcome } from './welcome.ts'

const ONLY = ['BASE_MAINNET', 'BITCOIN_MAINNET', 'CELESTIA_MAINNET', 'ETHEREUM_MAINNET', 'OSMOSIS_MAINNET']
let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({ networks: 'networks/mainnet', only: ONLY, env: { LOG_LEVEL: 'fatal' } })
})
afterAll(() => sandbox?.stop())

async function ask(at: string, body?: object, key = sandbox.keys.public) {
  const headers = { 'X-LS-APIKEY': key, ...(body && { 'content-type': 'application/json' }) }
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
  const response = await fetch(sandbox.url + at, init)
  return { status: response.status, ...JSON.parse(await response.text()) }
}

it('a sandbox with the mainnet files has that environment, and so have its keys', async () => {
  expect((await ask('/api/v2/site')).data).toMatchObject({ environment: 'mainnet', sandbox: true })
  expect(await ask('/.well-known/causeway.json')).toMatchObject({ environment: 'mainnet' })
  expect(sandbox.keys.public).toMatch(/^causeway_mainnet_public_/)
  const other = sandbox.keys.public.replace('mainnet', 'testnet')
  expect(await ask('/api/v2/networks', undefined, other)).toMatchObject({ status: 403 })
  const screen = welcome(sandbox, sandbox.url)
  expect(screen).toContain('local chains under the names of mainnet networks')
})

// The second finds native deposits by balances; the third has its own address format.
it.each([
  ['BITCOIN_MAINNET', 'BTC', 0.001],
  ['BASE_MAINNET', 'ETH', 0.02],
  ['OSMOSIS_MAINNET', 'USDC', 20],
])('a swap from %s runs on local chains with mainnet names', async (network, token, amount) => {
  const { data } = await ask('/api/v2/swaps', {
    source_network: network,
    source_token: token,
    destination_network: '1',
    destination_token: 'USDC',
    destination_address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    amount,
  })
  await ask('/sandbox/deposit', { swap_id: data.swap.id })
  const status = async () => (await ask(`/api/v2/swaps/${data.swap.id}`)).data.swap.status
  await expect.poll(status, { timeout: 60_000, interval: 200 }).toBe('completed')
})
