/**
 * Swaps from and to a Cosmos chain through the whole service: by memo, by deposit address, and with the sweep
 * afterwards.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { actionOf, startWorld, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import type { WireSwap } from '../../support/service/client.ts'

const OSMOSIS = 'OSMOSIS_TESTNET'
const ETHEREUM = 'ETHEREUM_SEPOLIA'

let world: World
beforeAll(async () => {
  world = await startWorld({}, true, [OSMOSIS, ETHEREUM])
}, 120_000)
afterAll(() => world.stop())

const route = (from: [string, string], to: [string, string]) => ({
  ...{ source_network: from[0], source_token: from[1], destination_network: to[0], destination_token: to[1] },
})

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

/** The ordered payouts in units: users are shown fewer digits. */
async function owed({ swap }: WireSwap): Promise<bigint> {
  const rows = await world.query<{ units: string }>("select units from payout where swap_id = $1 and kind = 'output'", [
    swap.id,
  ])
  expect(rows).toHaveLength(1)
  return BigInt(rows[0]?.units ?? 0)
}

it('payouts and deposits of both kinds arrive to the unit, and a deposit address is emptied', async () => {
  const usdc = world.token(OSMOSIS, 'USDC')
  const osmo = world.token(OSMOSIS, 'OSMO')
  const eth = world.token(ETHEREUM, 'ETH')
  const to = world.account(OSMOSIS, 5).address
  const before = await world.balance(usdc, to)
  const out = await world.client.create({
    ...route([ETHEREUM, 'ETH'], [OSMOSIS, 'USDC']),
    ...{ destination_address: to, amount: 0.01 },
  })
  await world.deposit(eth, actionOf(out))
  const [one, two] = [world.stranger(), world.stranger()]
  const named = await world.client.create({
    ...route([OSMOSIS, 'USDC'], [ETHEREUM, 'ETH']),
    ...{ destination_address: one, amount: 30 },
  })
  expect(actionOf(named).call_data).toMatch(/^[1-9]\d*$/)
  await world.deposit(usdc, actionOf(named))
  const own = await world.client.create({
    ...route([OSMOSIS, 'OSMO'], [ETHEREUM, 'ETH']),
    ...{ destination_address: two, amount: 400, use_deposit_address: true },
    refund_address: world.account(OSMOSIS, 0).address,
  })
  const address = actionOf(own).to_address
  await world.deposit(osmo, actionOf(own))
  await Promise.all([out, named, own].map(({ swap }) => completed(swap.id)))
  expect((await world.balance(usdc, to)) - before).toBe(await owed(out))
  expect(await world.balance(eth, one)).toBe(await owed(named))
  expect(await world.balance(eth, two)).toBe(await owed(own))
  await eventually(async () => (await world.balance(osmo, address)) === 0n, 'an empty deposit address', 90_000)
}, 240_000)
