/** Refund addresses of owed deposits: who may set them, which addresses, and when. */
import { CreatedSwap, ListedSwap, Nothing, refundAddressText, SwapDetails } from '@causeway/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { accountFrom, signText } from '../../../../../chains/simulated/local/src/account.ts'
import { keyOf } from '../../../../../tests/support/service/accounts.ts'
import { post, startApi, type TestApi } from '../../../../../tests/support/service/api.ts'
import { screenerBy } from '../../../../../tests/support/service/holds.ts'
import {
  confirmDeposit,
  landPayouts,
  nameAddress,
  openPayouts,
  seeDeposit,
  takeAddresses,
} from '../../../../../tests/support/service/progress.ts'

const TOO_MUCH = 60_000_000_000n
const sender = accountFrom('sender')
const stranger = accountFrom('stranger')
const home = accountFrom('home').address

let api: TestApi
let recipient: string
let key: string
const listed = new Set<string>()
beforeAll(async () => {
  api = await startApi()
  recipient = accountFrom('recipient').address
  key = await keyOf(api.services, 'shop')
  api.services.screener = screenerBy((address) => (listed.has(address) ? 'listed' : null))
})
afterAll(() => api.stop())

const ROUTE = { source_network: 'ALPHA', source_token: 'USDC', destination_network: 'BETA', destination_token: 'USDC' }

async function create(headers: Record<string, string> = {}): Promise<string> {
  const body = { ...ROUTE, destination_address: recipient, amount: 100, use_deposit_address: true }
  return (await api.ask(CreatedSwap, { ...post('/api/v2/swaps', body), headers })).swap.id
}

async function deposit(id: string, from: string | null): Promise<void> {
  await confirmDeposit(api.services, id, await seeDeposit(api.services, id, { refundableSender: from }, TOO_MUCH))
}

/** A swap that owes money it cannot refund. */
async function owing(headers: Record<string, string> = {}, from: string | null = sender.address): Promise<string> {
  const id = await create(headers)
  await deposit(id, from)
  expect((await read(id)).status).toBe('pending_refund')
  return id
}

const read = async (id: string) => (await api.ask(SwapDetails, `/api/v2/swaps/${id}`)).swap

const claim = (id: string, refund_address: string, signature: string | null = null, apiKey: string | null = null) => ({
  ...post(`/api/v2/swaps/${id}/refund_address`, { refund_address, signature }),
  headers: apiKey === null ? {} : { 'x-ls-apikey': apiKey },
})

function signed(id: string, address: string, by = sender): string {
  return signText(by, refundAddressText({ swapId: id, network: 'ALPHA', refundAddress: address }))
}

const runJobs = () => takeAddresses(api.services)

const depositsOf = (id: string) =>
  api.services.database.selectFrom('deposit').select(['id', 'refund_address']).where('swap_id', '=', id).execute()

const history = async (id: string) => {
  const events = api.services.database.selectFrom('swap_event').select('data').where('swap_id', '=', id)
  return (await events.where('type', '=', 'refund_address_given').execute()).map(({ data }) => data)
}

test('the sender sets it by a signature: it is refunded there, once, and the history shows it', async () => {
  const id = await owing()
  await api.ask(Nothing, claim(id, home, signed(id, home)))
  expect(await runJobs()).toBe(1)
  expect(await read(id)).toMatchObject({ status: 'refund_pending', fail_reason: 'received_more_than_valid_range' })
  expect(await openPayouts(api.services, id)).toMatchObject([{ kind: 'refund', to_address: home }])
  const [deposit] = await depositsOf(id)
  const event = { type: 'refund_address_given', address: home, depositIds: [deposit?.id], by: 'sender' }
  expect(await history(id)).toEqual([event])
  const other = accountFrom('elsewhere').address
  expect(await api.refuse(claim(id, other, signed(id, other)))).toMatchObject({ code: 'VALIDATION_ERROR' })
  await landPayouts(api.services, id)
  expect((await read(id)).status).toBe('refunded')
})

