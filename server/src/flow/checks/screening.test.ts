/** Screening before money leaves covers the recipient and every sender of the money, at each payment. */

import { type ChainAdapter, RetryLater } from '@causeway/core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { approveBefore, holdOf, holdWords, screenerBy } from '../../../../tests/support/service/holds.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { setLimit } from '../../store/limits/safeguards.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { pay } from '../payouts/pay.ts'
import { returnUnmatched } from '../swap/resolve-unmatched.ts'

const FROM = 'ALPHA'
const TO = 'BETA'
const TIER = 2
const FINAL = 6

let database: TestDatabase
let hand: Hand
const listed = new Set<string>()
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  Object.assign(hand.services, { screener: screenerBy((address) => (listed.has(address) ? 'listed' : null)) })
})
beforeEach(async () => {
  listed.clear()
  await hand.services.database.deleteFrom('safety_limit').execute()
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

const adapter = (): ChainAdapter => chainOf(hand.services.chains, FROM)

async function mine(blocks: number): Promise<void> {
  hand.chain(FROM).mine(blocks)
  await hand.watch(FROM)
}

function send(label: string, to: string, contract: string | null, units: bigint, memo: string | null): string {
  const chain = hand.chain(FROM)
  const payer = accountFrom(label)
  chain.mint(payer.address, null, chain.feePerMove)
  chain.mint(payer.address, contract, units)
  const nonce = chain.nonce(payer.address)
  const moves = [{ from: payer.address, to, contract, units }]
  chain.submit(signedBy({ network: FROM, account: payer.address, nonce, fee: chain.feePerMove, memo, moves }, payer))
  return chain.mempool.at(-1)?.hash ?? ''
}

async function outputOf({ view }: CreatedSwap): Promise<PayoutRow> {
  const { database: db } = hand.services
  const rows = db.selectFrom('payout').selectAll().where('swap_id', '=', view.swap.id).where('kind', '=', 'output')
  return rows.executeTakeFirstOrThrow()
}
const seenOf = async ({ id, started }: PayoutRow) => [started, await holdOf(hand.services.database, id)]
const listing = (address: string) => ({ code: 'screened', address, listing: 'listed' })

/** A swap with a confirmed deposit, and the address that paid. */
async function funded(): Promise<{ swap: CreatedSwap; payer: string }> {
  const swap = await hand.swap(FROM, TO)
  const hash = hand.deposit(swap)
  await mine(TIER)
  const { database: db } = hand.services
  const row = await db.selectFrom('deposit').selectAll().where('tx_hash', '=', hash).executeTakeFirstOrThrow()
  return { swap, payer: row.from_address ?? '' }
}

test('a listed sender of unused dust does not hold the payouts of others', async () => {
  const swap = await hand.swap(FROM, TO)
  listed.add(accountFrom('listed stranger').address)
  send('listed stranger', swap.view.receiver, swap.view.swap.source.contract, 1n, `${swap.view.reference}`)
  hand.deposit(swap)
  await mine(TIER)
  await hand.runJobs()
  expect(await seenOf(await outputOf(swap))).toEqual([true, null])
})

test('nor if the dust was seen long before the real deposit', async () => {
  const swap = await hand.swap(FROM, TO)
  listed.add(accountFrom('listed stranger').address)
  const { receiver, reference, swap: made } = swap.view
  const dust = send('listed stranger', receiver, made.source.contract, 1n, `${reference}`)
  const money = hand.deposit(swap)
  const { inspect } = adapter()
  const rows = hand.services.database.selectFrom('deposit').select('state').where('tx_hash', '=', dust)
  const isCounted = async () => (await rows.executeTakeFirst())?.state === 'confirmed'
  Object.assign(adapter(), {
    inspect: async (...given: Parameters<ChainAdapter['inspect']>) => {
      for (let looks = 0; given[0] === money && looks < 50 && !(await isCounted()); looks++);
      return inspect(...given)
    },
  })
  await mine(TIER)
  Object.assign(adapter(), { inspect })
  await hand.runJobs()
  expect(await seenOf(await outputOf(swap))).toEqual([true, null])
})

test('a listed sender whose money was used holds the output', async () => {
  const { swap, payer } = await funded()
  listed.add(payer)
  await hand.runJobs()
  expect(await seenOf(await outputOf(swap))).toEqual([false, listing(payer)])
})

test('a contract that sent the deposit is screened too, although it cannot be refunded', async () => {
  const swap = await hand.swap(FROM, TO)
  const contract = accountFrom('a mixer').address
  const { scan, inspect } = adapter()
  const veiled = <Found extends object>(found: Found): Found =>
    'sightings' in found && Array.isArray(found.sightings)
      ? {
          ...found,
          sightings: found.sightings.map((each) => ({ ...each, refundableSender: null, fundingAddresses: [contract] })),
        }
      : found
  Object.assign(adapter(), {
    scan: async (...given: Parameters<ChainAdapter['scan']>) => veiled(await scan(...given)),
    inspect: async (...given: Parameters<ChainAdapter['inspect']>) => veiled(await inspect(...given)),
  })
  hand.deposit(swap)
  await mine(TIER)
  Object.assign(adapter(), { scan, inspect })
  listed.add(contract)
  await hand.runJobs()
  expect(await seenOf(await outputOf(swap))).toEqual([false, listing(contract)])
})

test('an approval covers the addresses shown then, not ones that are listed later', async () => {
  const { services } = hand
  await setLimit(services.database, 'approval_above', 'service', 1n)
  const { swap, payer } = await funded()
  await hand.runJobs()
  const { id, to_address } = await outputOf(swap)
  const approve = async () => admin(services, 'payout', 'approve', ...(await holdWords(services.database, id)))
  const heldFor = async () => {
    await pay(services, id)
    return holdOf(services.database, id)
  }
  expect(await heldFor()).toMatchObject({ code: 'approval_needed' })
  await approve()
  await expect(approve()).rejects.toThrow('is approved already')
  listed.add(payer)
  expect(await heldFor()).toEqual(listing(payer))
  await approve()
  // The approved address is not asked about again, and does not hide another.
  listed.add(to_address)
  expect(await heldFor()).toEqual(listing(to_address))
  await approve()
  await pay(services, id)
  expect((await outputOf(swap)).started).toBe(true)
})

test('screening that does not answer holds a payout, approved or not', async () => {
  const { services } = hand
  const { swap } = await funded()
  const { id } = await outputOf(swap)
  await approveBefore(services.database, id, services.now())
  const { screener } = services
  Object.assign(services, { screener: { name: 'down', screen: () => Promise.reject(new RetryLater('it is down')) } })
  await hand.runJobs()
  expect((await outputOf(swap)).started).toBe(false)
  Object.assign(services, { screener })
  await pay(services, id)
  expect((await outputOf(swap)).started).toBe(true)
})

test('the return of an unmatched deposit waits for finality, and its sender is screened', async () => {
  const { services } = hand
  const { database: db } = services
  const { contract } = services.catalogue.network(FROM).tokens.find((token) => token.contract !== null) ?? {
    contract: null,
  }
  const hash = send('no memo', adapter().treasury, contract, 50_000_000n, null)
  await mine(TIER)
  const { id } = await db.selectFrom('deposit').select('id').where('tx_hash', '=', hash).executeTakeFirstOrThrow()
  const returns = () => db.selectFrom('payout').selectAll().where('deposit_id', '=', id).execute()
  const home = accountFrom('home').address
  await services.refresh()
  await returnUnmatched(services, id, home)
  expect(await returns()).toEqual([])
  await mine(FINAL)
  listed.add(accountFrom('no memo').address)
  await returnUnmatched(services, id, home)
  await hand.runJobs()
  expect(await Promise.all((await returns()).map(seenOf))).toEqual([[false, listing(accountFrom('no memo').address)]])
  listed.clear()
  const [order] = await returns()
  await pay(services, order?.id ?? '')
  await mine(FINAL)
  expect(hand.chain(FROM).balance(home, contract)).toBe(order?.units)
})

test('a deposit that a reorg removes before it was sent back is not sent back', async () => {
  const { services } = hand
  const { database: db } = services
  const hash = send('removed', adapter().treasury, null, 10n ** 18n, null)
  await mine(TIER)
  const { id } = await db.selectFrom('deposit').select('id').where('tx_hash', '=', hash).executeTakeFirstOrThrow()
  await services.refresh()
  await returnUnmatched(services, id, accountFrom('home').address)
  hand.chain(FROM).reorg(TIER, 'dropped')
  await mine(FINAL + TIER + 1)
  await returnUnmatched(services, id, accountFrom('home').address)
  expect(await db.selectFrom('payout').select('id').where('deposit_id', '=', id).execute()).toEqual([])
  expect((await db.selectFrom('deposit').select('state').where('id', '=', id).executeTakeFirst())?.state).toBe('gone')
})
