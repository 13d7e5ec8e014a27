/**
 * A database that went back in time pays nobody again: what was paid meanwhile is found on chain, everything waits, and
 * after a person has looked the books are the chain's to the unit.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { admin, found } from '../../../tests/support/accounts.ts'
import { type BackedUp, startBackedUp } from '../../../tests/support/backup.ts'
import { type Hand, startHand } from '../../../tests/support/hand.ts'
import { chainOf } from '../catalogue/chains.ts'
import { ledgerUnits } from '../store/balances.ts'
import { addJob } from '../store/jobs.ts'
import type { CreatedSwap } from '../swaps/creating.ts'
import { lookAtWallets } from './history.ts'
import { reconcile } from './reconcile.ts'

const [FROM, TO] = ['ALPHA', 'BETA']
const TIER = 2
const FINAL = 6
const STUCK_MS = 60_000
const ENV = { STUCK_AFTER_SECONDS: `${STUCK_MS / 1000}` }

let postgres: BackedUp
let hand: Hand
let url: string
beforeAll(async () => {
  postgres = await startBackedUp()
  url = postgres.url
  hand = await startHand(url, ENV)
  // As a service does at its start.
  await lookAtWallets(hand.services)
  // The books open on what is final.
  await reconcile(hand.services)
  await settle()
  await reconcile(hand.services)
})
afterAll(async () => {
  await hand.stop()
  await postgres.stop()
})
beforeEach(() => settle())

const run = (...words: string[]) => admin(hand.services, ...words)

async function mineAndWatch(network: string, blocks: number): Promise<void> {
  hand.chain(network).mine(blocks)
  await hand.watch(network)
}

/** Whatever is due is done, and final. */
async function settle(): Promise<void> {
  for (let rounds = 0; rounds < 2; rounds++) {
    for (const network of [FROM, TO]) await mineAndWatch(network, 2 * FINAL + 1)
    await hand.runJobs()
  }
}

/** Another process over the database as it was then. The old one is gone. */
async function goBackTo(backup: string): Promise<void> {
  await hand.stop()
  url = await postgres.restore(backup)
  hand = await startHand(url, ENV, { onOldChains: true })
  // A restore takes longer than the leases of the dead process last.
  await hand.services.database
    .updateTable('lease')
    .set({ expires_at: new Date(0) })
    .execute()
  await lookAtWallets(hand.services)
}

/** The operator's word, once what was found is final. Numbers and addresses are left out generously. */
async function sayRestored(): Promise<string> {
  for (const network of [FROM, TO]) await mineAndWatch(network, FINAL + 1)
  return run('restored', '--watch', '20', '--addresses', '1000')
}

async function resume(): Promise<void> {
  await run('switch', 'resume', '--scope', 'service')
  await askAgain()
}

/** What is held asks again after a while. */
async function askAgain(): Promise<void> {
  await hand.services.database.selectFrom('payout').select('id').where('state', '=', 'open').execute().then(askAll)
}

async function askAll(payouts: { id: string }[]): Promise<void> {
  for (const { id } of payouts)
    await addJob(hand.services.database, { task: 'pay', payload: { payoutId: id }, lane: 'test' })
  await hand.runJobs()
}

const received = ({ view: { swap } }: CreatedSwap) =>
  hand.chain(TO).balance(swap.destinationAddress, swap.destination.contract)

async function payoutOf({ view }: CreatedSwap) {
  return hand.services.database
    .selectFrom('payout')
    .selectAll()
    .where('swap_id', '=', view.swap.id)
    .executeTakeFirstOrThrow()
}

async function statusOf({ view }: CreatedSwap): Promise<string> {
  const row = hand.services.database.selectFrom('swap').select('status').where('id', '=', view.swap.id)
  return (await row.executeTakeFirstOrThrow()).status
}

/** The transactions that the wallet on a network sent from a block on. */
async function sentSince(network: string, block: number): Promise<string[]> {
  const chain = chainOf(hand.services.chains, network)
  const moved = (await chain.movements?.(chain.treasury, BigInt(block), BigInt(hand.chain(network).height))) ?? []
  return moved.filter(({ slot }) => slot !== null).map(({ txHash }) => txHash)
}

