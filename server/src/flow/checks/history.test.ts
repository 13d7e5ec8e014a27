/**
 * A database that went back in time pays nobody again: what was paid meanwhile is found on chain, everything waits, and
 * after a person has looked the books are the chain's to the unit.
 */

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { found } from '../../../../tests/support/service/accounts.ts'
import { haltCauses, holdOf, holdWords } from '../../../../tests/support/service/holds.ts'
import { FROM, type Restorable, STUCK_MS, startRestorable, TO } from '../../../../tests/support/service/restorable.ts'
import { chainOf } from '../../catalogue/chains.ts'

const TIER = 2

let world: Restorable
beforeAll(async () => {
  world = await startRestorable()
})
afterAll(() => world.stop())
beforeEach(() => world.settle())

test('dump, more swaps, restore, serve, a new swap, resume: nobody is paid twice, and the books end equal to the chains', async () => {
  const waiting = await world.hand().swap(FROM, TO)
  const backup = await world.backup()
  const base = world.hand().chain(TO).height
  const forgotten = await world.hand().swap(FROM, TO)
  for (const swap of [waiting, forgotten]) world.hand().deposit(swap)
  await world.settle()
  const paid = [world.received(waiting), world.received(forgotten)]
  expect(paid.every((units) => units > 0n)).toBe(true)

  await world.goBackTo(backup)
  const sent = await world.sentSince(TO, base)
  expect(sent).toHaveLength(2)
  const switches = await world.run('switch', 'list')
  expect(switches).toContain('service')
  expect(switches).toContain('npm run admin -- restored')
  await world.hand().services.safeguards.refresh()
  await expect(world.hand().swap(FROM, TO)).rejects.toThrow()
  await world.settle()
  // Even where nobody listens, and resumes.
  await world.resume()
  await world.settle()
  expect([world.received(waiting), world.received(forgotten)]).toEqual(paid)
  expect(await world.run('switch', 'list')).toContain('service')

  const told = await world.sayRestored()
  expect(told).toContain(`${TO}: 2 transactions that the books did not know`)
  const listed = await world.run('restored', 'list')
  for (const hash of sent) expect(listed).toContain(hash)
  expect(listed).toContain((await world.payoutOf(waiting)).id)
  expect(await world.run('unmatched', 'list')).toContain(`${forgotten.view.swap.requestedUnits}`)

  await world.resume()
  await world.hand().services.safeguards.refresh()
  await world.settle()
  const fresh = await world.hand().swap(FROM, TO)
  expect(fresh.view.reference).not.toBe(forgotten.view.reference)
  world.hand().deposit(fresh)
  await world.settle()
  expect(await world.statusOf(fresh)).toBe('completed')
  expect([world.received(waiting), world.received(forgotten)]).toEqual(paid)
  expect(await world.payoutOf(waiting)).toMatchObject({ state: 'open', started: false })

  const { id, units } = await world.payoutOf(waiting)
  const [own = '', other = ''] = sent
  await world.run('restored', 'paid', '--payout', id, '--transaction', own)
  await world.hand().runJobs()
  expect(await world.statusOf(waiting)).toBe('completed')
  expect(await world.payoutOf(waiting)).toMatchObject({ state: 'confirmed', tx_hash: own, units })
  await world.run('restored', 'accept', '--transaction', other)
  expect(await world.run('restored', 'list')).toBe('no transaction waits for a review\nno payout waits for a review')
  await world.settle()
  await world.expectBooksEqualChains()
  expect([world.received(waiting), world.received(forgotten)]).toEqual(paid)
})

test('a payout whose slot was used by a transaction that the books forgot is held, and counts once a person says so', async () => {
  const swap = await world.hand().swap(FROM, TO)
  world.hand().deposit(swap)
  await world.mineAndWatch(FROM, TIER)
  world.hand().node(TO).faults.lostSends = 1
  world.hand().node(TO).faults.on = ['send']
  await world.hand().runJobs()
  const backup = await world.backup()
  const base = world.hand().chain(TO).height
  world.hand().passTime(STUCK_MS + 1)
  await world.mineAndWatch(TO, 1)
  await world.hand().runJobs()
  await world.settle()
  expect(await world.statusOf(swap)).toBe('completed')
  const paid = world.received(swap)

  await world.goBackTo(backup)
  const [hash = ''] = await world.sentSince(TO, base)
  await world.sayRestored()
  await world.resume()
  await world.settle()
  await world.askAgain()
  expect(world.received(swap)).toBe(paid)
  const payout = await world.payoutOf(swap)
  expect(payout).toMatchObject({ state: 'open', started: false, held_by: 'rule' })
  expect(await holdOf(world.hand().services.database, payout.id)).toEqual({ code: 'restore_doubt' })
  expect(await world.run('restored', 'list')).toMatch(new RegExp(`${hash}.*${payout.id}`))
  await expect(world.run('restored', 'accept', '--transaction', hash)).rejects.toThrow(payout.id)
  await world.run('restored', 'paid', '--payout', payout.id, '--transaction', hash)
  await world.hand().runJobs()
  expect(await world.statusOf(swap)).toBe('completed')
  await world.settle()
  expect(world.received(swap)).toBe(paid)
  await world.expectBooksEqualChains()
})

