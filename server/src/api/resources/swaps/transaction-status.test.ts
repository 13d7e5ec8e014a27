/** A swap's transactions: status, amount and cost of each. */
import { CreatedSwap, SwapDetails, type Transaction } from '@causeway/sdk'
import type { Insertable } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { post, startApi, type TestApi } from '../../../../../tests/support/service/api.ts'
import { createDurations } from '../../../market/durations.ts'
import type { PayoutTable } from '../../../store/db/schema.ts'
import type { DepositTable } from '../../../store/db/schema-deposit.ts'
import { savePosition } from '../../../store/watch/cursors.ts'

let api: TestApi
let swapId: string
let usdc: string
beforeAll(async () => {
  api = await startApi()
  usdc = api.services.catalogue.network('ALPHA').tokens[1]?.contract ?? ''
  const position = { cursor: 'x', recheckFrom: null }
  await savePosition(api.services.database, 'ALPHA', position, { number: 100n, hash: 'h' }, new Date())
})
afterAll(() => api.stop())

beforeEach(async () => {
  swapId = await create()
})

async function create(): Promise<string> {
  const recipient = await api.services.chains.get('ALPHA')?.depositAddresses?.derive(900_001)
  const route = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'SIM' }
  const request = post('/api/v2/swaps', { ...route, destination_address: recipient, amount: 100 })
  return (await api.ask(CreatedSwap, request)).swap.id
}