async function expectBooksEqualChains(): Promise<void> {
  for (const { network, treasury } of [FROM, TO].map((name) => chainOf(hand.services.chains, name))) {
    for (const token of network.tokens) {
      const held = hand.chain(network.name).balance(treasury, token.contract)
      expect(await ledgerUnits(hand.services.database, treasury, token), `${network.name} ${token.symbol}`).toBe(held)
    }
  }
}

test('dump, more swaps, restore, serve, a new swap, resume: nobody is paid twice, and the books end equal to the chains', async () => {
  const waiting = await hand.swap(FROM, TO)
  const backup = await postgres.backup(url)
  const base = hand.chain(TO).height
  const forgotten = await hand.swap(FROM, TO)
  for (const swap of [waiting, forgotten]) hand.deposit(swap)
  await settle()
  const paid = [received(waiting), received(forgotten)]
  expect(paid.every((units) => units > 0n)).toBe(true)

  await goBackTo(backup)
  const sent = await sentSince(TO, base)
  expect(sent).toHaveLength(2)
  const switches = await run('switch', 'list')
  expect(switches).toContain('service')
  expect(switches).toContain('npm run admin -- restored')
  await hand.services.safeguards.refresh()
  await expect(hand.swap(FROM, TO)).rejects.toThrow()
  await settle()
  // Even where nobody listens, and resumes.
  await resume()
  await settle()
  expect([received(waiting), received(forgotten)]).toEqual(paid)
  expect(await run('switch', 'list')).toContain('service')

  const told = await sayRestored()
  expect(told).toContain(`${TO}: 2 transactions that the books did not know`)
  const listed = await run('restored', 'list')
  for (const hash of sent) expect(listed).toContain(hash)
  expect(listed).toContain((await payoutOf(waiting)).id)
  expect(await run('unmatched', 'list')).toContain(`${forgotten.view.swap.requestedUnits}`)

  await resume()
  await hand.services.safeguards.refresh()
  await settle()
  const fresh = await hand.swap(FROM, TO)
  expect(fresh.view.sequence).toBeGreaterThan(forgotten.view.sequence + 900_000n)
  hand.deposit(fresh)
  await settle()
  expect(await statusOf(fresh)).toBe('completed')
  expect([received(waiting), received(forgotten)]).toEqual(paid)
  expect(await payoutOf(waiting)).toMatchObject({ state: 'open', started: false })

  const { id, units } = await payoutOf(waiting)
  const [own = '', other = ''] = sent
  await run('restored', 'paid', '--payout', id, '--transaction', own)
  await hand.runJobs()
  expect(await statusOf(waiting)).toBe('completed')
  expect(await payoutOf(waiting)).toMatchObject({ state: 'confirmed', tx_hash: own, units })
  await run('restored', 'accept', '--transaction', other)
  expect(await run('restored', 'list')).toBe('no transaction waits for a review\nno payout waits for a review')
  await settle()
  await expectBooksEqualChains()
  expect([received(waiting), received(forgotten)]).toEqual(paid)
})

test('a payout whose slot was used by a transaction that the books forgot is held, and counts once a person says so', async () => {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  await mineAndWatch(FROM, TIER)
  hand.node(TO).faults.lostSends = 1
  hand.node(TO).faults.on = ['send']
  await hand.runJobs()
  const backup = await postgres.backup(url)
  const base = hand.chain(TO).height
  hand.passTime(STUCK_MS + 1)
  await mineAndWatch(TO, 1)
  await hand.runJobs()
  await settle()
  expect(await statusOf(swap)).toBe('completed')
  const paid = received(swap)

  await goBackTo(backup)
  const [hash = ''] = await sentSince(TO, base)
  await sayRestored()
  await resume()
  await settle()
  await askAgain()
  expect(received(swap)).toBe(paid)
  const payout = await payoutOf(swap)
  expect(payout).toMatchObject({ state: 'open', started: false, held_reason: expect.stringContaining('restored') })
  expect(await run('restored', 'list')).toMatch(new RegExp(`${hash}.*${payout.id}`))
  await expect(run('restored', 'accept', '--transaction', hash)).rejects.toThrow(payout.id)
  await run('restored', 'paid', '--payout', payout.id, '--transaction', hash)
  await hand.runJobs()
  expect(await statusOf(swap)).toBe('completed')
  await settle()
  expect(received(swap)).toBe(paid)
  await expectBooksEqualChains()
})

