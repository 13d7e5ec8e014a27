/** The database goes back in time. The signing journal is replayed, and nothing is paid twice, whatever is configured now. */

import { catalogueOf } from '@causeway/core'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom } from '../../../../chains/simulated/local/src/account.ts'
import { holdWords } from '../../../../tests/support/service/holds.ts'
import {
  FINAL,
  FROM,
  type Restorable,
  STUCK_MS,
  startRestorable,
  TO,
} from '../../../../tests/support/service/restorable.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { payRewards } from '../../flow/kinds/disburse.ts'
import { pay } from '../../flow/payouts/pay.ts'
import { expireSwaps } from '../../flow/swap/expire.ts'
import { insertJournalRow } from '../../store/journal/journal-row.ts'
import { readKnown, rememberListed } from '../../store/market/known-assets.ts'

let world: Restorable
beforeEach(async () => {
  world = await startRestorable()
})
afterEach(() => world.stop())

test('after a restore and a replay no recipient is paid twice, and the ledger equals the chains', async () => {
  const waiting = await world.hand().swap(FROM, TO)
  const backup = await world.backup()
  const base = world.hand().chain(TO).height
  const forgotten = await world.hand().swap(FROM, TO)
  for (const swap of [waiting, forgotten]) world.hand().deposit(swap)
  await world.settle()
  const paid = [world.received(waiting), world.received(forgotten)]
  expect(paid.every((units) => units > 0n)).toBe(true)
  const sent = await world.sentSince(TO, base)
  expect(sent).toHaveLength(2)

  await world.rollBackTo(backup)
  await expect(world.hand().swap(FROM, TO)).rejects.toMatchObject({ code: 'SERVICE_STARTING' })
  await world.settle()
  expect([world.received(waiting), world.received(forgotten)]).toEqual(paid)
  await expect(world.run('restore', '--resume')).rejects.toThrow('2 lines of the journal are not stored')
  const printed = await world.restore()
  expect(printed).toContain('2 lines stored')
  // Once more changes nothing.
  await expect(world.run('restore', '--apply')).rejects.toThrow('signing is not stopped')
  await world.settle()
  expect(await world.statusOf(waiting)).toBe('completed')
  const payout = await world.payoutOf(waiting)
  expect(payout.state).toBe('confirmed')
  expect(sent).toContain(payout.tx_hash)
  const deposit = await world.depositOf(forgotten)
  expect(deposit).toMatchObject({ swap_id: null, resolution: 'recorded' })
  await expect(
    world.run('unmatched', 'refund', '--deposit', deposit.id, '--to', accountFrom('x').address),
  ).rejects.toThrow('recorded already')
  await expect(
    world.run('unmatched', 'assign', '--deposit', deposit.id, '--swap', waiting.view.swap.id),
  ).rejects.toThrow('recorded already')
  const fresh = await world.hand().swap(FROM, TO)
  world.hand().deposit(fresh)
  await world.settle()
  expect(await world.statusOf(fresh)).toBe('completed')
  expect([world.received(waiting), world.received(forgotten)]).toEqual(paid)
  await world.expectBooksEqualChains()
  await world.expectNothingOwed()
})

test('a backup that is seconds old is replayed once its processes no longer count as running', async () => {
  const backup = await world.backup()
  await world.goBackTo(backup)
  const { database, journal } = world.hand().services
  await insertJournalRow(database, journal.id, journal.id)
  await database.updateTable('writer').set({ beat_at: sql<Date>`now() + interval '1 hour'` }).execute()
  await expect(world.run('restore', '--apply')).rejects.toThrow(/try again in 3[56]\d\d seconds/)
  await database.updateTable('writer').set({ beat_at: sql<Date>`now() - interval '61 seconds'` }).execute()
  // A command of the operator is no process.
  await world.run('switch', 'pause', '--scope', 'service', '--what', 'payouts', '--reason', 'a restore')
  expect(await world.run('restore', '--apply')).toContain('0 lines stored')
})

test('a payout whose fee was bumped after the backup is known by every signature', async () => {
  const swap = await world.hand().swap(FROM, TO)
  world.hand().deposit(swap)
  await world.mineAndWatch(FROM, 2)
  world.hand().node(TO).faults.lostSends = 1
  world.hand().node(TO).faults.on = ['send']
  await world.hand().runJobs()
  const backup = await world.backup()
  world.hand().passTime(STUCK_MS + 1)
  await world.mineAndWatch(TO, 1)
  await world.hand().runJobs()
  await world.settle()
  expect(await world.statusOf(swap)).toBe('completed')
  const paid = world.received(swap)

  await world.rollBackTo(backup)
  // The first signature looks invalidated: the one that used the slot is not stored yet.
  await world.settle()
  await world.restore()
  await world.settle()
  expect(await world.statusOf(swap)).toBe('completed')
  expect(world.received(swap)).toBe(paid)
  await world.expectBooksEqualChains()
})

