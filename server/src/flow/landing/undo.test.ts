/**
 * A confirmed payout that a reorg removed is paid again only if an operator decides so, and the ledger follows the
 * decision.
 */

import { randomUUID } from 'node:crypto'
import { type Order, type PayoutKind, wayBack } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { holdOf, holdWords } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { ledgerUnits } from '../../store/ledger/balances.ts'
import { readReorged } from '../../store/payouts/reorged-payouts.ts'
import { liveSlot } from '../../store/payouts/slot-records.ts'
import { type PayoutRow, readSwap, toSwap } from '../../store/swaps/swaps.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { sweepAddresses } from '../kinds/sweep.ts'
import { pay } from '../payouts/pay.ts'
import { requeueMissingJobs } from '../run/requeue.ts'
import { returnUnmatched } from '../swap/resolve-unmatched.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const TIER = 2
const FINAL = 6

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  // The check that halts a wallet after an unknown transaction has tests of its own, so it is off here.
  for (const chain of hand.services.chains.values()) Object.assign(chain, { audit: undefined })
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

const rows = () => hand.services.database.selectFrom('payout').selectAll()
const rowOf = (id: string): Promise<PayoutRow> => rows().where('id', '=', id).executeTakeFirstOrThrow()
const alerts = async () => Number((await hand.services.metrics.alerts.get()).values[0]?.value ?? 0)

async function mineAndWatch(network: string, blocks: number): Promise<void> {
  hand.chain(network).mine(blocks)
  await hand.watch(network)
}

async function statusOf({ view }: CreatedSwap): Promise<string> {
  const swaps = hand.services.database.selectFrom('swap').select('status').where('id', '=', view.swap.id)
  return (await swaps.executeTakeFirstOrThrow()).status
}

function received({ view: { swap } }: CreatedSwap): bigint {
  return hand.chain(TO).balance(swap.destinationAddress, swap.destination.contract)
}

function walletBooks(network: string, owner = chainOf(hand.services.chains, network).treasury): Promise<bigint> {
  return ledgerUnits(hand.services.database, owner, usdcOf(network))
}

function usdcOf(network: string) {
  const usdc = hand.services.catalogue.network(network).tokens.find(({ symbol }) => symbol === 'USDC')
  if (!usdc) throw new Error('no USDC')
  return usdc
}

function sweepsOf(address: string) {
  const deposits = hand.services.database.selectFrom('deposit').select('swept_by').where('to_address', '=', address)
  return deposits.$narrowType<{ swept_by: string }>()
}

/** A swap whose output is confirmed, but not final. */
async function counted(): Promise<{ swap: CreatedSwap; payout: PayoutRow }> {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  await mineAndWatch(FROM, TIER)
  await hand.runJobs()
  await mineAndWatch(TO, TIER)
  expect(await statusOf(swap)).toBe('completed')
  return { swap, payout: await rows().where('swap_id', '=', swap.view.swap.id).executeTakeFirstOrThrow() }
}

/**
 * A reorg drops the payout. A third party with the wallet's key then sends another transaction in the same slot, and it
 * becomes final. Returns its hash.
 */
async function undo({ id, network, account }: PayoutRow, depth: number): Promise<string> {
  const parts = (await liveSlot(hand.services.database, id))?.slot.parts ?? []
  hand.chain(network).reorg(depth)
  const chain = chainOf(hand.services.chains, network)
  const amount = { token: chain.network.nativeToken, units: 7n }
  const rival: Order = { kind: 'transfers', account, transfers: [{ to: accountFrom('rival').address, amount }] }
  const signed = await chain.sign(rival, parts, await chain.prepare(rival, null))
  await chain.broadcast(signed)
  await mineAndWatch(network, FINAL)
  return signed.hash
}

/** Runs everything that could restart the payout: its job, the requeue, another payout's job. */
async function tryEverything({ id }: PayoutRow): Promise<void> {
  await pay(hand.services, id)
  hand.passTime(60_000)
  await requeueMissingJobs(hand.services)
  await hand.runJobs()
  const other = await hand.swap(FROM, TO)
  hand.deposit(other)
  await mineAndWatch(FROM, TIER)
  await hand.runJobs()
  await mineAndWatch(TO, FINAL)
  expect(await statusOf(other)).toBe('completed')
}

