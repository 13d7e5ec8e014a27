/** After NEW_TREASURY the former wallet stays watched, and payouts that were not started are paid by the new one. */
import { RetryLater } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { family } from '../../../../chains/simulated/local/src/index.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { openChains } from '../../catalogue/chains.ts'
import { claimTreasury } from '../../store/ledger/treasuries.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { sweepAddresses } from '../kinds/sweep.ts'
import { pay } from '../payouts/pay.ts'
import { expireSwaps } from '../swap/expire.ts'
import { createWatcher } from './watch.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
let database: TestDatabase
let hand: Hand

beforeEach(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  for (const [name, { treasury }] of hand.services.chains)
    expect(await claimTreasury(hand.services.database, name, treasury, false)).toBeNull()
})
afterEach(async () => {
  await hand.stop()
  await database.stop()
})

/** As after a start with other keys and NEW_TREASURY naming every network. */
async function rotate() {
  const { services } = hand
  const chains = await openChains(services.catalogue, async () => family, testSigner('other keys'), services.log)
  for (const [name, { treasury }] of chains)
    expect(await claimTreasury(services.database, name, treasury, true)).toBeNull()
  Object.assign(services, { chains })
  for (const chain of chains.values())
    for (const { contract } of chain.network.tokens)
      hand.chain(chain.network.name).mint(chain.treasury, contract, 10n ** 22n)
  await services.database
    .updateTable('lease')
    .set({ expires_at: new Date(0) })
    .execute()
  const pace = { ttlMs: 6_000, renewMs: -1, keepMs: 2_000 }
  const watchers = new Map([...chains].map(([name, chain]) => [name, createWatcher(services, chain, pace)]))
  return async (network: string) => {
    hand.chain(network).mine(13)
    await watchers.get(network)?.turn()
  }
}

const statusOf = async (id: string) =>
  (await hand.services.database.selectFrom('swap').select('status').where('id', '=', id).executeTakeFirstOrThrow())
    .status

test('a deposit to the wallet that the user was told before is seen, matched and credited', async () => {
  const swap = await hand.swap(FROM, TO)
  const pass = await rotate()
  const hash = hand.deposit(swap)
  await pass(FROM)
  await pass(FROM)
  hand.passTime(7 * 3_600_000)
  await expireSwaps(hand.services)
  const found = await hand.services.database.selectFrom('deposit').selectAll().where('tx_hash', '=', hash).execute()
  expect(found).toHaveLength(1)
  expect(found[0]).toMatchObject({ swap_id: swap.view.swap.id, state: 'confirmed', to_address: swap.view.receiver })
  expect(await statusOf(swap.view.swap.id)).toBe('ls_transfer_pending')
})

test('an output that was ordered before the wallet was changed is paid by the new one', async () => {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  hand.chain(FROM).mine(7)
  await hand.watch(FROM)
  const pass = await rotate()
  const { id } = await hand.services.database
    .selectFrom('payout')
    .select('id')
    .where('swap_id', '=', swap.view.swap.id)
    .executeTakeFirstOrThrow()
  for (let hour = 0; hour < 3; hour++) {
    hand.passTime(3_600_000)
    await hand.services.refresh()
    await pay(hand.services, id)
    await pass(TO)
  }
  const rows = await hand.services.database
    .selectFrom('payout')
    .select(['kind', 'state', 'account'])
    .where('swap_id', '=', swap.view.swap.id)
    .execute()
  expect(rows).toEqual([{ kind: 'output', state: 'confirmed', account: hand.services.chains.get(TO)?.treasury }])
})