test('a contract that cannot be refunded may sign for its deposit if it is the only sender', async () => {
  const owingFrom = async (senders: string[]) => {
    const id = await create()
    await confirmDeposit(
      api.services,
      id,
      await seeDeposit(api.services, id, { refundableSender: null, fundingAddresses: senders }, TOO_MUCH),
    )
    return id
  }
  const shared = await owingFrom([sender.address, stranger.address])
  expect(await api.refuse(claim(shared, home, signed(shared, home)))).toMatchObject({ code: 'VALIDATION_ERROR' })
  const id = await owingFrom([sender.address])
  expect(await api.refuse(claim(id, home, signed(id, home, stranger)))).toMatchObject({ code: 'VALIDATION_ERROR' })
  await api.ask(Nothing, claim(id, home, signed(id, home)))
  expect(await runJobs()).toBe(1)
  expect(await openPayouts(api.services, id)).toMatchObject([{ kind: 'refund', to_address: home }])
})

test('an app sets it for its own swaps only', async () => {
  const id = await owing({ 'x-ls-apikey': key })
  const others = await keyOf(api.services, 'other shop')
  expect(await api.refuse(claim(id, home, null, others))).toMatchObject({ status: 403, code: 'API_KEY_FORBIDDEN' })
  const nobodys = await owing()
  expect(await api.refuse(claim(nobodys, home, null, key))).toMatchObject({ status: 403 })
  expect(await api.refuse(claim(id, home))).toMatchObject({ status: 403 })
  await api.ask(Nothing, claim(id, home, null, key))
  await runJobs()
  expect(await history(id)).toMatchObject([{ type: 'refund_address_given', address: home, by: 'app' }])
  expect(await openPayouts(api.services, id)).toMatchObject([{ kind: 'refund', to_address: home }])
})

test('a signature of another signer, swap, network or address is rejected', async () => {
  const [id, another] = [await owing(), await owing()]
  const wrong = [
    signed(id, home, stranger),
    signed(another, home),
    signed(id, accountFrom('elsewhere').address),
    signText(sender, refundAddressText({ swapId: id, network: 'BETA', refundAddress: home })),
    signText(sender, home),
    'nonsense',
  ]
  for (const signature of wrong) {
    expect(await api.refuse(claim(id, home, signature))).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      metadata: { signature: expect.any(String) },
    })
  }
  expect(await runJobs()).toBe(0)
})

test('a third party’s dust neither takes away nor grants the right to set it', async () => {
  const id = await owing()
  const dust = { refundableSender: null, fundingAddresses: [stranger.address] }
  await confirmDeposit(api.services, id, await seeDeposit(api.services, id, dust, 1n))
  expect(await api.refuse(claim(id, home, signed(id, home, stranger)))).toMatchObject({ code: 'VALIDATION_ERROR' })
  await api.ask(Nothing, claim(id, home, signed(id, home)))
  expect(await runJobs()).toBe(1)
  const [refund, ...more] = await openPayouts(api.services, id)
  expect(more).toEqual([])
  expect(refund).toMatchObject({ kind: 'refund', to_address: home })
})

test('the sender of a part decides about that part only', async () => {
  const id = await owing()
  await deposit(id, stranger.address)
  expect(await api.refuse(claim(id, home, signed(id, home, accountFrom('nobody'))))).toMatchObject({
    code: 'VALIDATION_ERROR',
  })
  await api.ask(Nothing, claim(id, home, signed(id, home)))
  await runJobs()
  expect(await openPayouts(api.services, id)).toMatchObject([{ kind: 'refund', to_address: home }])
  expect(await read(id)).toMatchObject({ refund_address: null, owed: { amount: 60_000, needs_address: true } })
  const elsewhere = accountFrom('elsewhere').address
  await api.ask(Nothing, claim(id, elsewhere, signed(id, elsewhere, stranger)))
  await runJobs()
  expect(await openPayouts(api.services, id)).toMatchObject([{ to_address: home }, { to_address: elsewhere }])
  expect(await read(id)).toMatchObject({ refund_address: null, owed: null })
})

