/**
 * After a restore whatever is paid for money from before it may have been paid already, however late it is decided: it waits
 * for a person's word about itself. What is said of a transaction releases nothing.
 */

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { holdOf } from '../../../../tests/support/service/holds.ts'
import { FINAL, FROM, type Restorable, startRestorable, TO } from '../../../../tests/support/service/restorable.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { doubtfulPayouts } from '../../store/restore/restored.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { payRewards } from '../kinds/disburse.ts'
import { assignUnmatched, returnUnmatched } from '../swap/resolve-unmatched.ts'

const WEEK_MS = 7 * 86_400_000
const STARTS = new Date(Date.now() - 1_000)
const HELD = { state: 'open', started: false, held_by: 'rule' }

let world: Restorable
beforeAll(async () => {
  world = await startRestorable({ SERVICE_FEE_BPS: '100' })
})
afterAll(() => world.stop())
beforeEach(async () => {
  await world.run('switch', 'resume', '--scope', 'service').catch(() => undefined)
  await world.hand().services.safeguards.refresh()
  await world.settle()
})

/** One swap that the backup knows and one that it does not, both paid after it. */
async function payTwoAndGoBack(): Promise<{ remembered: CreatedSwap; forgotten: CreatedSwap; sent: string[] }> {
  const remembered = await world.hand().swap(FROM, TO)
  const backup = await world.backup()
  const base = world.hand().chain(TO).height
  const forgotten = await world.hand().swap(FROM, TO)
  for (const swap of [remembered, forgotten]) world.hand().deposit(swap)
  await world.settle()
  await world.goBackTo(backup)
  return { remembered, forgotten, sent: await world.sentSince(TO, base) }
}

/** It may have been paid before the restore: nothing is sent until a person has said so. */
async function expectInDoubt(payout: PayoutRow): Promise<void> {
  expect(payout).toMatchObject(HELD)
  expect(await holdOf(world.hand().services.database, payout.id)).toMatchObject({
    code: expect.stringMatching(/^restore_/),
  })
}

async function accept(hashes: readonly string[]): Promise<void> {
  for (const hash of hashes) await world.run('restored', 'accept', '--transaction', hash)
}

/** Everything is resumed, has caught up with what was final at the restore, and has asked again. */
async function goOn(): Promise<void> {
  await world.resume()
  await world.hand().services.safeguards.refresh()
  for (let rounds = 0; rounds < 2; rounds++) await world.settle()
  await world.askAgain()
}

async function depositOf({ view }: CreatedSwap): Promise<string> {
  const { database } = world.hand().services
  const rows = database.selectFrom('deposit').select('id').where('reference', '=', view.reference)
  return (await rows.executeTakeFirstOrThrow()).id
}

async function onlyOne(kind: 'return' | 'reward'): Promise<PayoutRow> {
  const rows = world.hand().services.database.selectFrom('payout').selectAll().where('kind', '=', kind)
  return rows.executeTakeFirstOrThrow()
}

function offerCampaign(): void {
  const { services } = world.hand()
  const nowMs = services.now().getTime()
  services.addCampaign({
    name: 'spring',
    display_name: 'Spring',
    type: 'default',
    nft_contract: null,
    token: services.catalogue.network(TO).nativeToken,
    fee_share: 0.5,
    budgetUnits: 10n ** 18n,
    minPayoutUnits: 1n,
    starts_at: STARTS.toISOString(),
    ends_at: new Date(nowMs + 100 * WEEK_MS).toISOString(),
    period_days: 7,
  })
}

/** When the period is over. */
async function disburseLater(): Promise<void> {
  world.hand().passTime(WEEK_MS)
  await world.hand().services.refresh()
  await payRewards(world.hand().services)
  await world.hand().runJobs()
  await world.settle()
}

test('all transactions are taken off the list by mistake: what they paid is not paid again, and can still be told', async () => {
  const { remembered, sent } = await payTwoAndGoBack()
  const paid = world.received(remembered)
  await world.sayRestored()
  await accept(sent)
  await goOn()
  expect(world.received(remembered)).toBe(paid)
  const payout = await world.payoutOf(remembered)
  await expectInDoubt(payout)
  const listed = await world.run('restored', 'list')
  for (const word of [payout.id, ...sent]) expect(listed).toContain(word)
  await world.run('restored', 'paid', '--payout', payout.id, '--transaction', sent[0] ?? '')
  await world.hand().runJobs()
  expect(await world.statusOf(remembered)).toBe('completed')
  await world.settle()
  expect(world.received(remembered)).toBe(paid)
  await world.expectBooksEqualChains()
})