test('of payouts that waited in the backup, the one that was made is never sent or given back, the other goes at a word', async () => {
  await world.run('switch', 'pause', '--scope', 'service', '--what', 'payouts', '--reason', 'backup')
  const [made, unmade] = [await world.hand().swap(FROM, TO), await world.hand().swap(FROM, TO)]
  for (const swap of [made, unmade]) world.hand().deposit(swap)
  await world.settle()
  const backup = await world.backup()
  const base = world.hand().chain(TO).height
  await world.run('switch', 'resume', '--scope', 'service')
  await world.run(
    'payout',
    'reject',
    ...(await holdWords(world.hand().services.database, (await world.payoutOf(unmade)).id)),
  )
  await world.askAgain()
  await world.settle()
  const paid = world.received(made)
  expect(paid).toBeGreaterThan(0n)

  await world.goBackTo(backup)
  const [hash = ''] = await world.sentSince(TO, base)
  await world.sayRestored()
  await world.resume()
  await world.settle()
  await world.run(
    'payout',
    'reject',
    ...(await holdWords(world.hand().services.database, (await world.payoutOf(made)).id)),
  )
  await world.hand().runJobs()
  expect(await world.payoutOf(made), 'it is not sent back either').toMatchObject({ state: 'open' })
  // In the forgotten time it was sent back instead: whoever overlooks that is told, and here goes on all the same.
  const unpaid = ['restored', 'unpaid', '--payout', (await world.payoutOf(unmade)).id]
  const refusal = await world.run(...unpaid).catch(String)
  expect(refusal).toContain('this was perhaps paid for in another way')
  await world.run(...unpaid, '--despite', /--despite (\S+)$/.exec(refusal)?.[1] ?? '')
  await world.hand().runJobs()
  await world.settle()
  expect([world.received(made), world.received(unmade) > 0n]).toEqual([paid, true])
  await world.run('restored', 'paid', '--payout', (await world.payoutOf(made)).id, '--transaction', hash)
  await world.hand().runJobs()
  expect(await world.statusOf(made)).toBe('completed')
  await world.settle()
  expect(world.received(made)).toBe(paid)
})

test('addresses that were given out after the backup are watched and never given out again', async () => {
  await world.hand().swap(FROM, TO, { useDepositAddress: true })
  const backup = await world.backup()
  const forgotten = await world.hand().swap(FROM, TO, { useDepositAddress: true })
  const { branch } = world.hand().services.addressBranch
  await world.goBackTo(backup)
  await world.sayRestored()
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
  await world.resume()
  await world.hand().services.safeguards.refresh()
  const derive = chainOf(world.hand().services.chains, FROM).depositAddresses?.derive
  const given = await Promise.all(Array.from({ length: 1000 }, (_, index) => derive?.(index + 1, branch)))
  expect(given).toContain(forgotten.view.receiver)
  const { receiver } = (await world.hand().swap(FROM, TO, { useDepositAddress: true })).view
  expect(given).not.toContain(receiver)
})

test('a transaction that somebody else signs with the key of a wallet, long after a restore, halts that wallet, and pauses nothing else', async () => {
  world.hand().passTime(8 * 24 * 3_600_000)
  const early = await world.hand().swap(FROM, TO)
  world.hand().deposit(early)
  await world.settle()
  expect(await world.statusOf(early)).toBe('completed')
  const chain = chainOf(world.hand().services.chains, TO)
  const token = chain.network.nativeToken
  const transfers = [{ to: early.view.swap.destinationAddress, amount: { token, units: 5n } }]
  const theft = { kind: 'transfers', account: chain.treasury, transfers } as const
  const draft = await chain.prepare(theft, null)
  const slot = await chain.nextSlot(theft, draft, [])
  const stolen = await chain.sign(theft, slot, draft)
  await chain.broadcast(stolen)
  world.hand().chain(TO).mine(1)
  world.hand().passTime(STUCK_MS + 1)
  const late = await world.hand().swap(FROM, TO)
  world.hand().deposit(late)
  await world.settle()
  expect(world.received(late)).toBe(0n)
  const outflow = { code: 'unknown_outflow', network: TO, txHash: stolen.hash, count: 1 }
  expect(await haltCauses(world.hand().services.database)).toEqual([[outflow]])
  expect(found(/nothing is paused/, await world.run('switch', 'list'))).toBe('nothing is paused')
})
