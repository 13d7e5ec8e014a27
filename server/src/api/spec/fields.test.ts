/** Section 2 of the specification: every field of every table, with its type, on every call that returns it. */
import { CreatedSwap } from '@causeway/sdk'
import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { post, startApi, type TestApi } from '../../../../tests/support/service/api.ts'
import { confirmDeposit, landPayouts, seeDeposit } from '../../../../tests/support/service/progress.ts'
import { TABLES, violations } from '../../../../tests/support/service/spec.ts'

const ROUTE = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'USDC' }
const route = new URLSearchParams(ROUTE).toString()

let api: TestApi
let recipient: string
let hash: string
/** Swaps in many states: created, paid with a refuel, refunded, to a deposit address. */
const swaps: Record<string, string> = {}
const seen = new Set<string>()

beforeAll(async () => {
  api = await startApi()
  const { services } = api
  recipient = (await services.chains.get('ALPHA')?.depositAddresses?.derive(900_001)) ?? ''
  const create = async (fields: Record<string, unknown>) => {
    const body = { ...ROUTE, destination_address: recipient, amount: 100, source_address: recipient, ...fields }
    return (await api.ask(CreatedSwap, post('/api/v2/swaps', body))).swap.id
  }
  const exchanges = { source_exchange: 'KRAKEN', destination_exchange: 'BINANCE' }
  swaps.made = await create({ ...exchanges, reference_id: 'spec', refund_address: recipient })
  swaps.paid = await create({ refuel: true })
  hash = `0x${'ab'.repeat(32)}`
  await confirmDeposit(
    services,
    swaps.paid,
    await seeDeposit(services, swaps.paid, { refundableSender: recipient, txHash: hash }),
  )
  await landPayouts(services, swaps.paid)
  swaps.refunded = await create({ refund_address: recipient, source_address: recipient })
  const tooMuch = await seeDeposit(services, swaps.refunded, { refundableSender: recipient }, 60_000_000_000n)
  await confirmDeposit(services, swaps.refunded, tooMuch)
  await landPayouts(services, swaps.refunded)
  swaps.address = await create({ use_deposit_address: true, refund_address: recipient })
})
afterAll(() => api.stop())

async function walk(type: string, request: InjectOptions | string): Promise<void> {
  const answer = await api.server.inject(request)
  expect(answer.statusCode, answer.body).toBe(200)
  const envelope = answer.json<{ data: unknown }>()
  expect(Object.keys(envelope)).toEqual(['data'])
  expect(violations(envelope.data, type, seen)).toEqual([])
}

const READS: [string, string, () => string][] = [
  ['GET /networks', 'ListedNetwork[]', () => 'networks'],
  ['GET /sources', 'RouteNetwork[]', () => 'sources?include_unmatched=true'],
  ['GET /destinations', 'RouteNetwork[]', () => 'destinations?include_unmatched=true'],
  ['GET /limits', 'Limits', () => `limits?${route}`],
  ['GET /quote', 'Quoted', () => `quote?${route}&amount=100&refuel=true`],
  ['GET /swaps', 'ListedSwap[]', () => `swaps?address=${recipient}&include_expired=true`],
  ['GET /swaps/{swapId}', 'CreatedSwap', () => `swaps/${swaps.made}`],
  ['GET /swaps/{swapId}, paid with a refuel', 'CreatedSwap', () => `swaps/${swaps.paid}`],
  ['GET /swaps/{swapId}, refunded', 'CreatedSwap', () => `swaps/${swaps.refunded}`],
  ['GET /swaps/{swapId}, deposit address', 'CreatedSwap', () => `swaps/${swaps.address}`],
  ['GET /swaps/{swapId} without actions', 'ListedSwap', () => `swaps/${swaps.made}?exclude_deposit_actions=true`],
  ['GET /swaps/{swapId}/deposit_actions', 'DepositAction[]', () => `swaps/${swaps.made}/deposit_actions`],
  ['GET /swaps/by_transaction_hash/{hash}', 'ListedSwap', () => `swaps/by_transaction_hash/${hash}`],
  ['GET /source_exchanges', 'Exchange[]', () => 'source_exchanges'],
]

test.each(READS)('%s returns every field', async (_, type, path) => walk(type, `/api/v2/${path()}`))

test('POST /swaps returns every field', async () => {
  const body = { ...ROUTE, destination_address: recipient, amount: 100, refuel: true }
  await walk('CreatedSwap', post('/api/v2/swaps', body))
})

test('every error has code, message and metadata, and no data', async () => {
  for (const path of [
    'swaps/none',
    `swaps/${crypto.randomUUID()}`,
    'quote',
    'limits',
    'nothing',
    `quote?${route}&amount=0`,
  ]) {
    const answer = await api.server.inject(`/api/v2/${path}`)
    expect(answer.statusCode).toBeGreaterThanOrEqual(400)
    expect(answer.statusCode).toBeLessThan(500)
    expect(Object.keys(answer.json())).toEqual(['error'])
    expect(violations(answer.json().error, 'ApiError', seen)).toEqual([])
  }
})

test('transactions show their types and are completed when confirmed', async () => {
  const typesOf = async (name: string) => {
    const { data } = (await api.server.inject(`/api/v2/swaps/${swaps[name]}`)).json()
    return data.swap.transactions.map(({ type, status }: { type: string; status: string }) => `${type} ${status}`)
  }
  expect(await typesOf('paid')).toEqual(['input completed', 'output completed', 'refuel completed'])
  expect(await typesOf('refunded')).toEqual(['input completed', 'refund completed'])
})

/** Fields without a value on simulated networks: chain-specific facts, and funding methods that they lack. */
const NEVER_HERE = [
  'NetworkMetadata.evm_oracle_contract',
  'NetworkMetadata.evm_multicall_contract',
  'NetworkMetadata.zks_paymaster_contract',
  'NetworkMetadata.watchdog_contract',
  'SwapMetadata.exchange_account',
  'DepositAction.gas_limit',
  'DepositAction.valid_after',
  'DepositAction.valid_before',
  'DepositAction.nonce',
  'DepositAction.typed_data',
]

test('every field of every table had a value somewhere in these responses', () => {
  const reached = new Set([...seen].map((name) => name.split('.')[0]))
  const fields = Object.entries(TABLES).flatMap(([type, table]) => Object.keys(table).map((name) => `${type}.${name}`))
  const missed = fields.filter((name) => !seen.has(name) && !NEVER_HERE.includes(name))
  const rewards = Object.keys(TABLES.Reward ?? {}).map((name) => `Reward.${name}`)
  // Rewards are covered by the campaign tests.
  expect(missed.filter((name) => !rewards.includes(name) && !name.endsWith('.reward'))).toEqual([])
  expect(reached.has('Transaction')).toBe(true)
})