async function deposit(fields: Partial<Insertable<DepositTable>>): Promise<string> {
  const { id } = await api.services.database
    .insertInto('deposit')
    .values({
      network: 'ALPHA',
      tx_hash: crypto.randomUUID(),
      index: 0,
      block_number: null,
      block_hash: null,
      from_address: 'sender',
      to_address: 'treasury',
      token: usdc,
      units: 100_000_000n,
      reference: null,
      swap_id: swapId,
      state: 'seen',
      confirmations_wanted: 5,
      seen_at: new Date('2026-02-01T00:00:00Z'),
      ...fields,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

async function payout(fields: Partial<Insertable<PayoutTable>>): Promise<void> {
  const settlement = fields.kind === 'output' || fields.kind === 'refund' ? fields.kind : null
  if (settlement) await api.services.database.updateTable('swap').set({ settlement }).where('id', '=', swapId).execute()
  await api.services.database
    .insertInto('payout')
    .values({
      swap_id: swapId,
      number: 0,
      kind: 'output',
      deposit_id: null,
      network: 'BETA',
      account: 'treasury',
      token: 'native',
      units: 49_949_999_500_000_000n,
      to_address: 'recipient',
      state: 'open',
      created_at: new Date('2026-02-01T00:01:00Z'),
      ...fields,
    })
    .execute()
}

async function transactions(): Promise<Transaction[]> {
  return (await api.ask(SwapDetails, `/api/v2/swaps/${swapId}`)).swap.transactions
}

test('a deposit is pending in the mempool, initiated in a block, completed when confirmed', async () => {
  await deposit({ tx_hash: 'hash-1', seen_at: new Date('2026-02-01T00:00:00Z') })
  await deposit({ block_number: 98n, block_hash: 'b', seen_at: new Date('2026-02-01T00:00:01Z') })
  await deposit({ block_number: 90n, block_hash: 'b', state: 'confirmed', seen_at: new Date('2026-02-01T00:00:02Z') })
  await deposit({ block_number: 101n, block_hash: 'b', seen_at: new Date('2026-02-01T00:00:03Z') })
  // Deep enough, but not re-read from a node yet: one confirmation short, because it is not completed.
  await deposit({ block_number: 90n, block_hash: 'b', seen_at: new Date('2026-02-01T00:00:04Z') })
  await deposit({ block_number: 90n, block_hash: 'b', state: 'gone' })
  const shown = await transactions()
  expect(shown.map(({ status, confirmations, max_confirmations: wanted }) => [status, confirmations, wanted])).toEqual([
    ['pending', 0, 5],
    ['initiated', 3, 5],
    ['completed', 5, 5],
    ['initiated', 0, 5],
    ['initiated', 4, 5],
  ])
  expect(shown[0]).toMatchObject({
    from: 'sender',
    to: 'treasury',
    timestamp: '2026-02-01T00:00:00.000Z',
    transaction_hash: 'hash-1',
    amount: 100,
    amount_in_usd: 100,
    type: 'input',
    token: { symbol: 'USDC' },
    network: { name: 'ALPHA' },
    fee_amount: null,
    fee_token: { symbol: 'SIM' },
  })
})

test('an output has no hash before it is sent, and a fee once it is confirmed', async () => {
  await payout({ kind: 'output' })
  expect(await transactions()).toMatchObject([
    {
      type: 'output',
      status: 'pending',
      transaction_hash: null,
      confirmations: 0,
      max_confirmations: 2,
      fee_amount: null,
    },
  ])
  const { database } = api.services
  const sent = { started: true, tx_hash: 'out', sent_at: new Date('2026-02-01T00:02:00Z') }
  await database.updateTable('payout').set(sent).where('swap_id', '=', swapId).execute()
  expect(await transactions()).toMatchObject([
    { status: 'initiated', transaction_hash: 'out', confirmations: 0, timestamp: '2026-02-01T00:02:00.000Z' },
  ])
  const landed = { state: 'confirmed' as const, block_number: 5n, fee_units: 210_000_000_000_001n }
  await database.updateTable('payout').set(landed).where('swap_id', '=', swapId).execute()
  expect(await transactions()).toMatchObject([
    {
      from: 'treasury',
      to: 'recipient',
      status: 'completed',
      confirmations: 2,
      amount: 0.04994999,
      amount_in_usd: 99.899999,
      fee_amount: 0.00021,
      fee_token: { symbol: 'SIM' },
      network: { name: 'BETA' },
    },
  ])
})

test('refunds and returned excess are refunds; a payout abandoned unsent is not shown', async () => {
  const first = await deposit({ state: 'confirmed', block_number: 1n })
  const second = await deposit({ state: 'confirmed', block_number: 2n })
  await payout({ number: 0, kind: 'output', state: 'abandoned' })
  const back = { network: 'ALPHA', token: usdc, units: 99_700_000n }
  await payout({ ...back, number: 1, kind: 'refund', deposit_id: first, tx_hash: 'back', started: true })
  await payout({ ...back, number: 2, kind: 'return', deposit_id: second })
  await payout({ number: 3, kind: 'refuel', units: 500_000_000_000_000n })
  const shown = (await transactions()).filter(({ type }) => type !== 'input')
  expect(shown.map(({ type, status, amount }) => [type, status, amount])).toEqual([
    ['refund', 'initiated', 99.7],
    ['refund', 'pending', 99.7],
    ['refuel', 'pending', 0.0005],
  ])
})

test('a closed swap shows when and why it closed', async () => {
  const closed = {
    status: 'failed' as const,
    fail_reason: 'received_less_than_valid_range' as const,
    closed_at: new Date('2026-02-02T00:00:00Z'),
  }
  await api.services.database.updateTable('swap').set(closed).where('id', '=', swapId).execute()
  const { swap } = await api.ask(SwapDetails, `/api/v2/swaps/${swapId}`)
  expect(swap).toMatchObject({
    status: 'failed',
    fail_reason: 'received_less_than_valid_range',
    close_date: '2026-02-02T00:00:00.000Z',
  })
})

test('a re-priced swap shows the rate of its own numbers', async () => {
  const quote = {
    requestedUnits: '100000000',
    blockchainFeeUnits: '1000000',
    serviceFeeUnits: '1000000',
    refuelInSourceUnits: '0',
    refuelUnits: '0',
    receiveUnits: '39200000000000000',
    minReceiveUnits: '38808000000000000',
    slippage: '10000000000000000',
  }
  await api.services.database
    .updateTable('swap')
    .set({ quote: JSON.stringify(quote) })
    .where('id', '=', swapId)
    .execute()
  const details = await api.ask(SwapDetails, `/api/v2/swaps/${swapId}`)
  expect(details.quote).toMatchObject({ total_fee: 2, receive_amount: 0.0392, rate: 0.0004 })
})

test('the expected time is the median of the latest swaps', async () => {
  const { database, market, catalogue } = api.services
  const seen = new Date('2026-02-01T00:00:00Z')
  for (const seconds of [40, 90, 4000]) {
    swapId = await create()
    await deposit({ state: 'confirmed', block_number: 3n, seen_at: seen })
    const completed = {
      status: 'completed' as const,
      closed_at: new Date(seen.getTime() + seconds * 1000),
      completion_seconds: seconds,
    }
    await database.updateTable('swap').set(completed).where('id', '=', swapId).execute()
  }
  const durations = createDurations(database, () => new Date())
  await durations.refresh()
  const [alpha, beta] = [catalogue.network('ALPHA'), catalogue.network('BETA')]
  expect(durations.between(alpha, beta)).toBe(90_000)
  expect(durations.between(beta, alpha)).toBe(market.completionMs(beta.nativeToken, alpha.nativeToken))
})

test('a quote excludes reserved liquidity', async () => {
  const { market, catalogue } = api.services
  const { nativeToken } = catalogue.network('BETA')
  await api.services.refresh()
  const before = market.free(nativeToken)
  await payout({ kind: 'refuel', units: 7n })
  await api.services.refresh()
  expect(market.free(nativeToken)).toBe((before ?? 0n) - 7n)
  expect(market.balance(nativeToken)?.units).toBe(10_000n * 10n ** 18n)
})
