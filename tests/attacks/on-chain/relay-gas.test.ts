/**
 * An owner that is a contract runs its own code in the transaction that we relay and pay for. The attacks: pass every
 * simulation and fail on chain, repeatedly; use far more gas than the quote covers; and submit many authorizations
 * before the first one has failed.
 */
import { GreedyWallet } from '@causeway/contracts'
import type { Token } from '@causeway/core'
import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { control, deploy, send, settleOn, walletOn } from '../../support/chains/evm.ts'
import { FROM, gaslessIn, unitsFor } from '../../support/chains/gasless.ts'
import { startWorld, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import type { WireSwap } from '../../support/service/client.ts'

/** Any bytes: the wallet accepts all signatures. */
const SIGNATURE: Hex = `0x${'11'.repeat(66)}`
/** The gas of a relay that the quote covers. */
const MOST = 250_000n
const GWEI = 10n ** 9n
/** The same value as on the local chains. */
const BLOCK_MS = 1_000

let world: World
let usdc: Token
let gasless: ReturnType<typeof gaslessIn>

beforeAll(async () => {
  world = await startWorld({ RELAY_FAILURES_PER_DAY: '5' })
  usdc = world.token(FROM, 'USDC')
  gasless = gaslessIn(world)
})
afterAll(() => world?.stop())

async function greedyWallet(units: bigint): Promise<Hex> {
  const wallet = await deploy(world, FROM, GreedyWallet)
  await world.devnet(FROM).fund(usdc, wallet, units)
  return wallet
}

async function teach(wallet: Hex, name: 'take' | 'refuse', value: bigint | boolean): Promise<void> {
  const args = [value] as readonly [bigint] | readonly [boolean]
  const data = encodeFunctionData({ abi: GreedyWallet.abi, functionName: name, args } as Parameters<
    typeof encodeFunctionData
  >[0])
  expect((await send(world, FROM, { to: wallet, data })).status).toBe('success')
}

/** All transactions that we sent for this owner. */
async function relaysOf(owner: Hex): Promise<{ limit: bigint; status: string }[]> {
  const rows = await world.query<{ hash: string }>(
    `select attempt.hash from gasless_authorization join slot_payout using (payout_id) join attempt using (slot_id)
     where lower(owner) = lower($1)`,
    [owner],
  )
  const wallet = walletOn(world, FROM)
  return Promise.all(
    rows.map(async ({ hash }) => {
      const [transaction, receipt] = await Promise.all([
        wallet.getTransaction({ hash: hash as Hex }),
        wallet.getTransactionReceipt({ hash: hash as Hex }),
      ])
      return { limit: transaction.gas, status: receipt.status }
    }),
  )
}

it('a contract wallet within the gas limit is relayed for', async () => {
  const wallet = await greedyWallet(unitsFor(usdc))
  await teach(wallet, 'take', 20_000n)
  const swap = await gasless.swapFor(usdc, wallet)
  expect((await gasless.authorize(swap, SIGNATURE, wallet)).status).toBe(200)
  await world.client.reaches(swap.swap.id, 'completed')
  const [relay, ...more] = await relaysOf(wallet)
  expect(more).toEqual([])
  expect(relay?.status).toBe('success')
  expect(relay?.limit).toBeLessThanOrEqual(MOST)
})

it.each([
  ['more than the quote covers', 400_000n],
  ['more than a node tries for a signature', 8_000_000n],
])('one that uses %s is rejected, and nothing is sent', async (_, gas) => {
  const wallet = await greedyWallet(unitsFor(usdc))
  await teach(wallet, 'take', gas)
  const swap = await gasless.swapFor(usdc, wallet)
  await gasless.authorize(swap, SIGNATURE, wallet)
  await gasless.reaches(swap, 'rejected')
  expect(await relaysOf(wallet)).toEqual([])
  expect((await world.client.swap(swap.swap.id)).swap.status).toBe('user_transfer_pending')
})

it('one that passes the simulation and fails in the block costs us only two small transactions', async () => {
  const wallet = await greedyWallet(10n * unitsFor(usdc))
  const swaps = await Promise.all(Array.from({ length: 6 }, () => gasless.swapFor(usdc, wallet)))
  await failInBlock([wallet], 2, async () => {
    const given = await Promise.all(swaps.map((swap) => gasless.authorize(swap, SIGNATURE, wallet)))
    expect(given.map(({ status }) => status)).toEqual(swaps.map(() => 200))
  })
  // From here on it would pass every simulation, but is not tried any more.
  await rejected(swaps)
  const relays = await relaysOf(wallet)
  expect(relays.map(({ status }) => status)).toEqual(['reverted', 'reverted'])
  for (const { limit } of relays) expect(limit).toBeLessThanOrEqual(MOST)
  const [again] = swaps
  if (!again) throw new Error('no swap')
  const refused = await gasless.authorize(again, SIGNATURE, wallet)
  expect(refused).toMatchObject({ status: 400, error: { code: 'VALIDATION_ERROR' } })
  expect(refused.error?.message).toContain('failed on chain 2 times in a day')
  expect(await relaysOf(wallet)).toHaveLength(2)
})

it('many owners share a budget too, even if all submit before the first of them fails', async () => {
  // Two have failed already, and five may.
  const wallets: Hex[] = []
  const swaps: WireSwap[] = []
  for (let count = 0; count < 5; count++) {
    const wallet = await greedyWallet(unitsFor(usdc))
    wallets.push(wallet)
    swaps.push(await gasless.swapFor(usdc, wallet))
  }
  await failInBlock(wallets, 3, async () => {
    for (const [position, swap] of swaps.entries())
      expect((await gasless.authorize(swap, SIGNATURE, wallets[position] ?? '')).status).toBe(200)
  })
  await rejected(swaps)
  // Each is tried once, even those that would succeed now.
  const relays = (await Promise.all(wallets.map(relaysOf))).flat()
  expect(relays.map(({ status }) => status)).toEqual(['reverted', 'reverted', 'reverted'])
  const wallet = await greedyWallet(unitsFor(usdc))
  const answer = await gasless.authorize(await gasless.swapFor(usdc, wallet), SIGNATURE, wallet)
  expect(answer.error?.message).toContain(`failed on ${FROM} today`)
  await settleOn(world, FROM)
  expect(await relaysOf(wallet)).toEqual([])
})

/** A failure is certain only at final depth: blocks are mined until all have ended. */
async function rejected(swaps: WireSwap[]): Promise<void> {
  await eventually(async () => {
    await world.devnet(FROM).mine(FROM, 8)
    const states = await Promise.all(swaps.map((swap) => gasless.statusOf(swap)))
    return states.every((state) => state?.status === 'rejected')
  }, 'all authorizations to be rejected')
}

/**
 * The attacker waits until this many relays are pending, and puts a transaction with a higher tip before them in the
 * block. In the next block the wallet accepts again.
 */
async function failInBlock(wallets: readonly Hex[], relays: number, authorize: () => Promise<void>): Promise<void> {
  await control(world, FROM, 'evm_setAutomine', false)
  await control(world, FROM, 'evm_setIntervalMining', 0)
  await authorize()
  await eventually(async () => {
    const rows = await world.query(
      `select from gasless_authorization join slot_payout using (payout_id) join attempt using (slot_id)
       where lower(owner) = any($1) and sent_at is not null`,
      [wallets.map((wallet) => wallet.toLowerCase())],
    )
    return rows.length === relays
  }, 'the relays to be sent')
  const data = encodeFunctionData({ abi: GreedyWallet.abi, functionName: 'refuse', args: [true] })
  const prices = { maxFeePerGas: 200n * GWEI, maxPriorityFeePerGas: 100n * GWEI }
  for (const wallet of wallets)
    await walletOn(world, FROM).sendTransaction({ to: wallet, data, gas: 100_000n, ...prices })
  await world.devnet(FROM).mine(FROM, 1)
  await control(world, FROM, 'evm_setAutomine', true)
  for (const wallet of wallets) await teach(wallet, 'refuse', false)
  await control(world, FROM, 'evm_setIntervalMining', BLOCK_MS)
}