test('a confirmed output that proves dead is held with the evidence, not paid automatically', async () => {
  const before = { books: await walletBooks(TO), alerts: await alerts() }
  const { swap, payout } = await counted()
  expect(await walletBooks(TO)).toBe(before.books - payout.units)
  const usedBy = await undo(payout, TIER)
  expect(await statusOf(swap)).toBe('ls_transfer_pending')
  expect(await walletBooks(TO)).toBe(before.books)
  expect(await alerts()).toBe(before.alerts + 1)
  const held = await rowOf(payout.id)
  expect(held).toMatchObject({ state: 'open', started: false, tx_hash: null, held_by: 'undone' })
  const reorged = { code: 'payout_reorged', txHash: payout.tx_hash, block: `${payout.block_number}` }
  const evidence = expect.stringContaining('nonce')
  expect(await holdOf(hand.services.database, payout.id)).toEqual({ ...reorged, evidence })
  const [slot] = await hand.services.database.selectFrom('slot').selectAll().where('state', '=', 'dead').execute()
  expect(slot?.evidence).toMatchObject({ usedBy })
  await tryEverything(payout)
  expect(received(swap)).toBe(0n)
  expect(await holdOf(hand.services.database, payout.id)).toEqual({ ...reorged, evidence })
  expect(await admin(hand.services, 'payout', 'held')).toContain(payout.id)

  await admin(hand.services, 'payout', 'approve', ...(await holdWords(hand.services.database, payout.id)))
  await hand.runJobs()
  await mineAndWatch(TO, FINAL)
  expect(await statusOf(swap)).toBe('completed')
  expect(received(swap)).toBe(payout.units)
  expect(await readReorged(hand.services.database, payout.id)).toBeNull()
})

test('rejected, it counts as made: the swap completes, the ledger follows, and nothing is sent', async () => {
  const { swap, payout } = await counted()
  const books = await walletBooks(TO)
  await undo(payout, TIER)
  expect(await walletBooks(TO)).toBe(books + payout.units)
  await admin(hand.services, 'payout', 'reject', ...(await holdWords(hand.services.database, payout.id)))
  await hand.runJobs()
  expect(await statusOf(swap)).toBe('completed')
  expect(await walletBooks(TO)).toBe(books)
  expect(await rowOf(payout.id)).toMatchObject({
    state: 'confirmed',
    held_by: null,
    tx_hash: payout.tx_hash,
    block_number: payout.block_number,
  })
  await tryEverything(payout)
  expect(received(swap)).toBe(0n)
  await expect(
    admin(hand.services, 'payout', 'approve', ...(await holdWords(hand.services.database, payout.id))),
  ).rejects.toThrow('does not wait')
})

test('a lost deposit does not void a reorged payout: it may have been paid', async () => {
  const { swap, payout } = await counted()
  await undo(payout, TIER)
  hand.chain(FROM).reorg(FINAL - 1)
  await mineAndWatch(FROM, 2 * FINAL)
  const deposits = hand.services.database.selectFrom('deposit').select('state').where('swap_id', '=', swap.view.swap.id)
  expect(await deposits.execute(), 'its money counts as spent').toEqual([{ state: 'lost' }])
  expect(await rowOf(payout.id)).toMatchObject({ state: 'open', held_by: 'undone' })
  expect(await statusOf(swap)).toBe('ls_transfer_pending')
  await admin(hand.services, 'payout', 'reject', ...(await holdWords(hand.services.database, payout.id)))
  await hand.runJobs()
  expect(await rowOf(payout.id)).toMatchObject({ state: 'confirmed' })
})

test('a refund that an operator counts as made was not refused: its address stays valid', async () => {
  const swap = await hand.swap(FROM, TO)
  const { id: swapId } = swap.view.swap
  hand.deposit(swap)
  await mineAndWatch(FROM, FINAL + 1)
  const payoutOf = (kind: PayoutKind) =>
    rows().where('swap_id', '=', swapId).where('kind', '=', kind).executeTakeFirstOrThrow()
  await admin(
    hand.services,
    'payout',
    'reject',
    ...(await holdWords(hand.services.database, (await payoutOf('output')).id)),
  )
  await hand.runJobs()
  await mineAndWatch(FROM, TIER)
  expect(await statusOf(swap)).toBe('refunded')
  const refund = await payoutOf('refund')
  await undo(refund, TIER)
  await admin(hand.services, 'payout', 'reject', ...(await holdWords(hand.services.database, refund.id)))
  await hand.runJobs()
  expect(await statusOf(swap)).toBe('refunded')
  expect(await rowOf(refund.id)).toMatchObject({ state: 'confirmed', held_by: null, rejected_at: null })
  const record = await readSwap(hand.services.database, swapId)
  const known = record && toSwap(record, hand.services.catalogue)
  expect(known?.deposits.map((deposit) => wayBack(known, deposit))).toEqual([refund.to_address])
})

