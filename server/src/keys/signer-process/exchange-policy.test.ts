/** Exchanges through the remote signer: a hostile service gets none that the policy does not cover. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { SimulatedAggregationRouter } from '@causeway/contracts'
import { type Exchange, type Order, parseDecimal, parseRoute, routeText, type Token, tokenKey } from '@causeway/core'
import { encodeFunctionData } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { loadFamily } from '../../catalogue/chains.ts'
import type { RecordedPayout } from '../journal/line.ts'
import { ACCOUNT, ALICE, BOB, draftAt, NETWORK, openTestSigner, payment, quiet, testCatalogue } from '../testing.ts'
import { readPolicy } from './policy.ts'

const ROUTER = '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D'
const UNLISTED_BY_POLICY = '0xE592427A0AEce92De3Edee1F18E0157C05861564'
const AGGREGATOR = '0x1111111254EEB25477B68fb85Ed929f73A960582'
const AGGREGATOR_UNLISTED_BY_POLICY = '0x1111111254fb6c44bAC0beD2854e76F90643097d'
const WETH = '0x4200000000000000000000000000000000000006'
const GEM = '0x00000000000000000000000000000000000063E1'
const FACTORY = '0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f'
const POOL = '0x0d4a11d5EEaaC28EC3F61d100daF4d40471f1852'
const E18 = 10n ** 18n
const GAS = 300_000
const NOW = new Date('2026-11-15T12:00:00Z')
const DEADLINE = new Date('2026-11-15T12:30:00Z')

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const exchanges = { routers: [ROUTER, AGGREGATOR], max_loss: '0.05', prices: { GEM: '2', USDC: '1' } }
const tokens = {
  ETH: { max: '2', max_per_hour: '5' },
  USDC: { max: '1000', max_per_hour: '3000' },
  GEM: { max: '500', max_per_hour: '900' },
}

/** The network lists two routers; the policy lists one of them. */
function networksFolder(): { networks: string; journal: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-exchange-policy-'))
  const networks = path.join(folder, 'networks')
  mkdirSync(networks)
  const source = path.join(import.meta.dirname, '../../../../networks/sandbox', `${NETWORK}.json`)
  const file = JSON.parse(readFileSync(source, 'utf8'))
  const gem = {
    ...{ symbol: 'GEM', display_asset: 'GEM', contract: GEM, decimals: 18, precision: 8, group: 'GEM' },
    ...{ listing_date: '2026-11-15T00:00:00Z', source_rank: 9, destination_rank: 9, pool_only: true },
  }
  const provider = (name: string, router: string) => ({
    ...{ name, kind: 'uniswap_v2', factory: FACTORY, router, hub: 'USDC', wrapped_native: WETH },
    pools: [{ token: 'GEM', address: POOL }],
  })
  const providers = [provider('listed', ROUTER), provider('other', UNLISTED_BY_POLICY)]
  const aggregators = [AGGREGATOR, AGGREGATOR_UNLISTED_BY_POLICY].map((router, at) => ({
    ...{ name: `aggregator${at}`, kind: 'oneinch_v6', router, url: 'http://unused.example' },
  }))
  const text = JSON.stringify({ ...file, tokens: [...file.tokens, gem], providers, aggregators })
  writeFileSync(path.join(networks, `${NETWORK}.json`), text)
  return { networks, journal: path.join(folder, 'journal') }
}

async function openWorld(changes: Record<string, unknown> = {}, priceOf?: (token: Token) => bigint | null) {
  const { networks, journal } = networksFolder()
  const { catalogue, network, eth, usdc } = await testCatalogue(networks)
  const gem = network.tokens.find(({ symbol }) => symbol === 'GEM') as Token
  const policy = { networks: { [NETWORK]: { tokens, exchanges, ...changes } } }
  const clock = { now: NOW }
  const opened = await openTestSigner({
    ...{ catalogue, policy, folder: journal, now: () => clock.now },
    ...(priceOf ? { priceOf } : {}),
  })
  cleanups.push(opened.stop)
  const adapter = await (await loadFamily('evm')).open({ network, signer: opened.signer, log: quiet })
  let nonce = 0
  const signFor = (order: Order, payouts: RecordedPayout[], gwei = 1, at = nonce++) =>
    opened.sign(NETWORK, order, [`${at}`], draftAt(gwei, GAS), { payouts })
  /** As an honest service asks: the payout is the exchange. */
  const sign = (order: Extract<Order, { kind: 'exchange' }>, gwei = 1, at = nonce++) =>
    signFor(order, [payoutOf(order.exchange)], gwei, at)
  const approve = (call: string) => signFor({ kind: 'transfers', account: ACCOUNT, transfers: [], call }, [])
  const review = (order: Order) => opened.signer.review?.(NETWORK, order)
  return { ...opened, sign, signFor, approve, review, adapter, catalogue, eth, usdc, gem, clock }
}