test('a deposit of a swap that was forgotten, given to another one after the review, waits for a word of its own', async () => {
  const { remembered, forgotten, sent } = await payTwoAndGoBack()
  await world.sayRestored()
  await world.settle()
  const { id } = await world.payoutOf(remembered)
  await world.run('restored', 'paid', '--payout', id, '--transaction', sent[0] ?? '')
  await accept(sent.slice(1))
  await goOn()
  const fresh = await world.hand().swap(FROM, TO)
  await assignUnmatched(world.hand().services, await depositOf(forgotten), fresh.view.swap.id)
  await world.hand().runJobs()
  await world.settle()
  await expectInDoubt(await world.payoutOf(fresh))
  expect(world.received(fresh)).toBe(0n)
  await world.run('restored', 'unpaid', '--payout', (await world.payoutOf(fresh)).id)
  await world.hand().runJobs()
  await world.settle()
  expect(await world.statusOf(fresh)).toBe('completed')
})

test('a deposit that was paid on another network is not sent back on its own without a word', async () => {
  const { forgotten, sent } = await payTwoAndGoBack()
  await world.sayRestored()
  await accept(sent)
  await goOn()
  const to = chainOf(world.hand().services.chains, FROM)
  const stranger = (await to.depositAddresses?.derive(900_000)) ?? ''
  await returnUnmatched(world.hand().services, await depositOf(forgotten), stranger)
  await world.hand().runJobs()
  await world.settle()
  const back = await onlyOne('return')
  await expectInDoubt(back)
  expect(world.hand().chain(FROM).balance(stranger, forgotten.view.swap.source.contract)).toBe(0n)
  // The service cannot know what paid for it elsewhere; a person who overlooks that is asked again.
  const refusal = await world.run('restored', 'unpaid', '--payout', back.id).catch(String)
  for (const hash of sent) expect(refusal).toContain(hash)
  const [, others = ''] = /if none did, say --despite (\S+)$/.exec(refusal) ?? []
  const allButOne = others.split(',').slice(1).join(',')
  await expect(world.run('restored', 'unpaid', '--payout', back.id, '--despite', allButOne)).rejects.toThrow(
    '--despite',
  )
  await world.run('restored', 'unpaid', '--payout', back.id, '--despite', others)
  await world.hand().runJobs()
  await world.settle()
  expect(world.hand().chain(FROM).balance(stranger, forgotten.view.swap.source.contract)).toBe(back.units)
})

test('while what was forgotten may still land, nothing is called unpaid', async () => {
  const { remembered, sent } = await payTwoAndGoBack()
  const chain = chainOf(world.hand().services.chains, TO)
  chain.lateTransactions = { maxForgottenTxAgeMs: 3_600_000 }
  try {
    await world.sayRestored()
    await accept(sent.slice(1))
    await goOn()
    const { id } = await world.payoutOf(remembered)
    const unpaid = () => world.run('restored', 'unpaid', '--payout', id)
    await expect(unpaid()).rejects.toThrow('may still land until')
    world.hand().passTime(3_600_001)
    await unpaid()
  } finally {
    delete chain.lateTransactions
  }
})

test('what waits for a block and is not known to the books stops payouts and the review until it has landed', async () => {
  const { sent } = await payTwoAndGoBack()
  const chain = chainOf(world.hand().services.chains, TO)
  const forgotten = { txHash: 'ff'.repeat(32), slot: ['99'] }
  const mempool = [forgotten, { txHash: sent[0] ?? '', slot: ['0'] }]
  chain.lateTransactions = { maxForgottenTxAgeMs: 0, mempoolTransactions: async () => [...mempool] }
  try {
    await expect(world.sayRestored()).rejects.toThrow(`run it again for ${TO}`)
    mempool.length = 0
    await world.sayRestored()
    await accept(sent)
    await goOn()
    mempool.push(forgotten)
    const fresh = await world.hand().swap(FROM, TO)
    world.hand().deposit(fresh)
    await world.settle()
    expect(world.received(fresh)).toBe(0n)
    expect(await world.payoutOf(fresh)).toMatchObject({ state: 'open', started: false })
    mempool.length = 0
    await world.askAgain()
    await world.settle()
    expect(await world.statusOf(fresh)).toBe('completed')
  } finally {
    delete chain.lateTransactions
  }
})