/** Orders a payout, and lets the signer fail: before it signs, or after it has signed and recorded it. */
async function begin(when: 'before' | 'after') {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  hand.chain(FROM).mine(7)
  await hand.watch(FROM)
  const { orders } = hand.services.signing
  if (!orders) throw new Error('this process does not sign')
  const sign = orders.sign.bind(orders)
  orders.sign = async (request) => {
    if (when === 'after') await sign(request)
    throw new RetryLater('the signer did not answer')
  }
  const { database: db } = hand.services
  const payouts = db.selectFrom('payout').selectAll().where('swap_id', '=', swap.view.swap.id)
  const { id } = await payouts.executeTakeFirstOrThrow()
  await pay(hand.services, id)
  orders.sign = sign
  const slot = db.selectFrom('slot').selectAll().where('network', '=', TO)
  expect(await slot.execute()).toHaveLength(1)
  const logged: unknown[] = []
  hand.services.log.error = ((fields: unknown) => logged.push(fields)) as typeof hand.services.log.error
  const received = () => hand.chain(TO).balance(swap.view.swap.destinationAddress, swap.view.swap.destination.contract)
  return { swap, id, payout: () => payouts.executeTakeFirstOrThrow(), received, logged }
}

test('a payout whose slot was reserved and not signed moves to the new wallet', async () => {
  const { id, payout, received, logged, swap } = await begin('before')
  const pass = await rotate()
  for (let round = 0; round < 3; round++) {
    hand.passTime(60_000)
    await hand.services.refresh()
    await pay(hand.services, id)
    await pass(TO)
  }
  expect(await payout()).toMatchObject({ state: 'confirmed', account: hand.services.chains.get(TO)?.treasury })
  expect(received()).toBe(swap.view.swap.quote?.receiveUnits)
  expect(logged).toEqual([])
})

test('a transaction that the former wallet signed is sent as it is: the payout does not move', async () => {
  const { id, payout, received, logged, swap } = await begin('after')
  const former = hand.services.chains.get(TO)?.treasury
  const pass = await rotate()
  for (let round = 0; round < 3; round++) {
    hand.passTime(60_000)
    await hand.services.refresh()
    await pay(hand.services, id)
    await pass(TO)
  }
  expect(await payout()).toMatchObject({ state: 'confirmed', account: former })
  expect(received()).toBe(swap.view.swap.quote?.receiveUnits)
  expect(logged).toEqual([])
})

test('a sweep takes from addresses of the present wallet: the new keys cannot sign for the others', async () => {
  const { services } = hand
  const balanceAt = ({ view: { receiver, swap } }: CreatedSwap) =>
    hand.chain(FROM).balance(receiver, swap.source.contract)
  const former = await hand.swap(FROM, TO, { useDepositAddress: true })
  hand.deposit(former)
  hand.chain(FROM).mine(13)
  await hand.watch(FROM)
  // Ordered and not started: its deposit is free again.
  await sweepAddresses(services)
  const pass = await rotate()
  await services.refresh()
  const present = await hand.swap(FROM, TO, { useDepositAddress: true })
  hand.deposit(present)
  for (let rounds = 0; rounds < 2; rounds++) await pass(FROM)
  await sweepAddresses(services)
  await hand.runJobs()
  for (let rounds = 0; rounds < 2; rounds++) await pass(FROM)
  await hand.runJobs()
  expect([balanceAt(former) > 0n, balanceAt(present)]).toEqual([true, 0n])
  const sweeps = await services.database.selectFrom('payout').select('state').where('kind', '=', 'sweep').execute()
  expect(sweeps.map(({ state }) => state).toSorted()).toEqual(['abandoned', 'confirmed'])
  const deposits = services.database
    .selectFrom('deposit')
    .select('swept_by')
    .where('to_address', '=', former.view.receiver)
  expect(await deposits.execute()).toEqual([{ swept_by: null }])
})

test('the record of treasuries is append-only, and the newest is the present one', async () => {
  const { services } = hand
  const first = services.chains.get(FROM)?.treasury ?? ''
  await rotate()
  const second = services.chains.get(FROM)?.treasury ?? ''
  expect(await claimTreasury(services.database, FROM, first, false)).toBe(second)
  expect(await claimTreasury(services.database, FROM, first, true)).toBeNull()
  const rows = await services.database
    .selectFrom('treasury')
    .select('address')
    .where('network', '=', FROM)
    .orderBy('id')
    .execute()
  expect(rows.map(({ address }) => address)).toEqual([first, second, first])
  await expect(services.database.deleteFrom('treasury').execute()).rejects.toThrow('append-only')
  await expect(services.database.updateTable('treasury').set({ address: second }).execute()).rejects.toThrow(
    'append-only',
  )
})