let ids = 0

function payoutOf({ sells, to }: Exchange, changes: Partial<RecordedPayout> = {}): RecordedPayout {
  const id = `payout ${ids++}`
  const kind = to === ACCOUNT ? 'sale' : 'output'
  const terms = { token: tokenKey(sells.token), units: `${sells.units}`, to, settles: [] }
  return { id, kind, swap: `swap of ${id}`, number: 1, ...terms, ...changes }
}

function orderOf(sold: Token, units: bigint, buys: Token, minUnits: bigint, changes: Partial<Exchange> = {}) {
  const path = [sold.contract ?? WETH, buys.contract ?? WETH] as const
  const native = sold.contract === null ? ('in' as const) : null
  const route = { kind: 'uniswap_v2' as const, router: ROUTER, quoter: null, pool: POOL, feePpm: 3000, path, native }
  const exchange: Exchange = {
    ...{ provider: 'listed', network: NETWORK, sells: { token: sold, units }, buys, minUnits, to: ACCOUNT },
    ...{ deadline: DEADLINE, route: routeText(route), ...changes },
  }
  return { kind: 'exchange' as const, account: ACCOUNT, exchange }
}

/** The same exchange with a call that an aggregator has built. */
function aggregated(order: ReturnType<typeof orderOf>, changes: object = {}, router = AGGREGATOR) {
  const { exchange } = order
  const desc = {
    ...{ srcToken: exchange.sells.token.contract, dstToken: exchange.buys.contract, srcReceiver: ALICE },
    ...{ dstReceiver: exchange.to, amount: exchange.sells.units, minReturnAmount: exchange.minUnits, flags: 0n },
    ...changes,
  }
  const { abi } = SimulatedAggregationRouter
  const data = encodeFunctionData({ abi, functionName: 'swap', args: [ALICE, desc as never, '0x1234'] })
  return { ...order, exchange: { ...exchange, route: aggregatedRoute(exchange, data, router) } }
}

function aggregatedRoute({ route }: Exchange, data: string, router = AGGREGATOR): string {
  const { path, native } = parseRoute(route)
  return routeText({ kind: 'oneinch_v6', router, path, native, data })
}

function rerouted({ route }: Exchange, changes: object): { route: string } {
  return { route: JSON.stringify({ ...JSON.parse(route), ...changes }) }
}

