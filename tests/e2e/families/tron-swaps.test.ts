/** Swaps from and to Tron through the whole service: by memo, by deposit address and by the Depository, and back. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { actionOf, startWorld, unitsOf, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import type { WireSwap } from '../../support/service/client.ts'

const TRON = 'TRON_TESTNET'
const ETHEREUM = 'ETHEREUM_SEPOLIA'
/** For two busy cores, and a chain that is scanned block by block. */
const PATIENCE_MS = 90_000

let world: World
beforeAll(async () => {
  world = await startWorld({}, true, [TRON, ETHEREUM])
}, 120_000)
afterAll(() => world?.stop())

function swapFor(from: string, to: string, body: Record<string, unknown>): Promise<WireSwap> {
  const [source_network, source_token] = from.split(' ')
  const [destination_network, destination_token] = to.split(' ')
  return world.client.create({ source_network, source_token, destination_network, destination_token, ...body })
}

function reached(id: string, isThere: (swap: WireSwap) => boolean, what: string): Promise<WireSwap> {
  return eventually(
    async () => {
      const found = await world.client.swap(id)
      return isThere(found) && found
    },
    what,
    PATIENCE_MS,
  )
}

const completed = (id: string) => reached(id, ({ swap }) => swap.status === 'completed', 'a completed swap')

it.each([
  ['TRX', {}],
  ['USDT', {}],
  ['TRX', { use_deposit_address: true }],
  ['USDT', { use_deposit_address: true }],
  ['USDT', { use_depository: true }],
])(
  '%s %j is paid in, and paid out on Ethereum exactly once',
  async (symbol, how) => {
    const token = world.token(TRON, symbol)
    const usdc = world.token(ETHEREUM, 'USDC')
    const recipient = world.stranger()
    const terms = { destination_address: recipient, refund_address: world.account(TRON, 0).address, ...how }
    const swap = await eventually(
      () => swapFor(`${TRON} ${symbol}`, `${ETHEREUM} USDC`, { amount: 400, ...terms }).catch(() => false as const),
      'a swap: our contracts were looked at',
      PATIENCE_MS,
    )
    await world.deposit(token, actionOf(swap))
    const ended = await completed(swap.swap.id)
    expect(ended.swap.transactions.filter(({ type }) => type === 'output')).toHaveLength(1)
    expect(await world.balance(usdc, recipient)).toBe(unitsOf(swap.quote.receive_amount, usdc))
  },
  120_000,
)

it.each(['TRX', 'USDT'])(
  '%s is paid out on Tron exactly once',
  async (symbol) => {
    const token = world.token(TRON, symbol)
    const to = world.account(TRON, 5).address
    const before = await world.balance(token, to)
    const swap = await swapFor(`${ETHEREUM} ETH`, `${TRON} ${symbol}`, { amount: 0.05, destination_address: to })
    await world.deposit(world.token(ETHEREUM, 'ETH'), actionOf(swap))
    await completed(swap.swap.id)
    expect((await world.balance(token, to)) - before).toBe(unitsOf(swap.quote.receive_amount, token))
  },
  120_000,
)

it('a second payment is refunded to its sender, less the cost', async () => {
  const usdt = world.token(TRON, 'USDT')
  const sender = world.account(TRON, 3)
  const swap = await swapFor(`${TRON} USDT`, `${ETHEREUM} USDC`, { amount: 50, destination_address: world.stranger() })
  await world.deposit(usdt, actionOf(swap), { account: 3 })
  await completed(swap.swap.id)
  const before = await world.balance(usdt, sender.address)
  await world.deposit(usdt, actionOf(swap), { account: 3 })
  const isBack = ({ swap: { transactions } }: WireSwap) =>
    transactions.some(({ type, status }) => type === 'refund' && status === 'completed')
  const ended = await reached(swap.swap.id, isBack, 'a refund')
  const [refund] = ended.swap.transactions.filter(({ type }) => type === 'refund')
  expect(refund?.to).toBe(sender.address)
  const units = unitsOf(refund?.amount ?? 0, usdt)
  expect(await world.balance(usdt, sender.address)).toBe(before - 50_000_000n + units)
  expect(units).toBeLessThan(50_000_000n)
}, 180_000)

it('the service found nothing wrong with its wallets', async () => {
  expect(await world.query('select code from hold where account is not null and closed_at is null')).toEqual([])
})