test('a deposit without a known sender cannot be signed for', async () => {
  const unknown = await owing({}, null)
  expect(await api.refuse(claim(unknown, home, signed(unknown, home)))).toMatchObject({ code: 'VALIDATION_ERROR' })
})

test('the sender is checked again when the job runs', async () => {
  const id = await create()
  const fields = { refundableSender: null, fundingAddresses: [sender.address] }
  const depositId = await seeDeposit(api.services, id, fields, TOO_MUCH)
  await confirmDeposit(api.services, id, depositId)
  await api.ask(Nothing, claim(id, home, signed(id, home)))
  // A later inspection finds another sender in the same transaction.
  const senders = [sender.address, stranger.address]
  await api.services.database.updateTable('deposit').set({ senders }).where('id', '=', depositId).execute()
  expect(await runJobs()).toBe(1)
  expect(await depositsOf(id)).toEqual([{ id: depositId, refund_address: null }])
  expect(await openPayouts(api.services, id)).toEqual([])
})

test('a claim covers what was owed when it was made, however many deposits', async () => {
  const id = await owing()
  for (let more = 0; more < 14; more++) await deposit(id, sender.address)
  await api.ask(Nothing, claim(id, home, signed(id, home)))
  await deposit(id, sender.address)
  expect(await runJobs()).toBe(1)
  expect(await openPayouts(api.services, id)).toHaveLength(15)
  expect((await read(id)).owed).toMatchObject({ amount: 60_000, needs_address: true })
})

test('the swap is found by an address given for all of its deposits, and shows it', async () => {
  const id = await owing()
  const { address } = accountFrom('found by it')
  await api.ask(Nothing, claim(id, address, signed(id, address)))
  await runJobs()
  expect((await read(id)).refund_address).toBe(address)
  const listed = await api.ask(z.array(ListedSwap), `/api/v2/swaps?address=${address}`)
  expect(listed.map(({ swap }) => swap.id)).toEqual([id])
})

test('only while money is owed', async () => {
  const id = await create({ 'x-ls-apikey': key })
  expect(await api.refuse(claim(id, home, null, key))).toMatchObject({
    code: 'VALIDATION_ERROR',
    metadata: { refund_address: expect.stringContaining('nothing is owed') },
  })
  // The same if the worker runs the job later.
  await nameAddress(api.services, id, home)
  expect(await history(id)).toEqual([])
  const row = api.services.database.selectFrom('swap').select('refund_address').where('id', '=', id)
  expect(await row.executeTakeFirst()).toEqual({ refund_address: null })
})

test('the address must be payable, not ours, and not on a deny list', async () => {
  const id = await owing()
  const chain = api.services.chains.get('ALPHA')
  const swap = api.services.database.selectFrom('swap').select('receiver').where('id', '=', id)
  const { receiver } = await swap.executeTakeFirstOrThrow()
  const contract = api.services.catalogue.network('ALPHA').tokens[1]?.contract ?? ''
  for (const address of ['not an address', chain?.treasury ?? '', receiver, contract, chain?.nativeAddress ?? '']) {
    expect(await api.refuse(claim(id, address, signed(id, address)))).toMatchObject({ code: 'INVALID_ADDRESS_ERROR' })
    await nameAddress(api.services, id, address)
  }
  listed.add(home)
  expect(await api.refuse(claim(id, home, signed(id, home)))).toMatchObject({ code: 'BLACKLISTED_ADDRESS' })
  await nameAddress(api.services, id, home)
  listed.clear()
  expect(await history(id)).toEqual([])
  expect((await read(id)).status).toBe('pending_refund')
})

test('in a family without signed messages only the app and the operator may set it', async () => {
  const id = await owing()
  const chain = api.services.chains.get('ALPHA')
  const { messages } = chain ?? {}
  if (!chain || !messages) throw new Error('the simulated family signs texts')
  delete chain.messages
  try {
    expect(await api.refuse(claim(id, home, signed(id, home)))).toMatchObject({ code: 'VALIDATION_ERROR' })
  } finally {
    chain.messages = messages
  }
})