test('a reorged return of an unmatched deposit is reversed, and paid again only when approved', async () => {
  const { treasury } = chainOf(hand.services.chains, FROM)
  const { contract } = usdcOf(FROM)
  const payer = accountFrom(`unmatched ${randomUUID()}`)
  const chain = hand.chain(FROM)
  chain.mint(payer.address, null, chain.feePerMove)
  chain.mint(payer.address, contract, 9_000_000n)
  const move = { from: payer.address, to: treasury, contract, units: 9_000_000n }
  const words = { network: FROM, account: payer.address, nonce: 0n, fee: chain.feePerMove, memo: null, moves: [move] }
  chain.submit(signedBy(words, payer))
  await mineAndWatch(FROM, FINAL + 1)
  const deposit = await hand.services.database
    .selectFrom('deposit')
    .select('id')
    .where('from_address', '=', payer.address)
    .executeTakeFirstOrThrow()
  await hand.services.refresh()
  const books = await walletBooks(FROM)
  await returnUnmatched(hand.services, deposit.id, payer.address)
  await hand.runJobs()
  await mineAndWatch(FROM, TIER)
  const payout = await rows().where('deposit_id', '=', deposit.id).executeTakeFirstOrThrow()
  expect(payout.state).toBe('confirmed')
  expect(await walletBooks(FROM)).toBe(books - payout.units)
  await undo(payout, TIER)
  expect(await rowOf(payout.id)).toMatchObject({ state: 'open', held_by: 'undone' })
  expect(await walletBooks(FROM)).toBe(books)
  await hand.runJobs()
  await mineAndWatch(FROM, FINAL)
  expect(chain.balance(payer.address, contract)).toBe(0n)
  await admin(hand.services, 'payout', 'approve', ...(await holdWords(hand.services.database, payout.id)))
  await hand.runJobs()
  await mineAndWatch(FROM, FINAL)
  expect(chain.balance(payer.address, contract)).toBe(payout.units)
  expect(await walletBooks(FROM)).toBe(books - payout.units)
})

test.each(['approve', 'reject'])(
  'a sweep that is undone is booked back to the unit, and then as a person says: %s',
  async (answer) => {
    const swap = await hand.swap(FROM, TO, { useDepositAddress: true })
    const { receiver } = swap.view
    hand.deposit(swap)
    await mineAndWatch(FROM, FINAL)
    await hand.runJobs()
    await hand.services.refresh()
    const before = { treasury: await walletBooks(FROM), address: await walletBooks(FROM, receiver) }
    expect(before.address).toBe(50_000_000n)
    await sweepAddresses(hand.services)
    await hand.runJobs()
    // The process crashes between confirming the sweep and settling its slot.
    const { payouts } = hand.services.metrics
    const inc = payouts.inc.bind(payouts)
    Object.assign(payouts, {
      inc: (labels: { step: string }, value?: number) => {
        if (labels.step === 'confirmed') throw new Error('the process dies here')
        inc(labels as never, value)
      },
    })
    await mineAndWatch(FROM, FINAL)
    Object.assign(payouts, { inc })
    const sweep = await rows().where('id', 'in', sweepsOf(receiver)).executeTakeFirstOrThrow()
    expect(sweep.state).toBe('confirmed')
    expect(await walletBooks(FROM, receiver)).toBe(0n)
    expect(await walletBooks(FROM)).toBe(before.treasury + before.address)
    await undo(sweep, FINAL)
    expect(await rowOf(sweep.id)).toMatchObject({ state: 'open', held_by: 'undone' })
    expect({ treasury: await walletBooks(FROM), address: await walletBooks(FROM, receiver) }).toEqual(before)
    await admin(hand.services, 'payout', answer, ...(await holdWords(hand.services.database, sweep.id)))
    await hand.runJobs()
    await mineAndWatch(FROM, FINAL)
    expect((await rowOf(sweep.id)).state).toBe('confirmed')
    expect(await walletBooks(FROM, receiver)).toBe(0n)
    expect(await walletBooks(FROM)).toBe(before.treasury + before.address)
    const left = answer === 'approve' ? 0n : before.address
    expect(hand.chain(FROM).balance(receiver, usdcOf(FROM).contract)).toBe(left)
  },
)
