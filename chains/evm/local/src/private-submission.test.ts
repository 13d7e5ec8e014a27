/** Exchanges go to a private endpoint, and to no public node, whatever the endpoint does. */
import { type ChainAdapter, type Order, RetryLater, routeText } from '@causeway/core'
import { getAddress, type Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { forward, startServer } from '../../../../tests/support/chains/samples.ts'
import { type SimulatedEndpoint, startPrivateEndpoint } from '../../../../tests/support/exchanges/private-endpoint.ts'
import { control, startChain, testNetwork, tokenOf, USDC } from './testbed.ts'
import { deployUniswap, EXCHANGE_OWNER, UNISWAP } from './uniswap.ts'

const GEM = '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d'
const providers = [{ name: 'v2', router: UNISWAP.router2, wrappedNative: UNISWAP.weth }]
const network = testNetwork({ providers } as object, { USDC, GEM })
const usdc = tokenOf(network, 'USDC')
const gem = tokenOf(network, 'GEM')
const RECIPIENT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const UNIT = 10n ** 6n
const BLOCKS = 25

let chain: Awaited<ReturnType<typeof startChain>>
let endpoint: SimulatedEndpoint
let publicNode: { url: string; stop(): Promise<void> }
let pool = ''
/** The methods that the public node was asked. */
const publicly: string[] = []

beforeAll(async () => {
  chain = await startChain(network)
  const { local, node, treasury, url } = chain
  const uniswap = await deployUniswap((method, params) => control(node, method, ...params))
  for (const token of [usdc, gem]) await local.fund(token, EXCHANGE_OWNER, 10_000_000n * UNIT)
  await local.fund(usdc, treasury, 100_000n * UNIT)
  await local.fund(network.nativeToken, treasury, 10n ** 20n)
  const [token0, token1] = [getAddress(USDC), getAddress(GEM)].sort((a, b) =>
    a.toLowerCase() < b.toLowerCase() ? -1 : 1,
  ) as [Hex, Hex]
  pool = await uniswap.openV2(token0, token1, 1_000_000n * UNIT, 500_000n * UNIT)
  publicNode = await startServer(async (text) => {
    const request = JSON.parse(text)
    for (const { method } of [request].flat()) publicly.push(method)
    return forward(url, request)
  })
  endpoint = await startPrivateEndpoint((bytes) => control(node, 'eth_sendRawTransaction', bytes))
})
afterAll(async () => {
  await Promise.all([endpoint.stop(), publicNode.stop()])
  await chain.local.stop()
})
beforeEach(() => {
  endpoint.mode = 'include'
  for (const list of [publicly, endpoint.asked, endpoint.held]) list.splice(0)
})

function open(method: 'eth_sendRawTransaction' | 'eth_sendPrivateTransaction' = 'eth_sendRawTransaction') {
  return chain.open({ nodes: [publicNode.url], privateSubmission: { url: endpoint.url, method } })
}

function exchangeOrder(units = 10n * UNIT): Order {
  const route = { kind: 'uniswap_v2' as const, router: UNISWAP.router2, quoter: null, pool, feePpm: 3000 }
  const exchange = {
    ...{ provider: 'v2', network: network.name, sells: { token: usdc, units }, buys: gem, minUnits: 1n },
    ...{ to: RECIPIENT, deadline: new Date(Date.now() + 3_600_000) },
    route: routeText({ ...route, path: [USDC, GEM], native: null }),
  }
  return { kind: 'exchange', account: chain.treasury, exchange }
}

/** A signed exchange with its approval in place. */
async function signedExchange(adapter: ChainAdapter) {
  const order = exchangeOrder()
  const call = adapter.exchanges?.approvalCall(UNISWAP.router2, usdc, 10n * UNIT) ?? ''
  const approval = await signed(adapter, { kind: 'transfers', account: chain.treasury, transfers: [], call })
  await adapter.broadcast(approval)
  // Approvals are no secret.
  expect(publicly).toContain('eth_sendRawTransaction')
  publicly.splice(0)
  return signed(adapter, order)
}

async function signed(adapter: ChainAdapter, order: Order) {
  const draft = await adapter.prepare(order, null)
  const slot = await adapter.nextSlot(order, draft, [])
  return { ...(await adapter.sign(order, slot, draft)), slot, account: chain.treasury }
}

const statusOf = async (adapter: ChainAdapter, sent: { hash: string; slot: readonly string[]; account: string }) =>
  (await adapter.status(sent, async () => null)).state

/** Whether the chain's own mempool, or a block, has it. */
async function isPublic(hash: string): Promise<boolean> {
  return (await control(chain.node, 'eth_getTransactionByHash', hash)) !== null
}

test.each(['eth_sendRawTransaction', 'eth_sendPrivateTransaction'] as const)(
  'an exchange is sent by %s, and no public node sees it before its block',
  async (method) => {
    endpoint.mode = 'never'
    const adapter = await open(method)
    const exchange = await signedExchange(adapter)
    await adapter.broadcast(exchange)
    expect(endpoint.asked.map((one) => one.method)).toEqual([method])
    expect(publicly).not.toContain('eth_sendRawTransaction')
    expect(await isPublic(exchange.hash)).toBe(false)
    expect(await statusOf(adapter, exchange)).toBe('unknown')
    await endpoint.include()
    expect(await statusOf(adapter, exchange)).toBe('included')
  },
)

test('the same bytes are sent again only after some blocks, again privately', async () => {
  endpoint.mode = 'never'
  const adapter = await open('eth_sendPrivateTransaction')
  const exchange = await signedExchange(adapter)
  await adapter.broadcast(exchange)
  await adapter.broadcast(exchange)
  expect(endpoint.asked).toHaveLength(1)
  await control(chain.node, 'hardhat_mine', `0x${BLOCKS.toString(16)}`)
  await adapter.broadcast(exchange)
  expect(endpoint.asked).toHaveLength(2)
  const [first, second] = endpoint.asked.map(({ params }) => params[0] as { tx: string; maxBlockNumber: string })
  expect(second?.tx).toBe(first?.tx)
  expect(BigInt(second?.maxBlockNumber ?? 0) - BigInt(first?.maxBlockNumber ?? 0)).toBe(BigInt(BLOCKS))
  expect(await isPublic(exchange.hash)).toBe(false)
  await endpoint.include()
})

test.each(['down', 'refuse'] as const)('an endpoint that is in the mode %s fails the broadcast', async (mode) => {
  const adapter = await open()
  const exchange = await signedExchange(adapter)
  endpoint.mode = mode
  await expect(adapter.broadcast(exchange)).rejects.toThrow(RetryLater)
  expect(publicly).not.toContain('eth_sendRawTransaction')
  expect(await isPublic(exchange.hash)).toBe(false)
  endpoint.mode = 'include'
  await adapter.broadcast(exchange)
  expect(await statusOf(adapter, exchange)).toBe('included')
  // A refusal of what is mined already is no failure.
  endpoint.mode = 'refuse'
  await (await open()).broadcast(exchange)
})

test('an exchange stays private after its router was taken off the list, as after a restart', async () => {
  endpoint.mode = 'never'
  const exchange = await signedExchange(await open())
  const privateSubmission = { url: endpoint.url, method: 'eth_sendRawTransaction' } as const
  const later = await chain.open({ nodes: [publicNode.url], privateSubmission, providers: [] } as object)
  await later.broadcast(exchange)
  expect(publicly).not.toContain('eth_sendRawTransaction')
  expect(await isPublic(exchange.hash)).toBe(false)
  await endpoint.include()
})

test('a cancellation uses the nonce publicly, and the exchange is proven dead', async () => {
  endpoint.mode = 'never'
  const adapter = await open()
  const exchange = await signedExchange(adapter)
  await adapter.broadcast(exchange)
  const cancel: Order = { kind: 'cancel', account: chain.treasury }
  const draft = await adapter.prepare(cancel, { hash: exchange.hash, bytes: exchange.bytes })
  await adapter.broadcast(await adapter.sign(cancel, exchange.slot, draft))
  expect(publicly).toContain('eth_sendRawTransaction')
  await control(chain.node, 'hardhat_mine', `0x${(network.finalDepth + 1).toString(16)}`)
  await endpoint.include()
  expect(await statusOf(adapter, exchange)).toBe('dead')
})

test('without the setting an exchange goes to the nodes', async () => {
  const adapter = await chain.open({ nodes: [publicNode.url] })
  const exchange = await signedExchange(adapter)
  await adapter.broadcast(exchange)
  expect(publicly).toContain('eth_sendRawTransaction')
  expect(endpoint.asked).toEqual([])
})