describe('an exchange', () => {
  it('within the policy is signed with its router, minimum and recipient', async () => {
    const { sign, review, usdc, gem } = await openWorld()
    const sale = orderOf(gem, 100n * E18, usdc, 190_000_000n)
    const purchase = orderOf(usdc, 100_000_000n, gem, (95n * E18) / 2n, { to: ALICE })
    for (const order of [sale, purchase]) {
      await review(order)
      const { bytes } = await sign(order)
      expect(bytes).toContain(ROUTER.slice(2).toLowerCase())
      expect(bytes).toContain(order.exchange.to.slice(2).toLowerCase())
      expect(bytes).toContain(order.exchange.minUnits.toString(16))
    }
  })

  it('is refused without an entry in the policy', async () => {
    const { sign, usdc, gem } = await openWorld({ exchanges: undefined })
    await expect(sign(orderOf(gem, E18, usdc, 2_000_000n))).rejects.toThrow(`allows no exchange on ${NETWORK}`)
  })

  it('through another router is refused, even if the network file lists it', async () => {
    const { sign, review, usdc, gem } = await openWorld()
    const order = orderOf(gem, E18, usdc, 2_000_000n)
    for (const router of [UNLISTED_BY_POLICY, BOB, ROUTER.toLowerCase(), undefined]) {
      const other = { ...order, exchange: { ...order.exchange, ...rerouted(order.exchange, { router }) } }
      await expect(sign(other)).rejects.toThrow('does not list the router')
      await expect(review(other)).rejects.toThrow('does not list the router')
    }
  })

  it('whose route cannot be checked is refused', async () => {
    const { sign, usdc, gem } = await openWorld()
    const routes = [
      '',
      '{}',
      'null',
      JSON.stringify({ kind: 'aggregator', router: ROUTER, path: [GEM, usdc.contract] }),
    ]
    for (const route of routes)
      await expect(sign(orderOf(gem, E18, usdc, 2_000_000n, { route }))).rejects.toThrow('route')
  })

  it('with the call of an aggregator is signed if its router is listed and the call is the order', async () => {
    const { sign, usdc, gem } = await openWorld()
    const { bytes } = await sign(aggregated(orderOf(gem, 100n * E18, usdc, 190_000_000n)))
    expect(bytes).toContain(AGGREGATOR.slice(2).toLowerCase())
    const elsewhere = orderOf(gem, E18, usdc, 2_000_000n)
    for (const router of [AGGREGATOR_UNLISTED_BY_POLICY, UNLISTED_BY_POLICY])
      await expect(sign(aggregated(elsewhere, {}, router))).rejects.toThrow('does not list the router')
    await expect(sign(aggregated(elsewhere, {}, ROUTER))).rejects.toThrow()
  })

  it.each<[string, object]>([
    ['recipient', { dstReceiver: BOB }],
    ['minimum', { minReturnAmount: 1n }],
    ['amount', { amount: 2n * E18 }],
    ['token', { dstToken: GEM }],
    ['flag', { flags: 1n }],
  ])('whose call has another %s than the order is refused', async (_, change) => {
    const { sign, usdc, gem } = await openWorld()
    await expect(sign(aggregated(orderOf(gem, E18, usdc, 2_000_000n), change))).rejects.toThrow()
  })

  it('through an aggregator loses no more than the policy allows', async () => {
    const { sign, usdc, gem } = await openWorld()
    await expect(sign(aggregated(orderOf(gem, 100n * E18, usdc, 180_000_000n)))).rejects.toThrow('may lose more')
  })

  it('to another recipient than that of its payout is refused, and so is a sale that does not come home', async () => {
    const { signFor, usdc, gem } = await openWorld()
    const sale = orderOf(gem, E18, usdc, 2_000_000n)
    const stolen = orderOf(gem, E18, usdc, 2_000_000n, { to: BOB })
    await expect(signFor(stolen, [payoutOf(sale.exchange)])).rejects.toThrow('not the payout')
    await expect(signFor(stolen, [payoutOf(stolen.exchange, { kind: 'sale' })])).rejects.toThrow('recipient')
    await expect(signFor(sale, [payoutOf(sale.exchange, { kind: 'output' })])).rejects.toThrow('recipient')
    await expect(signFor(sale, [payoutOf(sale.exchange, { units: '1' })])).rejects.toThrow('not the payout')
    await expect(signFor(sale, [])).rejects.toThrow('not the payout')
    await expect(signFor(sale, [payoutOf(sale.exchange), payoutOf(sale.exchange)])).rejects.toThrow('not the payout')
  })

  it('to a recipient that the policy does not list is refused; our own wallet needs no entry', async () => {
    const { sign, usdc, gem } = await openWorld({ destinations: [ALICE] })
    await sign(orderOf(gem, E18, usdc, 2_000_000n))
    await sign(orderOf(usdc, 2_000_000n, gem, E18, { to: ALICE }))
    await expect(sign(orderOf(usdc, 2_000_000n, gem, E18, { to: BOB }))).rejects.toThrow('the destination')
  })

  it('of a token that the policy does not list, or of another token than its route, is refused', async () => {
    const { sign, usdc, gem, catalogue } = await openWorld()
    const usdt = catalogue.network(NETWORK).tokens.find(({ symbol }) => symbol === 'USDT') as Token
    await expect(sign(orderOf(usdt, 1n, gem, E18))).rejects.toThrow(`does not list the token ${usdt.contract}`)
    await expect(sign(orderOf(gem, 1n, usdt, 10n ** 6n))).rejects.toThrow(`does not list the token ${usdt.contract}`)
    const { exchange } = orderOf(gem, E18, usdc, 2_000_000n)
    for (const path of [
      [usdt.contract, usdc.contract],
      [gem.contract, usdt.contract],
      [gem.contract, gem.contract],
    ]) {
      const order = orderOf(gem, E18, usdc, 2_000_000n, rerouted(exchange, { path }))
      await expect(sign(order)).rejects.toThrow('cannot be signed')
    }
  })

  it('that may lose more than the policy allows is refused, also with a minimum of zero', async () => {
    const { sign, review, usdc, gem } = await openWorld()
    const least = 190_000_000n
    await sign(orderOf(gem, 100n * E18, usdc, least))
    for (const minUnits of [least - 1n, 1n]) {
      const order = orderOf(gem, 100n * E18, usdc, minUnits)
      await expect(review(order)).rejects.toThrow('may lose more')
      await expect(sign(order)).rejects.toThrow('may lose more')
    }
    await expect(sign(orderOf(gem, 100n * E18, usdc, 0n))).rejects.toThrow('needs amounts')
    await expect(sign(orderOf(gem, 0n, usdc, 1n))).rejects.toThrow('needs amounts')
    // The other direction: 100 USDC buy 50 GEM.
    await expect(sign(orderOf(usdc, 100_000_000n, gem, 47n * E18, { to: ALICE }))).rejects.toThrow('may lose more')
  })

  it('is judged by the prices of the sources if the policy names none, and refused without any', async () => {
    let gemPrice: bigint | null = parseDecimal('2', 18)
    const one = parseDecimal('1', 18)
    const fed = { ...exchanges, prices: {} }
    const world = await openWorld({ exchanges: fed }, ({ symbol }) => (symbol === 'GEM' ? gemPrice : one))
    const order = orderOf(world.gem, E18, world.usdc, 2_000_000n)
    await world.sign(order)
    gemPrice = parseDecimal('3', 18)
    await expect(world.sign(order)).rejects.toThrow('may lose more')
    gemPrice = null
    await expect(world.sign(order)).rejects.toThrow('knows no price of GEM')
    expect(await world.signer.exchangeScope?.()).toEqual({
      [NETWORK]: { routers: [ROUTER, AGGREGATOR], tokens: ['native', world.usdc.contract] },
    })
  })

  it('is bumped in its slot although the price has moved: the first transaction may be mined anyway', async () => {
    let gemPrice = parseDecimal('2', 18)
    const one = parseDecimal('1', 18)
    const fed = { ...exchanges, prices: {} }
    const world = await openWorld({ exchanges: fed }, ({ symbol }) => (symbol === 'GEM' ? gemPrice : one))
    const order = orderOf(world.gem, E18, world.usdc, 2_000_000n)
    const payouts = [payoutOf(order.exchange)]
    const first = await world.signFor(order, payouts, 1, 7)
    gemPrice = parseDecimal('3', 18)
    const bump = await world.signFor(order, payouts, 2, 7)
    expect(bump.hash).not.toBe(first.hash)
    const worse = orderOf(world.gem, E18, world.usdc, 1n)
    await expect(world.signFor(worse, payouts, 3, 7)).rejects.toThrow('was signed for another order')
  })

  it('with a far deadline is refused: it could be sent after the price has moved', async () => {
    const { sign, usdc, gem } = await openWorld()
    const deadline = new Date('2026-11-16T12:00:00Z')
    await expect(sign(orderOf(gem, E18, usdc, 2_000_000n, { deadline }))).rejects.toThrow('too far away')
  })

  it('counts towards the limits of a transaction and of an hour', async () => {
    const { sign, usdc, gem, clock } = await openWorld()
    const sell = (units: bigint) => sign(orderOf(gem, units * E18, usdc, units * 2_000_000n))
    await expect(sell(501n)).rejects.toThrow('above the ceiling')
    await sell(500n)
    await expect(sell(401n)).rejects.toThrow('the ceiling of an hour')
    await sell(400n)
    clock.now = new Date(NOW.getTime() + 2 * 3_600_000)
    const later = new Date(clock.now.getTime() + 60_000)
    await sign(orderOf(gem, 400n * E18, usdc, 800_000_000n, { deadline: later }))
  })

  it('above the threshold needs an approval if it pays a third party, and none if it comes home', async () => {
    const { publicKeyOf } = await import('../approvals/approval.ts')
    const { generateKeyPairSync } = await import('node:crypto')
    const { networks } = networksFolder()
    const { catalogue, usdc, network } = await testCatalogue(networks)
    const gem = network.tokens.find(({ symbol }) => symbol === 'GEM') as Token
    const ann = publicKeyOf(generateKeyPairSync('ed25519').privateKey)
    const listed = { ...tokens, USDC: { ...tokens.USDC, approval_above: '10' } }
    const file = { approvers: { ann }, networks: { [NETWORK]: { tokens: listed, exchanges } } }
    const policy = await readPolicy(file, catalogue, loadFamily)
    const bought = orderOf(usdc, 20_000_000n, gem, 10n * E18, { to: ALICE })
    expect(policy.judge(NETWORK, bought, null)).toContain('needs an approval')
    expect(policy.judge(NETWORK, orderOf(usdc, 20_000_000n, gem, 10n * E18), null)).toBeNull()
  })

  it('sends native coins only as the sold amount, through the wrapped token of the router', async () => {
    const world = await openWorld({ exchanges: { ...exchanges, prices: { ETH: '2000', USDC: '1', GEM: '2' } } })
    const { sign, eth, usdc, gem } = world
    const order = orderOf(eth, E18, usdc, 2_000_000_000n, { to: ALICE })
    const { bytes } = await sign(order)
    expect(bytes).toContain('880de0b6b3a7640000')
    // The value would stay in the router, and anyone could take it.
    const stuck = {
      ...order,
      exchange: { ...order.exchange, ...rerouted(order.exchange, { path: [gem.contract, usdc.contract] }) },
    }
    await expect(sign(stuck)).rejects.toThrow('sells another token')
    const attached = orderOf(gem, E18, usdc, 2_000_000n)
    const withValue = {
      ...attached,
      exchange: { ...attached.exchange, ...rerouted(attached.exchange, { native: 'in' }) },
    }
    await expect(sign(withValue)).rejects.toThrow('sells otherwise')
  })
})

