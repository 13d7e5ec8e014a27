/** Lists of swaps: every filter, every form of a status, and the edges of the pages. */
import type { Status } from '@causeway/core'
import { CreatedSwap, ExplorerRow, ListedSwap, SwapDetails } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { post, startApi, type TestApi } from '../../../../../tests/support/service/api.ts'

const Swaps = z.array(ListedSwap)
const STATUSES: Status[] = [
  'user_transfer_pending',
  'ls_transfer_pending',
  'refund_pending',
  'pending_refund',
  'completed',
  'failed',
  'expired',
  'refunded',
]

let api: TestApi
let addresses: string[]
beforeAll(async () => {
  api = await startApi()
  const chain = api.services.chains.get('ALPHA')
  addresses = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => chain?.depositAddresses?.derive(900_000 + n) ?? ''))
})
afterAll(() => api.stop())

const address = (n: number) => addresses[n] ?? ''

async function create(fields: Record<string, unknown> = {}): Promise<string> {
  const route = {
    source_network: 'ALPHA',
    source_token: 'USDC',
    destination_network: 'BETA',
    destination_token: 'USDC',
  }
  const body = { ...route, destination_address: address(0), amount: 100, ...fields }
  return (await api.ask(CreatedSwap, post('/api/v2/swaps', body))).swap.id
}
const setStatus = (id: string, status: Status) =>
  api.services.database.updateTable('swap').set({ status }).where('id', '=', id).execute()
const ids = async (query: string) => (await api.ask(Swaps, `/api/v2/swaps?${query}`)).map(({ swap }) => swap.id)

test('an address matches as source, destination, refund and deposit address, in any case', async () => {
  const mine = address(1)
  const bySource = await create({ source_address: mine })
  const byDestination = await create({ destination_address: mine })
  const byRefund = await create({ refund_address: mine })
  const other = await create()
  const newestFirst = [byRefund, byDestination, bySource]
  expect(await ids(`address=${mine}`)).toEqual(newestFirst)
  expect(await ids(`addresses=${mine}`)).toEqual(newestFirst)
  expect(await ids(`address=${mine.toUpperCase()}`)).toEqual(newestFirst)
  expect(await ids(`address=${address(2)}`)).toEqual([])
  expect(newestFirst).not.toContain(other)
  const created = await api.ask(
    CreatedSwap,
    post('/api/v2/swaps', {
      source_network: 'ALPHA',
      source_token: 'USDC',
      destination_network: 'BETA',
      destination_token: 'USDC',
      destination_address: address(0),
      amount: 100,
      use_deposit_address: true,
    }),
  )
  expect(await ids(`address=${created.deposit_actions[0]?.to_address}`)).toEqual([created.swap.id])
})

test('several addresses may be repeated, comma-separated, or in both parameters, without duplicates', async () => {
  const both = await create({ source_address: address(2), destination_address: address(3) })
  const one = await create({ destination_address: address(3) })
  expect(await ids(`address=${address(2)}&address=${address(3)}`)).toEqual([one, both])
  expect(await ids(`address=${address(2)},${address(3)}`)).toEqual([one, both])
  expect(await ids(`address=${address(2)}&addresses=${address(3)}`)).toEqual([one, both])
  expect(await ids(`address=${address(2)}`)).toEqual([both])
})

test('pages hold 20, newest first, without gaps; the last one is short and the next is empty', async () => {
  const mine = address(4)
  const made: string[] = []
  for (let n = 0; n < 41; n++) made.unshift(await create({ destination_address: mine }))
  expect(await ids(`address=${mine}`)).toEqual(made.slice(0, 20))
  expect(await ids(`address=${mine}&page=1`)).toEqual(made.slice(0, 20))
  expect(await ids(`address=${mine}&page=2`)).toEqual(made.slice(20, 40))
  expect(await ids(`address=${mine}&page=3`)).toEqual(made.slice(40))
  expect(await ids(`address=${mine}&page=4`)).toEqual([])
  for (const page of ['0', '-1']) expect(await ids(`address=${mine}&page=${page}`)).toEqual(made.slice(0, 20))
  for (const page of ['501', '5001', '1e9']) expect(await ids(`address=${mine}&page=${page}`)).toEqual([])
  for (const page of ['1.5', 'two'])
    expect(await api.refuse(`/api/v2/swaps?address=${mine}&page=${page}`)).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      metadata: { page: expect.any(String) },
    })
})