test('a word that was given before a backup does not count after that one is restored', async () => {
  const { remembered, sent } = await payTwoAndGoBack()
  await world.sayRestored()
  await world.settle()
  // Whoever paid it, it was not by one of these: it goes out as soon as everything is resumed.
  const payout = await world.payoutOf(remembered)
  await world.run('restored', 'unpaid', '--payout', payout.id)
  await accept(sent)
  const backup = await world.backup()
  const before = world.received(remembered)
  await goOn()
  const after = world.received(remembered)
  expect(after).toBe(before + payout.units)
  await world.goBackTo(backup)
  await world.sayRestored()
  await goOn()
  expect(world.received(remembered)).toBe(after)
  expect(await world.payoutOf(remembered)).toMatchObject({ id: payout.id, ...HELD })
})

test('deposits on a network that could not be read stay in doubt, though somebody resumes', async () => {
  const { remembered, sent } = await payTwoAndGoBack()
  for (const network of [FROM, TO]) await world.mineAndWatch(network, FINAL + 1)
  const paid = world.received(remembered)
  world.hand().node(FROM).faults.timeouts = 1_000_000
  await expect(world.run('restored', '--watch', '20')).rejects.toThrow(FROM)
  world.hand().node(FROM).faults.timeouts = 0
  await accept(sent)
  await goOn()
  expect(world.received(remembered)).toBe(paid)
  await expectInDoubt(await world.payoutOf(remembered))
  expect(await world.statusOf(remembered)).not.toBe('completed')
})

test('the newest of the nodes behind an address says which deposits are from before the restore', async () => {
  const { remembered, sent } = await payTwoAndGoBack()
  const paid = world.received(remembered)
  for (const network of [FROM, TO]) await world.mineAndWatch(network, 4 * FINAL)
  const faults = world.hand().node(FROM).faults
  let asked = 0
  // Every other answer comes from a node that has seen none of it.
  Object.defineProperty(faults, 'behind', { get: () => (asked++ % 2 === 0 ? 12 * FINAL : 0), configurable: true })
  await world.run('restored', '--watch', '20')
  Object.defineProperty(faults, 'behind', { value: 0, writable: true, configurable: true })
  await accept(sent)
  await goOn()
  expect(world.received(remembered)).toBe(paid)
  await expectInDoubt(await world.payoutOf(remembered))
})

test('a reward that was paid after the backup is not paid again, though it is ordered anew after the review', async () => {
  offerCampaign()
  const earning = await world.hand().swap(FROM, TO)
  world.hand().deposit(earning)
  await world.settle()
  expect(await world.statusOf(earning)).toBe('completed')
  const backup = await world.backup()
  const base = world.hand().chain(TO).height
  const native = () => world.hand().chain(TO).balance(earning.view.swap.destinationAddress, null)
  await disburseLater()
  const paid = native()
  expect(paid).toBeGreaterThan(0n)

  await world.goBackTo(backup)
  const sent = await world.sentSince(TO, base)
  offerCampaign()
  await world.sayRestored()
  await accept(sent)
  await goOn()
  await disburseLater()
  await expectInDoubt(await onlyOne('reward'))
  expect(native()).toBe(paid)
})

test('what is paid for money that came after the restore waits for nobody', async () => {
  const { sent } = await payTwoAndGoBack()
  await world.sayRestored()
  await goOn()
  const fresh = await world.hand().swap(FROM, TO)
  world.hand().deposit(fresh)
  await world.settle()
  const { id } = await world.payoutOf(fresh)
  expect(await doubtfulPayouts(world.hand().services.database, [id], world.hand().services.now())).toEqual(new Set())
  expect(await world.statusOf(fresh)).toBe('completed')
  expect(sent).toHaveLength(2)
})
