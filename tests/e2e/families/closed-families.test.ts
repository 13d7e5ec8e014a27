/** ZKsync Lite and StarkEx, whose public networks are closed, swap to and from an EVM network on their sandbox chains, and refund. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actionOf, startWorld, unitsOf, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import type { WireSwap } from '../../support/service/client.ts'

const EVM = 'BASE_SEPOLIA'
const LITE = 'ZKSYNC_SEPOLIA'
const STARK = 'IMMUTABLEX_SANDBOX'

let world: World
beforeAll(async () => {
  world = await startWorld({}, true, [EVM, LITE, STARK])
})
afterAll(() => world.stop())

const account = (network: string) => world.account(network, 3).address

async function swapped(from: [string, string], to: [string, string], amount = 0.0456789): Promise<WireSwap> {
  const [source, destination] = [world.token(...from), world.token(...to)]
  const recipient = account(to[0])
  const before = await world.balance(destination, recipient)
  const swap = await world.client.create({
    ...{ source_network: from[0], source_token: from[1], destination_network: to[0], destination_token: to[1] },
    ...{ source_address: world.account(from[0], 0).address, destination_address: recipient, amount },
  })
  await world.deposit(source, actionOf(swap))
  const ended = await world.client.reaches(swap.swap.id, 'completed', 'failed', 'refunded')
  expect(ended.swap.status).toBe('completed')
  const received = (await world.balance(destination, recipient)) - before
  expect(received).toBe(unitsOf(swap.quote.receive_amount, destination))
  return ended
}

describe.each([
  [LITE, 'ETH', 'call_data is 10,000,000,000 and the number', 10_000_000_000],
  [STARK, 'ETH', 'call_data is the number', 0],
  [STARK, 'USDC', 'call_data is the number', 0],
])('%s, %s', (network, symbol, _how, offset) => {
  const amount = symbol === 'USDC' ? 123.456789 : 0.0456789

  it('is a source', async () => {
    const { swap } = await swapped([network, symbol], [EVM, 'USDC'], amount)
    const input = swap.transactions.find(({ type }) => type === 'input')
    expect(input).toMatchObject({ from: world.account(network, 0).address, amount, status: 'completed' })
  })

  it('is a destination, and what the quote promises is paid to the last unit', async () => {
    await swapped([EVM, 'ETH'], [network, symbol])
  })

  const ordered = () =>
    world.client.create({
      ...{ source_network: network, source_token: symbol, destination_network: EVM, destination_token: 'USDC' },
      ...{ source_address: world.account(network, 0).address, destination_address: account(EVM), amount },
    })

  const refundOf = (id: string) =>
    eventually(async () => {
      const { transactions } = (await world.client.swap(id)).swap
      return transactions.find(({ type, status }) => type === 'refund' && status === 'completed') ?? false
    }, 'the refund')

  it('refunds to the sender what cannot be swapped', async () => {
    const { swap, ...rest } = await ordered()
    const action = actionOf({ swap, ...rest })
    expect(action.call_data).toBe(String(offset + swap.metadata.sequence_number))
    const token = world.token(network, symbol)
    const sender = world.account(network, 0).address
    const before = await world.balance(token, sender)
    if (network === STARK) {
      // A sender uses a nonce once, so no second transfer can name the swap: the first one is too small.
      await world.deposit(token, action, { units: BigInt(action.amount_in_base_units) / 1000n })
      await eventually(async () => (await world.client.swap(swap.id)).swap.transactions.length > 0, 'the deposit')
      await world.close(swap.id, 'window')
    } else {
      await world.deposit(token, action)
      await world.client.reaches(swap.id, 'completed')
      await world.deposit(token, action)
    }
    const refund = await refundOf(swap.id)
    expect(refund.to).toBe(sender)
    // StarkEx charges no fee: the whole amount comes back.
    if (network === STARK) expect(await world.balance(token, sender)).toBe(before)
    else expect(refund.amount).toBeLessThan(amount)
  })

  it('credits no transfer from another address than source_address: its reference may be another swap’s', async () => {
    const swap = await ordered()
    const txHash = await world.deposit(world.token(network, symbol), actionOf(swap), { account: 1 })
    const stored = await eventually(async () => {
      const rows = await world.query<{ swap_id: string | null; state: string }>(
        'select swap_id, state from deposit where tx_hash = $1',
        [txHash],
      )
      return rows.find(({ state }) => state === 'confirmed') ?? false
    }, 'the deposit')
    expect(stored.swap_id).toBeNull()
    expect((await world.client.swap(swap.swap.id)).swap).toMatchObject({
      status: 'user_transfer_pending',
      transactions: [],
    })
  })
})

it('a swap from either needs the sender at creation', async () => {
  for (const network of [LITE, STARK]) {
    const answer = await world.client.post('/api/v2/swaps', {
      ...{ source_network: network, source_token: 'ETH', destination_network: EVM, destination_token: 'ETH' },
      ...{ destination_address: account(EVM), amount: 0.05 },
    })
    expect(answer).toMatchObject({ status: 400, error: { code: 'VALIDATION_ERROR' } })
    expect(answer.error?.message).toContain('source_address')
  }
})

it('swaps from one to the other', async () => {
  await swapped([LITE, 'ETH'], [STARK, 'ETH'])
  await swapped([STARK, 'ETH'], [LITE, 'ETH'])
})

it('a recipient without a StarkEx key is rejected at once', async () => {
  const answer = await world.client.post('/api/v2/swaps', {
    ...{ source_network: EVM, source_token: 'ETH', destination_network: STARK, destination_token: 'ETH' },
    ...{ destination_address: world.stranger(), amount: 0.05 },
  })
  expect(answer).toMatchObject({ status: 400, error: { code: 'INVALID_ADDRESS_ERROR' } })
  expect(answer.error?.message).toContain('not registered')
})

it('both are listed with the ways to deposit that they have, and are told to be simulated', async () => {
  const { data } = await world.client.get('/api/v2/networks?network_types=zksynclite&network_types=starkex')
  const listed = data as { name: string; type: string; deposit_methods: string[] }[]
  expect(listed.map(({ name, type, deposit_methods }) => [name, type, deposit_methods]).toSorted()).toEqual([
    [STARK, 'starkex', ['wallet']],
    [LITE, 'zksynclite', ['wallet']],
  ])
  const sandbox = (await world.client.get('/sandbox')).data as { networks: { network: string; simulated: boolean }[] }
  expect(sandbox.networks.filter(({ simulated }) => simulated).map(({ network }) => network)).toEqual(
    expect.arrayContaining([STARK, LITE]),
  )
})
