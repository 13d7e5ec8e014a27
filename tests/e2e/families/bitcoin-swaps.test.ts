/** Swaps from and to Bitcoin through the whole service, with the UTXO set in the database. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { actionOf, startWorld, unitsOf, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import type { WireSwap } from '../../support/service/client.ts'

const BITCOIN = 'BITCOIN_TESTNET'
const ETHEREUM = 'ETHEREUM_SEPOLIA'

let world: World
beforeAll(async () => {
  world = await startWorld({}, true, [BITCOIN, ETHEREUM])
}, 120_000)
afterAll(() => world.stop())

const route = (from: string, to: string) => ({
  source_network: from,
  source_token: from === BITCOIN ? 'BTC' : 'ETH',
  destination_network: to,
  destination_token: to === BITCOIN ? 'BTC' : 'ETH',
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

it('a bitcoin payout and a bitcoin deposit to its own address are made, and the UTXO set has the coins', async () => {
  const btc = world.token(BITCOIN, 'BTC')
  const eth = world.token(ETHEREUM, 'ETH')
  const to = world.account(BITCOIN, 5).address
  const before = await world.balance(btc, to)
  const out = await world.client.create({ ...route(ETHEREUM, BITCOIN), destination_address: to, amount: 0.1 })
  await world.deposit(eth, actionOf(out))
  const recipient = world.stranger()
  const back = await world.client.create({
    ...route(BITCOIN, ETHEREUM),
    destination_address: recipient,
    refund_address: world.account(BITCOIN, 0).address,
    amount: 0.01,
    use_deposit_address: true,
  })
  const action = actionOf(back)
  await world.deposit(btc, action)
  await Promise.all([completed(out.swap.id), completed(back.swap.id)])
  expect((await world.balance(btc, to)) - before).toBe(unitsOf(out.quote.receive_amount, btc))
  expect(await world.balance(eth, recipient)).toBe(unitsOf(back.quote.receive_amount, eth))
  const coins = await world.query<{ units: string }>('select units from utxo where owner = $1', [action.to_address])
  expect(coins).toEqual([{ units: action.amount_in_base_units }])
}, 180_000)