test('a payout and a refund that were made after the backup are not made again', async () => {
  await world.run('switch', 'pause', '--scope', 'service', '--what', 'payouts', '--reason', 'backup')
  const [made, back] = [await world.hand().swap(FROM, TO), await world.hand().swap(FROM, TO)]
  for (const swap of [made, back]) world.hand().deposit(swap)
  await world.settle()
  const backup = await world.backup()
  await world.run('switch', 'resume', '--scope', 'service')
  const { database } = world.hand().services
  await world.run('payout', 'reject', ...(await holdWords(database, (await world.payoutOf(back)).id)))
  await world.askAgain()
  await world.settle()
  const refunded = () =>
    world
      .hand()
      .chain(FROM)
      .balance(back.view.swap.refundAddress ?? '', back.view.swap.source.contract)
  const paid = [world.received(made), world.received(back), refunded()]
  expect([paid[0] !== 0n, paid[1], paid[2] !== 0n]).toEqual([true, 0n, true])

  await world.rollBackTo(backup)
  await world.run('switch', 'resume', '--scope', 'service')
  await world.restore()
  for (let round = 0; round < 2; round++) await world.settle()
  expect([world.received(made), world.received(back), refunded()]).toEqual(paid)
  expect([await world.statusOf(made), await world.statusOf(back)]).toEqual(['completed', 'refunded'])
  await world.expectBooksEqualChains()
  await world.expectNothingOwed()
})

test('what the former wallet paid is not paid again by the wallet of new keys', async () => {
  const swap = await world.hand().swap(FROM, TO, { useDepositAddress: true })
  const backup = await world.backup()
  world.hand().deposit(swap)
  await world.settle()
  const before = world.received(swap)
  expect(before).toBeGreaterThan(0n)
  await world.rollBackTo(backup, { keys: 'other keys' })
  const { services } = world.hand()
  for (const { network, treasury } of services.chains.values())
    for (const { contract } of network.tokens)
      world
        .hand()
        .chain(network.name)
        .mint(treasury, contract, 10n ** 22n)
  await world.settle()
  await world.restore()
  await services.refresh()
  for (let round = 0; round < 2; round++) await world.settle()
  await world.askAgain()
  const { refundAddress, source } = swap.view.swap
  const back = world
    .hand()
    .chain(FROM)
    .balance(refundAddress ?? '', source.contract)
  expect([world.received(swap), back]).toEqual([before, 0n])
  expect(await world.statusOf(swap)).toBe('completed')
})

test('who was paid on a network that is left out now is not refunded', async () => {
  const swap = await world.hand().swap(FROM, TO)
  const backup = await world.backup()
  world.hand().deposit(swap)
  await world.settle()
  const paid = world.received(swap)
  expect(paid).toBeGreaterThan(0n)
  await world.rollBackTo(backup)
  const { services } = world.hand()
  const networks = services.catalogue.networks.filter(({ name }) => name !== TO)
  const chains = new Map([...services.chains].filter(([name]) => name !== TO))
  await rememberListed(services.database, networks)
  Object.assign(services, { catalogue: catalogueOf(networks, await readKnown(services.database)), chains })
  const pass = () => world.mineAndWatch(FROM, 2 * FINAL + 1)
  await pass()
  await expect(world.restore()).rejects.toThrow(`not configured, with open transactions: ${TO}`)
  await world.restore(TO)
  await pass()
  for (let hour = 0; hour < 12; hour++) {
    world.hand().passTime(3_600_000)
    await services.market.refresh(services.catalogue.network(FROM))
    await services.market.refreshPrices()
    await expireSwaps(services)
    const open = await services.database.selectFrom('payout').select('id').where('state', '=', 'open').execute()
    for (const { id } of open) await pay(services, id)
    await pass()
  }
  const { refundAddress, source } = swap.view.swap
  expect(
    world
      .hand()
      .chain(FROM)
      .balance(refundAddress ?? '', source.contract),
  ).toBe(0n)
  expect(world.received(swap)).toBe(paid)
})

test('the same backup is restored twice: what each gap paid is paid once', async () => {
  const [first, second] = [await world.hand().swap(FROM, TO), await world.hand().swap(FROM, TO)]
  const backup = await world.backup()
  world.hand().deposit(first)
  await world.settle()
  await world.rollBackTo(backup)
  await world.restore()
  await world.settle()
  world.hand().deposit(second)
  await world.settle()
  const paid = [world.received(first), world.received(second)]
  expect(paid.every((units) => units > 0n)).toBe(true)
  await world.rollBackTo(backup)
  await world.settle()
  await world.restore()
  await world.settle()
  expect([world.received(first), world.received(second)]).toEqual(paid)
  expect([await world.statusOf(first), await world.statusOf(second)]).toEqual(['completed', 'completed'])
  await world.expectBooksEqualChains()
  await world.expectNothingOwed()
})