test('every status name finds the swaps of that status and no other', async () => {
  const mine = address(5)
  const by: Record<string, string> = {}
  for (const status of STATUSES) {
    const id = await create({ destination_address: mine })
    await setStatus(id, status)
    by[status] = id
  }
  const find = async (words: string) => (await ids(`address=${mine}&${words}`)).sort()
  const of = (...statuses: string[]) => statuses.map((status) => by[status]).sort()
  const WORDS: Record<string, string[]> = {
    PendingDeposit: ['user_transfer_pending'],
    PendingWithdrawal: ['ls_transfer_pending'],
    PendingRefund: ['refund_pending', 'pending_refund'],
    Completed: ['completed'],
    Failed: ['failed'],
    Expired: ['expired'],
    Refunded: ['refunded'],
    '1': ['completed'],
    '4': ['user_transfer_pending', 'ls_transfer_pending', 'refund_pending'],
    ...Object.fromEntries(STATUSES.map((status) => [status, [status]])),
  }
  for (const [word, statuses] of Object.entries(WORDS)) {
    for (const form of [word, word.toUpperCase(), word.toLowerCase()])
      expect(await find(`statuses=${form}`), form).toEqual(of(...statuses))
  }
  expect(await find('statuses=Completed&statuses=failed')).toEqual(of('completed', 'failed'))
  expect(await find('statuses=1,4')).toEqual(
    of('completed', 'user_transfer_pending', 'ls_transfer_pending', 'refund_pending'),
  )
  expect(await find('statuses=Completed&include_expired=true')).toEqual(of('completed', 'expired'))
  // Expired swaps are listed only on request.
  expect(await find('')).toEqual(of(...STATUSES.filter((status) => status !== 'expired')))
  expect(await find('include_expired=true')).toEqual(of(...STATUSES))
  for (const word of ['2', 'created', 'toString'])
    expect(await api.refuse(`/api/v2/swaps?address=${mine}&statuses=${word}`)).toMatchObject({
      code: 'VALIDATION_ERROR',
      metadata: { statuses: expect.stringContaining('statuses') },
    })
})

test('networks and references filter the list', async () => {
  const reference = `order ${crypto.randomUUID()}`
  const toBeta = await create({ reference_id: reference, source_address: address(2) })
  const toGamma = await create({ reference_id: reference, destination_network: 'GAMMA' })
  const named = `reference_id=${encodeURIComponent(reference)}`
  expect(await ids(named)).toEqual([toGamma, toBeta])
  expect(await ids(`${named}&networks=BETA`)).toEqual([toBeta])
  expect(await ids(`${named}&networks=beta,GAMMA`)).toEqual([toGamma, toBeta])
  expect(await ids(`${named}&networks=NOWHERE`)).toEqual([])
  expect(await ids(`${named}&address=${address(2)}`)).toEqual([toBeta])
  const [first] = await api.ask(Swaps, `/api/v2/swaps?${named}`)
  expect(first?.swap.metadata).toMatchObject({ reference_id: reference, exchange_account: null })
  expect((await api.ask(Swaps, `/api/v2/swaps/internal?${named}`)).map(({ swap }) => swap.id)).toEqual([
    toGamma,
    toBeta,
  ])
})

test('without an address, a reference or a key the list is rejected', async () => {
  for (const path of ['/api/v2/swaps', '/api/v2/swaps?statuses=1', '/api/v2/swaps/internal'])
    expect(await api.refuse(path)).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      metadata: { address: expect.any(String) },
    })
})

