/**
 * A recipient with code runs it in our transaction, at our cost. The attack: a small payout to a contract that uses
 * half a million gas for a fee of 21,000, as delivery, refuel or refund; or one that is cheap when quoted and expensive
 * when paid.
 */
import { GreedyRecipient } from '@causeway/contracts'
import type { Token } from '@causeway/core'
import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deploy, send, walletOn } from '../../support/chains/evm.ts'
import { actionOf, startWorld, unitsOf, type World } from '../../support/processes/world.ts'
import type { WireSwap } from '../../support/service/client.ts'

const FROM = 'ARBITRUM_SEPOLIA'
const TO = 'OPTIMISM_SEPOLIA'
/** From the network files: the gas that every payout includes, and the maximum for a recipient. */
const INCLUDED = 60_000n
const MOST = 200_000n

let world: World
let eth: Token
let usdc: Token

beforeAll(async () => {
  world = await startWorld({ PAYOUT_PATIENCE_SECONDS: '1' })
  eth = world.token(TO, 'ETH')
  usdc = world.token(FROM, 'USDC')
})
afterAll(() => world?.stop())

const body = (destination: string, more: Record<string, unknown> = {}) => ({
  source_network: FROM,
  source_token: 'USDC',
  destination_network: TO,
  destination_token: 'ETH',
  destination_address: destination,
  amount: 50,
  ...more,
})

async function greedy(network: string, gas: bigint): Promise<Hex> {
  const contract = await deploy(world, network, GreedyRecipient)
  await teach(network, contract, gas)
  return contract
}

async function teach(network: string, contract: Hex, gas: bigint): Promise<void> {
  const data = encodeFunctionData({ abi: GreedyRecipient.abi, functionName: 'take', args: [gas] })
  expect((await send(world, network, { to: contract, data })).status).toBe('success')
}

/** The gas of every transaction that pays for this swap. */
async function gasOf(network: string, swap: WireSwap): Promise<{ limit: bigint; used: bigint }[]> {
  const rows = await world.query<{ hash: string }>(
    `select attempt.hash from payout join slot_payout on payout_id = payout.id join attempt using (slot_id)
     where swap_id = $1 and payout.network = $2`,
    [swap.swap.id, network],
  )
  const wallet = walletOn(world, network)
  return Promise.all(
    rows.map(async ({ hash }) => {
      const [transaction, receipt] = await Promise.all([
        wallet.getTransaction({ hash: hash as Hex }),
        wallet.getTransactionReceipt({ hash: hash as Hex }),
      ])
      return { limit: transaction.gas, used: receipt.gasUsed }
    }),
  )
}

it('a recipient with little code is paid at the usual fee', async () => {
  const recipient = await greedy(TO, 10_000n)
  const plain = await world.client.create(body(world.stranger()))
  const swap = await world.client.create(body(recipient))
  expect(swap.quote.blockchain_fee).toBe(plain.quote.blockchain_fee)
  await world.deposit(usdc, actionOf(swap))
  await world.client.reaches(swap.swap.id, 'completed')
  const [ordered] = await world.query<{ units: string }>('select units from payout where swap_id = $1', [swap.swap.id])
  expect(await world.balance(eth, recipient)).toBe(BigInt(ordered?.units ?? 0))
  const [paid, ...more] = await gasOf(TO, swap)
  expect(more).toEqual([])
  expect(paid?.limit).toBeLessThanOrEqual(INCLUDED)
})

it('one that needs more gas is charged in its quote, and paid', async () => {
  const recipient = await greedy(TO, 100_000n)
  const plain = await world.client.create(body(world.stranger()))
  const swap = await world.client.create(body(recipient))
  const [limitOf] = [await walletOn(world, TO).getBlock()]
  await world.deposit(usdc, actionOf(swap))
  await world.client.reaches(swap.swap.id, 'completed')
  const [paid, ...more] = await gasOf(TO, swap)
  expect(more).toEqual([])
  expect(paid?.limit).toBeGreaterThan(INCLUDED)
  expect(paid?.limit).toBeLessThanOrEqual(MOST)
  // At the quote's gas price and the sandbox's prices: the surcharge for gas beyond a plain transfer, with a margin of
  // half.
  const extraWei = ((paid?.limit ?? 0n) - 21_000n) * ((limitOf?.baseFeePerGas ?? 0n) + 10n ** 9n)
  const rate = swap.quote.receive_amount / (50 - plain.quote.total_fee)
  expect(swap.quote.blockchain_fee - plain.quote.blockchain_fee).toBeGreaterThan((Number(extraWei) / 1e18 / rate) * 0.9)
})

it('one that needs more than the maximum is refused at creation', async () => {
  const recipient = await greedy(TO, 480_000n)
  const refused = await world.client.post('/api/v2/swaps', body(recipient))
  expect(refused).toMatchObject({ status: 400, error: { code: 'INVALID_ADDRESS_ERROR' } })
  expect(refused.error?.message).toContain('its code takes more than 200000 gas')
  const refuel = await world.client.post('/api/v2/swaps', body(recipient, { destination_token: 'USDC', refuel: true }))
  expect(refuel).toMatchObject({ status: 400, error: { code: 'INVALID_ADDRESS_ERROR' } })
})

it('one that becomes expensive between quote and payout costs us nothing: the deposit is refunded', async () => {
  const recipient = await greedy(TO, 0n)
  const refundTo = world.stranger()
  const swap = await world.client.create(body(recipient, { refund_address: refundTo }))
  await teach(TO, recipient, 150_000n)
  await world.deposit(usdc, actionOf(swap))
  const ended = await world.client.reaches(swap.swap.id, 'refunded')
  expect(ended.swap.fail_reason).toBe('payout_rejected')
  expect(await gasOf(TO, swap)).toEqual([])
  expect(await world.balance(eth, recipient)).toBe(0n)
  const refund = ended.swap.transactions.find(({ type }) => type === 'refund')
  expect(await world.balance(usdc, refundTo)).toBe(unitsOf(refund?.amount ?? 0, usdc))
})

it('a refund address with too expensive code is not paid: the money is owed', async () => {
  const native = world.token(FROM, 'ETH')
  const recipient = await greedy(TO, 0n)
  const refundTo = await greedy(FROM, 150_000n)
  const swap = await world.client.create(
    body(recipient, { source_token: 'ETH', amount: 0.05, refund_address: refundTo }),
  )
  await teach(TO, recipient, 150_000n)
  await world.deposit(native, actionOf(swap))
  await world.client.reaches(swap.swap.id, 'pending_refund')
  expect(await gasOf(FROM, swap)).toEqual([])
  expect(await gasOf(TO, swap)).toEqual([])
  expect(await world.balance(native, refundTo)).toBe(0n)
})
