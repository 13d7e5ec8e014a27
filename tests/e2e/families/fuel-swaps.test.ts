/** Swaps from and to Fuel through the whole service: by reference, by deposit address, and several payouts at once. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { actionOf, startWorld, unitsOf, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import type { WireSwap } from '../../support/service/client.ts'

const FUEL = 'FUEL_TESTNET'
const ETHEREUM = 'ETHEREUM_SEPOLIA'

let world: World
beforeAll(async () => {
  world = await startWorld({}, true, [FUEL, ETHEREUM])
}, 120_000)
afterAll(() => world.stop())

const route = (from: string, to: string, symbol: string) => ({
  ...{ source_network: from, source_token: symbol, destination_network: to, destination_token: symbol },
})

function completed({ swap }: WireSwap): Promise<WireSwap> {
  return eventually(
    async () => {
      const found = await world.client.swap(swap.id)
      return found.swap.status === 'completed' && found
    },
    'a completed swap',
    90_000,
  )
}

it('deposits by number and by address are delivered, and payouts of two assets arrive to the unit', async () => {
  const [eth, usdc] = [world.token(FUEL, 'ETH'), world.token(FUEL, 'USDC')]
  const recipient = world.stranger()
  const sender = world.account(FUEL, 0).address
  const numbered = await world.client.create({
    ...{ ...route(FUEL, ETHEREUM, 'USDC'), destination_address: recipient, amount: 25 },
  })
  const { script, quantities } = JSON.parse(actionOf(numbered).call_data ?? '{}')
  expect(script.outputs[1]).toMatchObject({ to: actionOf(numbered).to_address, assetId: usdc.contract })
  expect(quantities[0]).toEqual({ amount: actionOf(numbered).amount_in_base_units, assetId: usdc.contract })
  await world.deposit(usdc, actionOf(numbered))
  const addressed = await world.client.create({
    ...{ ...route(FUEL, ETHEREUM, 'ETH'), destination_address: recipient, amount: 0.02 },
    ...{ refund_address: sender, use_deposit_address: true },
  })
  await world.deposit(eth, actionOf(addressed))
  const outs: { made: WireSwap; to: string }[] = []
  for (const index of [3, 4, 5]) {
    const to = world.account(FUEL, index).address
    const made = await world.client.create({ ...route(ETHEREUM, FUEL, 'USDC'), destination_address: to, amount: 30 })
    outs.push({ made, to })
  }
  const before = await Promise.all(outs.map(({ to }) => world.balance(usdc, to)))
  for (const { made } of outs) await world.deposit(world.token(ETHEREUM, 'USDC'), actionOf(made))
  await Promise.all([numbered, addressed, ...outs.map(({ made }) => made)].map(completed))
  const after = await Promise.all(outs.map(({ to }) => world.balance(usdc, to)))
  expect(after.map((units, place) => units - (before[place] ?? 0n))).toEqual(
    outs.map(({ made }) => unitsOf(made.quote.receive_amount, usdc)),
  )
  const [weth, wusdc] = [world.token(ETHEREUM, 'ETH'), world.token(ETHEREUM, 'USDC')]
  expect(await world.balance(wusdc, recipient)).toBe(unitsOf(numbered.quote.receive_amount, wusdc))
  expect(await world.balance(weth, recipient)).toBe(unitsOf(addressed.quote.receive_amount, weth))
  const network = await fetch(`${world.sandbox.url}/api/v2/networks`).then((answer) => answer.json())
  const listed = network.data.find(({ name }: { name: string }) => name === FUEL)
  expect(listed.metadata.watchdog_contract).toBe(script.inputs[0].contractId)
}, 180_000)
