/**
 * Swaps whose exchange an aggregator executes, and all the ways in which it lies or fails. The outcome is the same each
 * time: the recipient is paid once, exactly what the exchange gave, and the books balance.
 */
import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  AGGREGATION_ROUTER,
  type AggregatorAnswerBody,
  type SimulatedAggregator,
  startAggregator,
} from '../../../chains/evm/local/src/aggregator.ts'
import { control } from '../../support/chains/evm.ts'
import { type PoolWorld, startPoolWorld } from '../../support/chains/pools.ts'
import { actionOf } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import type { WireSwap } from '../../support/service/client.ts'

const FROM = 'ETHEREUM_SEPOLIA'
const TO = 'ARBITRUM_SEPOLIA'
const KEY = 'the key of the tests'
const EVIL = '0x00000000000000000000000000000000000bad01'

let aggregator: SimulatedAggregator
let world: PoolWorld

beforeAll(async () => {
  aggregator = await startAggregator(KEY)
  world = await startPoolWorld(
    [FROM, TO],
    {
      ...{ PAYOUT_PATIENCE_SECONDS: '1', RECONCILE_INTERVAL_SECONDS: '1', SWEEP_INTERVAL_SECONDS: '1' },
      AGGREGATOR_KEY_ONEINCH: KEY,
    },
    true,
    aggregator,
  )
  const { accounts } = world.devnet(FROM)
  await world.devnet(FROM).fund(world.token(FROM, 'GEM'), accounts[0]?.address ?? '', 10_000n * 10n ** 18n)
})
afterAll(async () => {
  await world.stop()
  await aggregator.stop()
})
beforeEach(() => {
  Object.assign(aggregator, { description: null, answer: null })
  aggregator.asked.splice(0)
})
afterEach(expectBalanced)

async function create(source: string, destination: string, amount: number) {
  const [recipient, refundee] = [world.stranger(), world.stranger()]
  const body = {
    ...{ source_network: FROM, source_token: source, destination_network: TO, destination_token: destination },
    ...{ destination_address: recipient, refund_address: refundee, amount },
  }
  const swap = await eventually(() => world.client.create(body), `a swap from ${source} to ${destination}`)
  return { swap, recipient }
}

async function exchangesOf({ swap }: WireSwap) {
  return world.query<{ kind: string; provider: string; units: string; received_units: string; router: string }>(
    `select kind, leg->>'provider' as provider, units, received_units, (leg->>'route')::json->>'router' as router
     from payout where swap_id = $1 and leg is not null and state = 'confirmed' order by number`,
    [swap.id],
  )
}

/** The ledger has the treasuries' balances, and every posting balances. */
async function expectBalanced(): Promise<void> {
  for (const network of [FROM, TO]) {
    const treasury = world.sandbox.treasuries[network] ?? ''
    for (const token of world.sandbox.catalogue.network(network).tokens) {
      await eventually(async () => {
        const [row] = await world.query<{ units: string }>(
          `select coalesce(sum(units), 0) as units from ledger_entry
           where account = 'wallet' and owner = $1 and network = $2 and token = $3`,
          [treasury, network, token.contract ?? 'native'],
        )
        return BigInt(row?.units ?? -1) === (await world.balance(token, treasury))
      }, `the books of ${token.symbol} on ${network} to agree`)
    }
  }
  expect(
    await world.query('select 1 from ledger_entry group by posting, network, token having sum(units) <> 0'),
  ).toEqual([])
}

/** A swap that buys GEM completes. Returns its exchange. */
async function buy() {
  const { swap, recipient } = await create('USDC', 'GEM', 100)
  await world.deposit(world.token(FROM, 'USDC'), actionOf(swap))
  await world.client.reaches(swap.swap.id, 'completed')
  const exchanges = await exchangesOf(swap)
  expect(exchanges).toHaveLength(1)
  expect(await world.balance(world.token(TO, 'GEM'), recipient)).toBe(BigInt(exchanges[0]?.received_units ?? 0))
  return exchanges[0]
}

describe('an honest aggregator', () => {
  it('executes a sale and a purchase, each exact to what it delivered', async () => {
    const { swap, recipient } = await create('GEM', 'GEM', 40)
    const sold = await world.quote(FROM, 'sale', 40n * 10n ** 18n)
    await world.deposit(world.token(FROM, 'GEM'), actionOf(swap))
    await world.client.reaches(swap.swap.id, 'completed')
    const exchanges = await exchangesOf(swap)
    expect(exchanges).toMatchObject([
      { kind: 'sale', provider: 'oneinch', received_units: `${sold}`, router: AGGREGATION_ROUTER },
      { kind: 'output', provider: 'oneinch', router: AGGREGATION_ROUTER },
    ])
    expect(await world.balance(world.token(TO, 'GEM'), recipient)).toBe(BigInt(exchanges[1]?.received_units ?? 0))
  })

  it('is not asked for a quote', async () => {
    await create('USDC', 'GEM', 100)
    expect(aggregator.asked).toEqual([])
  })
})

function serverError(_: unknown, response: ServerResponse): null {
  response.writeHead(500).end('{}')
  return null
}

describe('an aggregator that is wrong is not used, and the pool pays exactly once', () => {
  const change = (changes: object) => (honest: AggregatorAnswerBody) => ({ ...honest, ...changes })
  const call = (changes: object) => (honest: AggregatorAnswerBody) => ({ ...honest, tx: { ...honest.tx, ...changes } })

  it.each<[string, Partial<SimulatedAggregator>]>([
    ['about the price', { answer: (honest) => ({ ...honest, dstAmount: `${BigInt(honest.dstAmount) * 2n}` }) }],
    ['about the minimum', { description: () => ({ minReturnAmount: 1n }) }],
    ['about the recipient', { description: () => ({ dstReceiver: EVIL }) }],
    ['about the token', { description: ({ srcToken }) => ({ dstToken: srcToken }) }],
    ['about the amount', { description: ({ amount }) => ({ amount: amount + 1n }) }],
    ['about the router', { answer: call({ to: EVIL }) }],
    [
      'about the call data',
      { answer: call({ data: `0xa9059cbb${EVIL.slice(2).padStart(64, '0')}${'f'.repeat(64)}` }) },
    ],
    ['about the tokens of its answer', { answer: change({ dstToken: { address: EVIL } }) }],
    ['and sends coins along', { answer: call({ value: '1' }) }],
    ['about the chain', { answer: change({ chainId: 1 }) }],
    ['and answers an error', { answer: serverError }],
    ['and answers megabytes', { answer: change({ protocols: 'x'.repeat(2_000_000) }) }],
    ['and never answers', { answer: () => null }],
  ])('%s', async (_, lie) => {
    Object.assign(aggregator, lie)
    const exchange = await buy()
    expect(exchange).toMatchObject({ provider: 'uniswap_v3' })
    expect(aggregator.asked.length).toBeGreaterThan(0)
    expect(await world.balance(world.token(TO, 'GEM'), EVIL)).toBe(0n)
    expect(await world.balance(world.token(TO, 'USDC'), EVIL)).toBe(0n)
  })

  it('although its router has no contract', async () => {
    const code = await control(world, TO, 'eth_getCode', AGGREGATION_ROUTER, 'latest')
    await control(world, TO, 'hardhat_setCode', AGGREGATION_ROUTER, '0x')
    expect(await buy()).toMatchObject({ provider: 'uniswap_v3' })
    await control(world, TO, 'hardhat_setCode', AGGREGATION_ROUTER, code)
  })
})