describe('an approval', () => {
  const approved = (call: string, change: (data: string) => string) => {
    const parsed = JSON.parse(call)
    return JSON.stringify({ ...parsed, data: change(parsed.data) })
  }

  it('of a listed router is signed up to the limit of a transaction, without the kind call', async () => {
    const { approve, adapter, gem } = await openWorld()
    const callOf = (units: bigint) => adapter.exchanges?.approvalCall(ROUTER, gem, units) ?? ''
    await approve(callOf(500n * E18))
    await approve(callOf(0n))
    await expect(approve(callOf(500n * E18 + 1n))).rejects.toThrow('above the ceiling')
    await expect(approve(callOf(2n ** 128n - 1n))).rejects.toThrow('above the ceiling')
  })

  it.each([
    ['with the kind call', { kinds: ['transfers', 'sweep', 'call'] }],
    ['without it', {}],
  ])('of another spender, token or amount is refused, %s', async (_name, changes) => {
    const { approve, review, adapter, gem, usdc } = await openWorld(changes)
    const call = adapter.exchanges?.approvalCall(ROUTER, gem, E18) ?? ''
    const usdt = adapter.network.tokens.find(({ symbol }) => symbol === 'USDT') as Token
    const hostile = {
      unlimited: approved(call, (data) => `${data.slice(0, -64)}${'f'.repeat(64)}`),
      otherSpender: approved(call, (data) => data.replace(ROUTER.slice(2).toLowerCase(), BOB.slice(2).toLowerCase())),
      otherRouter: adapter.exchanges?.approvalCall(UNLISTED_BY_POLICY, gem, E18) ?? '',
      otherToken: adapter.exchanges?.approvalCall(ROUTER, usdt, 1n) ?? '',
      trailing: approved(call, (data) => `${data}00`),
      dirty: approved(call, (data) => `${data.slice(0, 10)}ff${data.slice(12)}`),
      increase: approved(call, (data) => `0x39509351${data.slice(10)}`),
      transfer: JSON.stringify({
        ...JSON.parse(call),
        to: usdc.contract,
        data: `0xa9059cbb${JSON.parse(call).data.slice(10)}`,
      }),
      empty: approved(call, () => '0x'),
      nothing: '{}',
      text: 'approve',
    }
    for (const [name, order] of Object.entries(hostile)) {
      await expect(approve(order), name).rejects.toThrow()
    }
    const unlimited: Order = { kind: 'transfers', account: ACCOUNT, transfers: [], call: hostile.unlimited }
    await expect(review(unlimited)).rejects.toThrow('above the ceiling')
  })

  it('is refused without exchanges in the policy, although calls are allowed', async () => {
    const { approve, adapter, gem } = await openWorld({ kinds: ['transfers', 'call'], exchanges: undefined })
    await expect(approve(adapter.exchanges?.approvalCall(ROUTER, gem, 1n) ?? '')).rejects.toThrow('allows no exchange')
  })
})

it('a policy with exchanges that cannot be judged is refused at the start', async () => {
  const { networks } = networksFolder()
  const { catalogue } = await testCatalogue(networks)
  const read = (changes: object) =>
    readPolicy({ networks: { [NETWORK]: { tokens, exchanges: { ...exchanges, ...changes } } } }, catalogue, loadFamily)
  await expect(read({ max_loss: '0.6' })).rejects.toThrow('must be at most 0.5')
  await expect(read({ prices: { NOTHING: '1' } })).rejects.toThrow('there is no token NOTHING')
  await expect(read({ prices: { GEM: '0' } })).rejects.toThrow('must be above 0')
  await expect(read({ routers: ['router'] })).rejects.toThrow('no address')
  await expect(read({ routers: [] })).rejects.toThrow()
})

it('payments are not touched by the rules of exchanges', async () => {
  const { signFor, usdc } = await openWorld()
  await signFor(payment(usdc, 1_000_000n), [])
})
