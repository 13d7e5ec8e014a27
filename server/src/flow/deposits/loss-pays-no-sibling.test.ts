/**
 * A transaction whose deposits were paid out and then lost comes back with other amounts: what it brings now may be the
 * coins that were paid out before, so an operator decides about it.
 */
import type { ChainAdapter, Sighting } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { listUnmatched } from '../../store/deposits/unmatched.ts'

const [FROM, TO] = ['ALPHA', 'BETA'] as const
const TIER = 2
const USDC = 1_000_000n

let database: TestDatabase
let hand: Hand
beforeEach(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
})
afterEach(async () => {
  await hand.stop()
  await database.stop()
})

async function mine(blocks = 1, network: string = FROM): Promise<void> {
  hand.chain(network).mine(blocks)
  await hand.watch(network)
}

/** One transaction with several transfers; the n-th has the index n. */
function send(contract: string | null, transfers: readonly { to: string; units: bigint }[]): void {
  const chain = hand.chain(FROM)
  const payer = accountFrom(`${database.url} payer`)
  const moves = transfers.map((each) => ({ from: payer.address, contract, ...each }))
  chain.mint(payer.address, null, chain.feePerMove)
  chain.mint(payer.address, null, chain.feePerMove)
  for (const { units } of transfers) chain.mint(payer.address, contract, units)
  const fee = chain.feePerMove * BigInt(moves.length)
  chain.submit(signedBy({ network: FROM, account: payer.address, nonce: 0n, fee, memo: null, moves }, payer))
}

/** The contract that pays transfers other amounts in the next block; zero is no transfer. */
function paysNow(unitsAt: readonly bigint[]): void {
  const chain = chainOf(hand.services.chains, FROM)
  const { scan, inspect } = chain
  const changed = <T extends object>(found: T): T => {
    if (!('sightings' in found)) return found
    const sightings = (found.sightings as Sighting[]).flatMap((was) => {
      const units = unitsAt[was.index] ?? 0n
      return units === 0n ? [] : [{ ...was, amount: { ...was.amount, units } }]
    })
    return { ...found, sightings }
  }
  Object.assign(chain, {
    scan: async (...given: Parameters<ChainAdapter['scan']>) => changed(await scan(...given)),
    inspect: async (...given: Parameters<ChainAdapter['inspect']>) => changed(await inspect(...given)),
  })
}

/** The transaction is paid out, and then a reorg mines it again with these amounts. */
async function reorgAfterPayout(unitsAt: readonly bigint[]): Promise<void> {
  await mine(TIER)
  await hand.runJobs()
  await mine(TIER, TO)
  paysNow(unitsAt)
  hand.chain(FROM).reorg(TIER, 'returned')
  await hand.watch(FROM)
  for (let round = 0; round < 4; round++) await mine(TIER + 1)
  await hand.services.refresh()
  await hand.runJobs()
}

const payouts = () =>
  hand.services.database
    .selectFrom('payout')
    .select(['swap_id', 'kind'])
    .where('state', '!=', 'abandoned')
    .orderBy('created_at')
    .execute()

test('a deposit that takes the amount of its lost sibling is not paid out', async () => {
  const [first, second] = [
    await hand.swap(FROM, TO, { useDepositAddress: true }),
    await hand.swap(FROM, TO, { useDepositAddress: true }),
  ]
  const part = 7n * USDC
  const whole = second.view.swap.requestedUnits ?? 0n
  send(second.view.swap.source.contract, [
    { to: first.view.receiver, units: part },
    { to: second.view.receiver, units: whole },
  ])
  await reorgAfterPayout([part + whole])
  // 57 arrived, 50 of them are paid out.
  expect(await payouts()).toEqual([{ swap_id: second.view.swap.id, kind: 'output' }])
  expect(await listUnmatched(hand.services.database, 10)).toMatchObject([{ index: 0, units: part + whole }])
})

test('of two lost deposits that exchange their amounts, the larger one is not found with money to return', async () => {
  const swap = await hand.swap(FROM, TO, { useDepositAddress: true })
  const { receiver, swap: made } = swap.view
  const whole = made.requestedUnits ?? 0n
  const part = 7n * USDC
  send(made.source.contract, [
    { to: receiver, units: part },
    { to: receiver, units: whole - part },
  ])
  await reorgAfterPayout([whole - part, part])
  expect(await payouts()).toEqual([{ swap_id: made.id, kind: 'output' }])
})