test('a swap is found by any of its transactions, in any case for hex hashes', async () => {
  const { database } = api.services
  const swapId = await create()
  const usdc = api.services.catalogue.network('ALPHA').tokens[1]?.contract ?? ''
  const hex = `0x${'aBcDeF'.repeat(10)}0123`
  await database
    .insertInto('deposit')
    .values({
      network: 'ALPHA',
      tx_hash: hex.toLowerCase(),
      alias: '0xA11A50001',
      index: 0,
      block_number: 1n,
      block_hash: 'h',
      from_address: 'x',
      to_address: 'y',
      token: usdc,
      units: 1n,
      reference: null,
      swap_id: swapId,
      state: 'seen',
      confirmations_wanted: 1,
    })
    .execute()
  await database.updateTable('swap').set({ settlement: 'output' }).where('id', '=', swapId).execute()
  const payout = await database
    .insertInto('payout')
    .values({
      swap_id: swapId,
      number: 0,
      kind: 'output',
      deposit_id: null,
      network: 'BETA',
      account: 'treasury',
      token: 'native',
      units: 1n,
      to_address: 'z',
      state: 'open',
      started: true,
      tx_hash: 'Base58HashOfAPayout',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const slot = await database
    .insertInto('slot')
    .values({ network: 'BETA', account: 'treasury', parts: ['list-test'], state: 'open' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await database.insertInto('slot_payout').values({ slot_id: slot.id, payout_id: payout.id }).execute()
  await database.insertInto('attempt').values({ slot_id: slot.id, number: 0, hash: '0xfeed0001', bytes: '' }).execute()

  const find = async (hash: string) => (await api.ask(SwapDetails, `/api/v2/swaps/by_transaction_hash/${hash}`)).swap.id
  expect(await find(hex)).toBe(swapId)
  expect(await find(hex.toUpperCase().replace('0X', '0x'))).toBe(swapId)
  expect(await find('0xFEED0001')).toBe(swapId)
  // The hash that nodes and explorers use for the deposit.
  expect(await find('0xa11a50001')).toBe(swapId)
  expect(await find('Base58HashOfAPayout')).toBe(swapId)
  const { swap, ...rest } = await api.ask(SwapDetails, '/api/v2/swaps/by_transaction_hash/Base58HashOfAPayout')
  expect(await api.ask(SwapDetails, `/api/v2/swaps/${swap.id}`)).toEqual({ swap, ...rest })
  expect(await api.refuse('/api/v2/swaps/by_transaction_hash/base58hashofapayout')).toMatchObject({ code: 'NOT_FOUND' })
  expect(await api.refuse('/api/v2/swaps/by_transaction_hash/0x00000000')).toMatchObject({ status: 404 })
  expect(await api.refuse('/api/v2/swaps/by_transaction_hash/%20')).toMatchObject({ code: 'VALIDATION_ERROR' })

  const search = async (text: string) =>
    (await api.ask(z.array(ExplorerRow), `/api/v2/explorer/${encodeURIComponent(text)}`)).map(({ swap }) => swap.id)
  expect(await search(hex)).toEqual([swapId])
  expect(await search(swapId.toUpperCase())).toEqual([swapId])
  expect(await search('Base58HashOfAPayout')).toEqual([swapId])
  expect(await search(crypto.randomUUID())).toEqual([])
  expect(await search('nothing')).toEqual([])
  expect((await search(address(4))).length).toBe(20)
})

test('the operator can have one status for both refund states', async () => {
  const id = await create({ reference_id: 'one word' })
  await setStatus(id, 'refund_pending')
  const { config } = api.services
  config.oneRefundStatus = true
  try {
    expect((await api.ask(SwapDetails, `/api/v2/swaps/${id}`)).swap.status).toBe('pending_refund')
    expect(await ids('reference_id=one%20word&statuses=pending_refund')).toEqual([id])
  } finally {
    config.oneRefundStatus = false
  }
  expect(await ids('reference_id=one%20word&statuses=pending_refund')).toEqual([])
})

test('a cursor goes on after the last swap, and dates and routes narrow the list', async () => {
  const reference = `books ${crypto.randomUUID()}`
  const made: string[] = []
  for (let count = 0; count < 23; count++) made.unshift(await create({ reference_id: reference }))
  const toGamma = await create({ reference_id: reference, destination_network: 'GAMMA' })
  const all = [toGamma, ...made]
  const named = `reference_id=${encodeURIComponent(reference)}`
  const first = await ids(named)
  expect(first).toEqual(all.slice(0, 20))
  expect(await ids(`${named}&cursor=${first.at(-1)}`)).toEqual(all.slice(20))
  expect(await ids(`${named}&cursor=${first.at(-1)}&page=700`)).toEqual(all.slice(20))
  expect(await ids(`${named}&cursor=${all.at(-1)}`)).toEqual([])
  expect(await ids(`${named}&destination_network=GAMMA&source_network=alpha`)).toEqual([toGamma])
  expect(await ids(`${named}&source_network=GAMMA`)).toEqual([])
  expect(await ids(`${named}&source_network=NOWHERE`)).toEqual([])
  const { database } = api.services
  await database
    .updateTable('swap')
    .set({ created_at: new Date('2026-01-15T12:00:00Z') })
    .where('id', '=', toGamma)
    .execute()
  const january = 'created_from=2026-01-15T12:00:00Z&created_before=2026-02-01T00:00:00%2B01:00'
  expect(await ids(`${named}&${january}`)).toEqual([toGamma])
  expect(await ids(`${named}&created_before=2026-01-15T12:00:00Z`)).toEqual([])
  expect(await api.refuse(`/api/v2/swaps?${named}&created_from=yesterday`)).toMatchObject({
    metadata: { created_from: expect.any(String) },
  })
})

test('with Accept: text/csv a list is a table, and a formula in it is text', async () => {
  const reference = `=1+1,"x" ${crypto.randomUUID()}`
  const id = await create({ reference_id: reference })
  const url = `/api/v2/swaps?reference_id=${encodeURIComponent(reference)}`
  const answer = await api.server.inject({ url, headers: { accept: 'text/csv' } })
  expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8')
  const [head, line, ...rest] = answer.body.split('\r\n')
  expect(head).toMatch(/^id,reference_id,status,/)
  expect(line).toContain(`${id},"'${reference.replaceAll('"', '""')}",user_transfer_pending,,`)
  expect(rest).toEqual([''])
})
