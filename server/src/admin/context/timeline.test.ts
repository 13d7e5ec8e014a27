/** The timeline of a swap: every transaction signed for it, its postings, and notes. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { listAudit } from '../../store/operators/audit.ts'
import { readSwap } from '../../store/swaps/swaps.ts'
import { runCommand } from '../cli/run.ts'

const DEEP = 6
let database: TestDatabase
let hand: Hand
let id: string
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  const swap = await hand.swap('ALPHA', 'BETA')
  id = swap.view.swap.id
  hand.deposit(swap)
  hand.chain('ALPHA').mine(DEEP)
  await hand.watch('ALPHA')
  await hand.runJobs()
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

type Tables = { heads: string[]; rows: string[][] }[]
async function shown(): Promise<Tables> {
  const tables: Tables = []
  const { database: db, now } = hand.services
  const desk = { database: db, now, actor: 'nobody', role: 'viewer' as const, print: () => 0 }
  await runCommand({ ...desk, table: (heads, rows) => tables.push({ heads, rows }) }, ['swap', 'show', '--id', id])
  return tables
}
const tableOf = async (head: string) => (await shown()).find(({ heads }) => heads.includes(head))?.rows ?? []

test('each transaction is shown with its slot, when it was signed and sent, and its result', async () => {
  const payout = (await readSwap(hand.services.database, id))?.payouts[0]
  const signed = (outcome: string) => [
    [
      payout?.id,
      'output',
      expect.stringMatching(/^\d+$/),
      payout?.tx_hash,
      expect.any(String),
      expect.any(String),
      outcome,
    ],
  ]
  expect(await tableOf('slot')).toEqual(signed('on its way'))
  hand.chain('BETA').mine(DEEP)
  await hand.watch('BETA')
  expect(await tableOf('slot')).toEqual(signed('landed'))
})

test('its postings are shown, and sum to zero in each token', async () => {
  const rows = await tableOf('booked as')
  expect(new Set(rows.map(([, reason]) => reason)).size).toBeGreaterThan(1)
  const sums = new Map<string, bigint>()
  for (const [, , , , network = '', units = ''] of rows) sums.set(network, (sums.get(network) ?? 0n) + BigInt(units))
  expect([...sums.keys()].toSorted()).toEqual(['ALPHA', 'BETA'])
  expect([...sums.values()]).toEqual([0n, 0n])
})

test('a note is permanent, with its author, and in the audit log', async () => {
  expect(await tableOf('note')).toEqual([])
  await admin(hand.services, 'swap', 'note', '--id', id, '--text', ' they wrote to us ')
  const { database: db, now } = hand.services
  const sue = { database: db, now, actor: 'console sue', role: 'support' as const, print: () => 0 }
  await runCommand(sue, ['swap', 'note', '--id', id, '--text', 'answered'])
  expect(await tableOf('note')).toEqual([
    [expect.any(String), 'tester', 'they wrote to us'],
    [expect.any(String), 'sue', 'answered'],
  ])
  const [entry] = await listAudit(db, 1)
  expect(entry).toMatchObject({ actor: 'console sue', action: 'note added', data: { swapId: id, text: 'answered' } })
  await expect(sql`update swap_note set text = 'other'`.execute(db)).rejects.toThrow('neither changed nor taken out')
  await expect(sql`delete from swap_note`.execute(db)).rejects.toThrow('neither changed nor taken out')
})

test('a viewer writes no note, an empty note is rejected, and so is a note on an unknown swap', async () => {
  const { database: db, now } = hand.services
  const viewer = { database: db, now, actor: 'console vic', role: 'viewer' as const, print: () => 0 }
  await expect(runCommand(viewer, ['swap', 'note', '--id', id, '--text', 'x'])).rejects.toThrow(
    'needs the role support',
  )
  const note = (...words: string[]) => admin(hand.services, 'swap', 'note', ...words)
  for (const text of [' ', 'x'.repeat(1_001)])
    await expect(note('--id', id, '--text', text)).rejects.toThrow('1 to 1000 characters')
  await expect(note('--id', randomUUID(), '--text', 'x')).rejects.toThrow('there is no swap')
  expect(await tableOf('note')).toHaveLength(2)
})
