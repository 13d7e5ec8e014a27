/**
 * One swap per funding method, over HTTP and on a real EVM, through the whole service. The other files of this folder
 * test the failures of each method.
 */
import type { Token } from '@causeway/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { gaslessOwner } from '../../support/chains/evm.ts'
import { gaslessIn, signWith } from '../../support/chains/gasless.ts'
import { actionOf, startWorld, unitsOf, type World } from '../../support/processes/world.ts'
import type { WireSwap } from '../../support/service/client.ts'

const FROM = 'BASE_SEPOLIA'
const TO = 'ETHEREUM_SEPOLIA'
const AMOUNT = 50

let world: World
let usdc: Token
let eth: Token

beforeAll(async () => {
  world = await startWorld({}, true, [FROM, TO])
  usdc = world.token(FROM, 'USDC')
  eth = world.token(TO, 'ETH')
})
afterAll(() => world?.stop())

function swapBy(method: Record<string, unknown>): Promise<WireSwap> {
  return world.client.create({
    source_network: FROM,
    source_token: 'USDC',
    destination_network: TO,
    destination_token: 'ETH',
    destination_address: world.stranger(),
    amount: AMOUNT,
    ...method,
  })
}

/** The deposit is credited once, and the recipient gets exactly the quoted amount in one payout. */
async function expectPaidOnce(created: WireSwap): Promise<void> {
  const { swap } = await world.client.reaches(created.swap.id, 'completed')
  const [output, ...more] = swap.transactions.filter(({ type }) => type === 'output')
  expect(more).toEqual([])
  expect(swap.transactions.filter(({ type }) => type === 'input')).toMatchObject([{ amount: AMOUNT }])
  expect(await world.balance(eth, output?.to ?? '')).toBe(unitsOf(created.quote.receive_amount, eth))
}

it.each([
  ['a transfer by a wallet, with the number of the swap behind its call', {}, 'transfer'],
  ['a transfer to an address of the swap, as an exchange makes it', { use_deposit_address: true }, 'manual_transfer'],
  ['a call of the Depository contract', { use_depository: true }, 'transfer'],
])('%s', async (_, method, type) => {
  const created = await swapBy(method)
  const action = actionOf(created)
  expect(action.type).toBe(type)
  await world.deposit(usdc, action)
  await expectPaidOnce(created)
})

it('a signature of an account without gas', async () => {
  const owner = await gaslessOwner(world, usdc, unitsOf(AMOUNT, usdc))
  const created = await swapBy({ use_gasless: true, source_address: owner.address })
  const { type, typed_data } = actionOf(created)
  expect(type).toBe('sign')
  const answer = await gaslessIn(world).authorize(created, await signWith(owner.secret, typed_data), owner.address)
  expect(answer.status).toBe(200)
  await expectPaidOnce(created)
})