test('of payouts that waited in the backup, the one that was made is never sent or given back, the other goes at a word', async () => {
  await run('switch', 'pause', '--scope', 'service', '--what', 'payouts', '--reason', 'backup')
  const [made, unmade] = [await hand.swap(FROM, TO), await hand.swap(FROM, TO)]
  for (const swap of [made, unmade]) hand.deposit(swap)
  await settle()
  const backup = await postgres.backup(url)
  const base = hand.chain(TO).height
  await run('switch', 'resume', '--scope', 'service')
  await run('payout', 'reject', '--id', (await payoutOf(unmade)).id)
  await askAll([await payoutOf(made)])
  await settle()
  const paid = received(made)
  expect(paid).toBeGreaterThan(0n)

  await goBackTo(backup)
  const [hash = ''] = await sentSince(TO, base)
  await sayRestored()
  await resume()
  await settle()
  await run('payout', 'reject', '--id', (await payoutOf(made)).id)
  await hand.runJobs()
  expect(await payoutOf(made), 'it is not sent back either').toMatchObject({ state: 'open' })
  await run('restored', 'unpaid', '--payout', (await payoutOf(unmade)).id)
  await hand.runJobs()
  await settle()
  expect([received(made), received(unmade) > 0n]).toEqual([paid, true])
  await run('restored', 'paid', '--payout', (await payoutOf(made)).id, '--transaction', hash)
  await hand.runJobs()
  expect(await statusOf(made)).toBe('completed')
  await settle()
  expect(received(made)).toBe(paid)
})

test('addresses that were given out after the backup are watched and never given out again', async () => {
  await hand.swap(FROM, TO, { useDepositAddress: true })
  const backup = await postgres.backup(url)
  const forgotten = await hand.swap(FROM, TO, { useDepositAddress: true })
  await goBackTo(backup)
  await sayRestored()
  hand.deposit(forgotten)
  await settle()
  const units = forgotten.view.swap.requestedUnits
  const unmatched = await hand.services.database
    .selectFrom('deposit')
    .select(['swap_id', 'units', 'state'])
    .where('to_address', '=', forgotten.view.receiver)
    .execute()
  expect(unmatched).toEqual([{ swap_id: null, units, state: 'confirmed' }])
  await resume()
  await hand.services.safeguards.refresh()
  const given = new Set(Array.from({ length: 1000 }, (_, index) => index + 1))
  const { receiver } = (await hand.swap(FROM, TO, { useDepositAddress: true })).view
  const address = hand.services.database.selectFrom('deposit_address').select('index').where('address', '=', receiver)
  expect(given.has((await address.executeTakeFirstOrThrow()).index)).toBe(false)
})

test('a transaction that somebody else signs with the key of a wallet halts that wallet, and pauses nothing else', async () => {
  const early = await hand.swap(FROM, TO)
  hand.deposit(early)
  await settle()
  expect(await statusOf(early)).toBe('completed')
  const chain = chainOf(hand.services.chains, TO)
  const token = chain.network.nativeToken
  const transfers = [{ to: early.view.swap.destinationAddress, amount: { token, units: 5n } }]
  const theft = { kind: 'transfers', account: chain.treasury, transfers } as const
  const draft = await chain.prepare(theft, null)
  const slot = await chain.nextSlot(theft, draft, [])
  const stolen = await chain.sign(theft, slot, draft)
  await chain.broadcast(stolen)
  hand.chain(TO).mine(1)
  hand.passTime(STUCK_MS + 1)
  const late = await hand.swap(FROM, TO)
  hand.deposit(late)
  await settle()
  expect(received(late)).toBe(0n)
  const halts = await hand.services.database.selectFrom('wallet_halt').selectAll().execute()
  expect(halts).toMatchObject([{ network: TO, reason: expect.stringContaining(stolen.hash) }])
  expect(found(/nothing is paused/, await run('switch', 'list'))).toBe('nothing is paused')
})
