/** An erased address is in no table any more, and the books and what keeps money from moving twice are the same. */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FROM, fencesOf, openYearLater, TO, type YearLater } from '../../../../tests/support/database/year-later.ts'
import { runCommand } from '../cli/run.ts'

let later: YearLater
beforeAll(async () => {
  later = await openYearLater()
})
afterAll(() => later.stop())

/** Tables in which a text stands. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'`.execute(
    later.db,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql`select from ${sql.table(name)} t where t::text ilike ${`%${text}%`} limit 1`.execute(
      later.db,
    )
    if (rows.length > 0) found.push(name)
  }
  return found.sort()
}

test('erased addresses are in no table but the signed transactions, and the books are the same', async () => {
  const swap = await later.settled({ useDepositAddress: true })
  const { destinationAddress: address } = swap.view.swap
  await later.db
    .insertInto('swap_note')
    .values({ swap_id: swap.view.swap.id, author: 'ann', at: new Date(), text: `asks for ${address}` })
    .execute()
  const open = await later.hand.swap(FROM, TO)
  expect(await tablesWith(address)).toEqual(expect.arrayContaining(['swap', 'payout', 'swap_note']))
  const [paid, books] = [later.received(swap), await fencesOf(later.database.url)]

  const lines: string[] = []
  await runCommand(later.desk({ print: (line) => lines.push(line) }), ['erase', '--address', address.toUpperCase()])
  expect(lines).toEqual(['1 swaps are erased'])
  expect(await tablesWith(address)).toEqual(['attempt'])
  expect(await fencesOf(later.database.url)).toBe(books)
  expect(await later.get(swap)).toMatchObject({ status: 404 })
  // A late deposit finds no swap.
  const hash = later.hand.deposit(swap)
  await later.mine(FROM)
  await later.hand.runJobs()
  expect(await later.db.selectFrom('deposit').select('swap_id').where('tx_hash', '=', hash).execute()).toEqual([
    { swap_id: null },
  ])
  expect(later.received(swap)).toBe(paid)

  lines.length = 0
  await runCommand(later.desk({ print: (line) => lines.push(line) }), [
    'erase',
    '--address',
    open.view.swap.destinationAddress,
  ])
  expect(lines).toEqual([
    '0 swaps are erased',
    '1 swaps that name the address are not settled for good: run it again later',
  ])
  expect(await later.read(open)).toMatchObject({ destination_address: open.view.swap.destinationAddress })
})

test('an erasure frees nothing of the exposure limit', async () => {
  const swap = await later.settled()
  const { id, destinationAddress: address } = swap.view.swap
  const row = { swap_id: id, taken_asset: 'usd', paid_asset: 'usd', usd: 5n, at: later.hand.services.now() }
  await later.db.insertInto('old_price').values(row).execute()
  await runCommand(later.desk(), ['erase', '--address', address])
  expect(await later.db.selectFrom('old_price').select('usd').where('swap_id', '=', id).execute()).toEqual([
    { usd: 5n },
  ])
})

test('with dual control another person confirms an erasure, and no request or log keeps the address', async () => {
  const swap = await later.settled()
  const { destinationAddress: address } = swap.view.swap
  const asked: string[] = []
  const two = { fourEyesUsd: 1_000_000, asked: (request: string) => void asked.push(request) }
  await runCommand(later.desk(two), ['erase', '--address', address])
  expect(await tablesWith(address)).toEqual(expect.arrayContaining(['swap', 'request']))
  expect(await tablesWith(address)).not.toContain('audit_log')
  const [id = ''] = asked
  await later.db.updateTable('request').set({ asked_by: 'ann' }).where('id', '=', id).execute()
  await later.db
    .insertInto('operator')
    .values([
      { name: 'ann', role: 'admin', public_key: 'a', is_founder: true },
      { name: 'tester', role: 'admin', public_key: 'b', is_founder: true },
    ])
    .execute()
  await runCommand(later.desk({ ...two, role: 'admin', now: () => new Date() }), ['request', 'confirm', '--id', id])
  expect(await tablesWith(address)).toEqual(['attempt'])
  const audit = await later.db
    .selectFrom('audit_log')
    .selectAll()
    .where('action', '=', 'address erased')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  expect(audit).toMatchObject({ data: { swaps: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/), askedBy: 'ann' } })
})