test.each(['known', 'lost'])(
  'a deposit of a %s swap that a reorg took and that is included again later is not paid again',
  async (which) => {
    const known = which === 'known' ? await world.coinSwap('recipient') : null
    const backup = await world.backup()
    const chain = world.hand().chain(FROM)
    const before = chain.height
    const swap = known ?? (await world.coinSwap('recipient'))
    const deposit = world.sendCoins(swap, 10n ** 18n)
    await world.settle()
    expect(await world.statusOf(swap)).toBe('completed')
    const paid = world.received(swap)
    chain.reorg(chain.height - before)
    await world.rollBackTo(backup)
    await world.restore()
    await world.settle()
    expect(chain.submit(deposit)).toBe('accepted')
    await world.settle()
    await world.askAgain()
    await world.settle()
    const back = chain.balance(accountFrom('recipient refunds').address, null)
    expect({ received: world.received(swap), back }).toEqual({ received: paid, back: 0n })
    if (known) expect(await world.statusOf(swap)).toBe('completed')
    else expect(await world.depositOf(swap)).toMatchObject({ resolution: 'recorded' })
    await world.expectNothingOwed()
  },
)

test('what was signed and never sent is sent from the journal, once', async () => {
  const swap = await world.hand().swap(FROM, TO)
  const backup = await world.backup()
  world.hand().deposit(swap)
  await world.mineAndWatch(FROM, 2)
  // It is signed and never sent.
  world.hand().node(TO).faults.lostSends = 1
  world.hand().node(TO).faults.on = ['send']
  await world.hand().runJobs()
  expect(world.received(swap)).toBe(0n)
  await world.rollBackTo(backup)
  await world.restore()
  for (let round = 0; round < 2; round++) await world.settle()
  expect(await world.statusOf(swap)).toBe('completed')
  expect(world.received(swap)).toBe((await world.payoutOf(swap)).units)
  await world.expectBooksEqualChains()
  await world.expectNothingOwed()
})

test('addresses that were given out after the backup are watched and never given out again', async () => {
  await world.hand().swap(FROM, TO, { useDepositAddress: true })
  const backup = await world.backup()
  const forgotten = await world.hand().swap(FROM, TO, { useDepositAddress: true })
  const branch = world.hand().services.addressBranch.branch ?? 0
  await world.rollBackTo(backup)
  await world.restore()
  world.hand().deposit(forgotten)
  await world.settle()
  const units = forgotten.view.swap.requestedUnits
  const unmatched = await world
    .hand()
    .services.database.selectFrom('deposit')
    .select(['swap_id', 'units', 'state'])
    .where('to_address', '=', forgotten.view.receiver)
    .execute()
  expect(unmatched).toEqual([{ swap_id: null, units, state: 'confirmed' }])
  const derive = chainOf(world.hand().services.chains, FROM).depositAddresses?.derive
  const given = await Promise.all(Array.from({ length: 1000 }, (_, index) => derive?.(index + 1, branch)))
  expect(given).toContain(forgotten.view.receiver)
  const { receiver } = (await world.hand().swap(FROM, TO, { useDepositAddress: true })).view
  expect(given).not.toContain(receiver)
})

test('a reward that was paid after the backup is not paid again', async () => {
  await world.stop()
  world = await startRestorable({ SERVICE_FEE_BPS: '100' })
  const weekMs = 7 * 86_400_000
  const starts = new Date(world.hand().services.now().getTime() - 1_000)
  const offer = () => {
    const { services } = world.hand()
    services.addCampaign({
      ...{ name: 'spring', display_name: 'Spring', type: 'default', nft_contract: null, fee_share: 0.5 },
      ...{ token: services.catalogue.network(TO).nativeToken, budgetUnits: 10n ** 18n, minPayoutUnits: 1n },
      ...{ starts_at: starts.toISOString(), period_days: 7 },
      ends_at: new Date(services.now().getTime() + 100 * weekMs).toISOString(),
    })
  }
  const disburse = async () => {
    world.hand().passTime(weekMs)
    await world.hand().services.refresh()
    await payRewards(world.hand().services)
    await world.hand().runJobs()
    await world.settle()
  }
  offer()
  const earning = await world.hand().swap(FROM, TO)
  world.hand().deposit(earning)
  await world.settle()
  expect(await world.statusOf(earning)).toBe('completed')
  const backup = await world.backup()
  const native = () => world.hand().chain(TO).balance(earning.view.swap.destinationAddress, null)
  await disburse()
  const paid = native()
  expect(paid).toBeGreaterThan(0n)
  await world.rollBackTo(backup)
  offer()
  await world.restore()
  await world.settle()
  await disburse()
  expect(native()).toBe(paid)
  await world.expectBooksEqualChains()
})
