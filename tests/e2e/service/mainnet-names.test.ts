/**
 * Networks of `networks/mainnet` as local chains under their own names, one for each data-fee model, with a swap
 * through each.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { actionOf, startWorld, unitsOf, type World } from '../../support/processes/world.ts'

const NAMES = [
  'INK_MAINNET',
  'SCROLL_MAINNET',
  'MANTLE_MAINNET',
  'ARBITRUM_MAINNET',
  'GNOSIS_MAINNET',
  'BITCOIN_MAINNET',
]

let world: World
beforeAll(async () => {
  world = await startWorld({}, true, NAMES, 'networks/mainnet')
}, 120_000)
afterAll(() => world?.stop())

it.each([
  ['INK_MAINNET', 'ETH', 'MANTLE_MAINNET', 'USDC', 0.02],
  ['MANTLE_MAINNET', 'USDT', 'SCROLL_MAINNET', 'ETH', 50],
  ['SCROLL_MAINNET', 'USDC', 'ARBITRUM_MAINNET', 'WBTC', 60],
  ['ARBITRUM_MAINNET', 'wstETH', 'GNOSIS_MAINNET', 'XDAI', 0.02],
  ['BITCOIN_MAINNET', 'BTC', 'INK_MAINNET', 'ETH', 0.001],
])('%s %s into %s %s arrives', async (from, fromSymbol, to, toSymbol, amount) => {
  const target = world.token(to, toSymbol)
  const recipient = world.stranger()
  const swap = await world.client.create({
    source_network: from,
    source_token: fromSymbol,
    destination_network: to,
    destination_token: toSymbol,
    destination_address: recipient,
    amount,
  })
  await world.deposit(world.token(from, fromSymbol), actionOf(swap))
  const done = await world.client.reaches(swap.swap.id, 'completed')
  expect(await world.balance(target, recipient)).toBe(unitsOf(done.quote.receive_amount, target))
})
