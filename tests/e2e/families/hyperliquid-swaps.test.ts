/**
 * Swaps from and to Hyperliquid through the whole service: only by deposit addresses, which are swept with their own
 * keys.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { actionOf, startWorld, unitsOf, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import type { WireSwap } from '../../support/service/client.ts'

const HYPERLIQUID = 'HYPERLIQUID_TESTNET'
const BASE = 'BASE_SEPOLIA'

let world: World
beforeAll(async () => {
  world = await startWorld({ SWEEP_INTERVAL_SECONDS: '1', RECONCILE_INTERVAL_SECONDS: '1' }, true, [HYPERLIQUID, BASE])
}, 120_000)
afterAll(() => world.stop())

function completed(id: string): Promise<WireSwap> {
  return eventually(
    async () => {
      const found = await world.client.swap(id)
      return found.swap.status === 'completed' && found
    },
    'a completed swap',
    90_000,
  )
}

it('a payout in USDC, one in HYPE and a deposit to its own address are made, and the deposit comes home', async () => {
  const usdc = world.token(HYPERLIQUID, 'USDC')
  const hype = world.token(HYPERLIQUID, 'HYPE')
  const eth = world.token(BASE, 'ETH')
  const from = { source_network: BASE, source_token: 'ETH', amount: 0.05 }
  const to = { destination_network: HYPERLIQUID, destination_address: world.stranger() }
  const first = await world.client.create({ ...from, ...to, destination_token: 'USDC' })
  const second = await world.client.create({ ...from, ...to, destination_token: 'HYPE' })
  for (const swap of [first, second]) await world.deposit(eth, actionOf(swap))
  const recipient = world.stranger()
  const back = await world.client.create({
    ...{ source_network: HYPERLIQUID, source_token: 'USDC', amount: 120, use_deposit_address: true },
    ...{ destination_network: BASE, destination_token: 'ETH', destination_address: recipient },
  })
  const action = actionOf(back)
  expect(action).toMatchObject({ type: 'manual_transfer', call_data: null })
  await world.deposit(usdc, action)
  await Promise.all([first, second, back].map(({ swap }) => completed(swap.id)))
  expect(await world.balance(usdc, to.destination_address)).toBe(unitsOf(first.quote.receive_amount, usdc))
  expect(await world.balance(hype, to.destination_address)).toBe(unitsOf(second.quote.receive_amount, hype))
  expect(await world.balance(eth, recipient)).toBe(unitsOf(back.quote.receive_amount, eth))
  await eventually(
    async () => {
      const rows = await world.query("select id from payout where kind = 'sweep' and state = 'confirmed'")
      return rows.length > 0
    },
    'a confirmed sweep',
    90_000,
  )
  expect(await world.balance(usdc, action.to_address)).toBe(0n)
  expect(await world.query('select code from hold where account is not null and closed_at is null')).toEqual([])
}, 240_000)
