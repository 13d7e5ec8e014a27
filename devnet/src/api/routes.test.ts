import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../sandbox.ts'

const NETWORK = 'BASE_SEPOLIA'
let sandbox: Sandbox
let address: string

beforeAll(async () => {
  sandbox = await startSandbox({ only: ['BASE_SEPOLIA', 'ETHEREUM_SEPOLIA'], env: { LOG_LEVEL: 'fatal' } })
  address = (await post('address', { network: NETWORK })).data.address
})
afterAll(() => sandbox?.stop())

async function ask(path: string, init?: RequestInit) {
  const response = await fetch(`${sandbox.url}${path}`, init)
  return { status: response.status, ...JSON.parse(await response.text()) }
}

function post(path: string, body: unknown) {
  const headers = { 'content-type': 'application/json' }
  return ask(`/sandbox/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

const balanceOf = async (token: string) =>
  (await ask(`/sandbox/balance?${new URLSearchParams({ network: NETWORK, token, address })}`)).data

describe('the sandbox describes itself', () => {
  it('names every network with its engine and node', async () => {
    const { data } = await ask('/sandbox')
    expect(data.networks.map(({ network }: { network: string }) => network)).toContain(NETWORK)
    expect(data.networks[0]).toMatchObject({ simulated: false, node_url: expect.stringContaining('http://127.0.0.1:') })
  })

  it('returns ten funded accounts with their keys', async () => {
    const { data } = await ask('/sandbox/accounts')
    expect(data[0].accounts).toHaveLength(10)
    expect(data[0].accounts[0]).toEqual({ address: expect.any(String), private_key: expect.any(String) })
  })
})

describe('the faucet', () => {
  it('arrives to the last base unit', async () => {
    await post('fund', { network: NETWORK, token: 'USDC', address, amount: '1.234567' })
    expect(await balanceOf('USDC')).toEqual({ amount: 1.234567, amount_in_base_units: '1234567' })
    await post('fund', { network: '84532', token: 'ETH', address, amount: 1e-18 })
    expect((await balanceOf('ETH')).amount_in_base_units).toBe('1')
  })

  it.each([
    [{ network: 'NOWHERE', token: 'ETH', amount: 1 }, /there is no network NOWHERE/],
    [{ network: NETWORK, token: 'NONE', amount: 1 }, /has no token NONE/],
    [{ network: NETWORK, token: 'USDC', amount: '0.0000001' }, /which has 6 decimals/],
    [{ network: NETWORK, token: 'USDC', amount: 0 }, /is no amount/],
    [{ network: NETWORK, token: 'USDC', amount: -1 }, /is no amount/],
  ])('is rejected with a reason: %j', async (body, reason) => {
    const { status, error } = await post('fund', { ...body, address })
    expect([status, error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(error.message).toMatch(reason)
  })
})

describe('blocks and reorgs on demand', () => {
  it('are bounded', async () => {
    expect((await post('mine', { network: NETWORK, blocks: 3 })).status).toBe(200)
    expect((await post('reorg', { network: NETWORK, depth: 2 })).status).toBe(200)
    expect((await post('mine', { network: NETWORK, blocks: 1_001 })).status).toBe(400)
    expect((await post('reorg', { network: NETWORK, depth: 65 })).status).toBe(400)
  })
})

describe('a reorg of a deposit', () => {
  it('waits until the deposit is seen; a removed deposit comes back; a credited one is not removed', async () => {
    const ends = {
      ...{ source_network: 'ETHEREUM_SEPOLIA', source_token: 'ETH' },
      ...{ destination_network: NETWORK, destination_token: 'ETH' },
    }
    const limits = (await ask(`/api/v2/limits?${new URLSearchParams(ends)}`)).data
    const { data } = await ask('/api/v2/swaps', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...ends, destination_address: address, amount: (limits.max_amount * 0.9).toFixed(6) }),
    })
    const swapId = data.swap.id
    const reorg = post('reorg', { swap_id: swapId })
    await post('deposit', { swap_id: swapId })
    expect(await reorg).toMatchObject({ status: 200, data: { network: 'ETHEREUM_SEPOLIA' } })
    const happened = async () =>
      (await ask(`/api/v2/swaps/${swapId}/progress`)).data.history.map(({ type }: { type: string }) => type)
    await expect.poll(happened, { timeout: 20_000 }).toContain('deposit_gone')
    await post('deposit', { swap_id: swapId })
    const status = async () => (await ask(`/api/v2/swaps/${swapId}`)).data.swap.status
    await expect.poll(status, { timeout: 30_000 }).toBe('completed')
    const late = await post('reorg', { swap_id: swapId })
    expect([late.status, late.error.message]).toEqual([400, expect.stringContaining('counts already')])
  })
})

describe('a deposit without a wallet', () => {
  it('follows the deposit action, and the swap sees it', async () => {
    const { data } = await ask('/api/v2/swaps', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        source_network: 'ETHEREUM_SEPOLIA',
        source_token: 'USDC',
        destination_network: NETWORK,
        destination_token: 'ETH',
        destination_address: address,
        amount: 30,
      }),
    })
    const swapId = data.swap.id
    expect((await post('deposit', { swap_id: swapId, amount: 10 })).error.message).toMatch(/inside the call_data/)
    expect((await post('deposit', { swap_id: swapId, account: 10 })).error.message).toMatch(/accounts 0 to 9/)
    const made = await post('deposit', { swap_id: swapId, account: 3 })
    expect(made.data.transaction_hash).toMatch(/^0x[0-9a-f]{64}$/)
    await expect
      .poll(async () => (await ask(`/api/v2/swaps/${swapId}`)).data.swap.transactions[0]?.transaction_hash, {
        timeout: 20_000,
      })
      .toBe(made.data.transaction_hash)
  })

  it.each([
    ['through the Depository', 'USDT', { use_depository: true }],
    ['by a signature', 'USDC', { use_gasless: true }],
  ])('is made %s', async (_, token, flags) => {
    const { data: accounts } = await ask('/sandbox/accounts')
    const own = accounts.find(({ network }: { network: string }) => network === 'ETHEREUM_SEPOLIA').accounts[4]
    const { data } = await ask('/api/v2/swaps', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        source_network: 'ETHEREUM_SEPOLIA',
        source_token: token,
        destination_network: NETWORK,
        destination_token: 'ETH',
        destination_address: address,
        source_address: own.address,
        amount: 30,
        ...flags,
      }),
    })
    const swapId = data.swap.id
    expect((await post('deposit', { swap_id: swapId, account: 4, amount: 10 })).status).toBe(400)
    const made = await post('deposit', { swap_id: swapId, account: 4 })
    expect(made.data.transaction_hash).toMatch(/^0x[0-9a-f]{64}$/)
  })

  it('for an unknown swap is a 404', async () => {
    const { status } = await post('deposit', { swap_id: '2b354a76-0d6d-4269-9b0c-8ad9c278087e' })
    expect(status).toBe(404)
  })
})

describe('a delay', () => {
  it('holds the payout as paused, and releases it when the time is over', async () => {
    const { data } = await ask('/api/v2/swaps', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-ls-apikey': sandbox.keys.public },
      body: JSON.stringify({
        source_network: 'ETHEREUM_SEPOLIA',
        source_token: 'ETH',
        destination_network: NETWORK,
        destination_token: 'ETH',
        destination_address: address,
        amount: 0.1,
      }),
    })
    const swapId = data.swap.id
    const hook = (await post('hooks', {})).data
    expect(hook.secret).toMatch(/^whsec_/)
    expect((await post('delay', { network: NETWORK, seconds: 3_601 })).status).toBe(400)
    expect((await post('delay', { network: NETWORK, seconds: 600 })).status).toBe(200)
    await post('deposit', { swap_id: swapId })
    const held = async () => (await ask(`/api/v2/swaps/${swapId}/progress`)).data.held
    await expect.poll(held, { timeout: 20_000 }).toBe('paused')
    // The latest delay counts.
    await post('delay', { network: NETWORK, seconds: 1 })
    const status = async () => (await ask(`/api/v2/swaps/${swapId}`)).data.swap.status
    await expect.poll(status, { timeout: 20_000 }).toBe('completed')
    const told = async () =>
      (await ask('/sandbox/hooks')).data
        .filter(({ problem }: { problem: string | null }) => problem === null)
        .map(({ body }: { body: string }) => JSON.parse(body).data.swap.status)
    await expect.poll(told, { timeout: 20_000 }).toContain('completed')
    await fetch(hook.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    expect((await ask('/sandbox/hooks')).data[0]).toMatchObject({
      id: null,
      body: '{}',
      problem: expect.stringContaining('missing'),
    })
  })
})

describe('a test account', () => {
  it('signs a text, or reports that its chain cannot', async () => {
    const { data } = await post('sign', { network: NETWORK, account: 1, text: 'back to me' })
    expect(data.signature).toMatch(/^0x[0-9a-f]{130}$/)
    expect((await post('sign', { network: NETWORK })).status).toBe(400)
  })
})
