/**
 * Route and recipient of every swap are public. The attack: create a swap with the same route and recipient and one's
 * own refund address, hoping for the same deposit address. Then the victim's next deposit would be refunded to the
 * attacker, or credited to the attacker's swap.
 */
import type { Token } from '@causeway/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { settleOn } from '../../support/chains/evm.ts'
import { actionOf, startWorld, unitsOf, type World } from '../../support/processes/world.ts'
import { keyOf } from '../../support/service/accounts.ts'
import type { WireSwap } from '../../support/service/client.ts'

const FROM = 'ARBITRUM_SEPOLIA'
const TO = 'OPTIMISM_SEPOLIA'

let world: World
let usdc: Token

beforeAll(async () => {
  world = await startWorld()
  usdc = world.token(FROM, 'USDC')
})
afterAll(() => world?.stop())

const body = (destination: string, more: Record<string, unknown> = {}) => ({
  source_network: FROM,
  source_token: 'USDC',
  destination_network: TO,
  destination_token: 'USDC',
  destination_address: destination,
  use_deposit_address: true,
  ...more,
})

/** Creates a swap with this key, or without one. */
async function createAs(key: string | null, wanted: Record<string, unknown>): Promise<WireSwap> {
  const headers = { 'content-type': 'application/json', ...(key ? { 'x-ls-apikey': key } : {}) }
  const response = await fetch(`${world.sandbox.url}/api/v2/swaps`, {
    method: 'POST',
    headers,
    body: JSON.stringify(wanted),
  })
  const { data, error } = (await response.json()) as { data: WireSwap; error?: { message: string } }
  if (error) throw new Error(error.message)
  return data
}

async function keyFor(app: string): Promise<string> {
  const services = world.sandbox.service?.services
  if (!services) throw new Error('the service is not there')
  return keyOf(services, app)
}

it('a foreign client with the same route and recipient gets its own address, and none of the money', async () => {
  const [recipient, victimsRefunds, thief] = [world.stranger(), world.stranger(), world.stranger()]
  const victim = await createAs(null, body(recipient, { amount: 50, refund_address: victimsRefunds }))
  // Newer than the victim's swap in every way: the same amount, another one, and an open one.
  const rivals = [
    await createAs(null, body(recipient, { amount: 50, refund_address: thief })),
    await createAs(null, body(recipient, { amount: 20, refund_address: thief })),
    await createAs(null, body(recipient, { refund_address: thief })),
    await createAs(await keyFor('thief'), body(recipient, { amount: 50, refund_address: victimsRefunds })),
  ]
  const addresses = [victim, ...rivals].map((swap) => actionOf(swap).to_address)
  expect(new Set(addresses).size).toBe(addresses.length)
  await world.deposit(usdc, actionOf(victim))
  const ended = await world.client.reaches(victim.swap.id, 'completed')
  const paid = world.token(TO, 'USDC')
  expect(await world.balance(paid, recipient)).toBe(unitsOf(ended.quote.receive_amount, paid))
  for (const { swap } of rivals) expect((await world.client.swap(swap.id)).swap.transactions).toEqual([])
})

it('a refund goes to the address that the creator of the swap named', async () => {
  const [recipient, victimsRefunds, thief] = [world.stranger(), world.stranger(), world.stranger()]
  const victim = await createAs(null, body(recipient, { amount: 50, refund_address: victimsRefunds }))
  await createAs(null, body(recipient, { amount: 50, refund_address: thief }))
  await world.deposit(usdc, actionOf(victim))
  await world.client.reaches(victim.swap.id, 'completed')
  // The victim pays the known address a second time: it stays theirs for ever.
  await world.deposit(usdc, actionOf(victim))
  await settleOn(world, FROM)
  const returned = async () => {
    const { swap } = await world.client.swap(victim.swap.id)
    return swap.transactions.find(({ type, status }) => type === 'refund' && status === 'completed')
  }
  await expect.poll(returned, { timeout: 30_000 }).toBeDefined()
  expect(await world.balance(usdc, victimsRefunds)).toBe(unitsOf((await returned())?.amount ?? 0, usdc))
  expect(await world.balance(usdc, thief)).toBe(0n)
})

it('an app has its own address again by its key, and no other app has it', async () => {
  const [recipient, refunds] = [world.stranger(), world.stranger()]
  const [own, other] = [await keyFor('honest'), await keyFor('curious')]
  const wanted = body(recipient, { amount: 50, refund_address: refunds })
  const first = actionOf(await createAs(own, wanted)).to_address
  expect(actionOf(await createAs(own, wanted)).to_address).toBe(first)
  expect(actionOf(await createAs(other, wanted)).to_address).not.toBe(first)
  expect(actionOf(await createAs(null, { ...wanted, app_name: 'honest' })).to_address).not.toBe(first)
  const elsewhere = { ...wanted, refund_address: world.stranger() }
  expect(actionOf(await createAs(own, elsewhere)).to_address).not.toBe(first)
})
