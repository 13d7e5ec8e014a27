/** Only swaps that are settled for good leave the database: afterwards the books are the same, and nothing can be credited or paid a second time. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  FINAL,
  FROM,
  fencesOf,
  openYearLater,
  TO,
  type YearLater,
} from '../../../../tests/support/database/year-later.ts'
import { startHand } from '../../../../tests/support/service/manual-driver.ts'
import { listUnmatched } from '../../store/deposits/unmatched.ts'
import { listSwapIds } from '../../store/swaps/swap-list.ts'
import { filterOf } from '../../swaps/listing.ts'
import { runCommand } from '../cli/run.ts'
import { archiveSwaps } from './archive.ts'
import { writeArchiveFile } from './archive-files.ts'

let later: YearLater
let folder: string
beforeAll(async () => {
  later = await openYearLater()
})
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'causeway-archive-'))
})
afterAll(() => later.stop())

const archive = (write?: typeof writeArchiveFile, batch?: number) =>
  archiveSwaps(later.desk(), { before: later.before(), folder, ...(batch ? { batch } : {}) }, write)

function filesOf(table: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(`-${table}.csv.gz`))
  return names.sort().map((name) => gunzipSync(readFileSync(path.join(folder, name))).toString('utf8'))
}

/** The rows of the files, as PostgreSQL reads them. */
async function reload(table: string): Promise<Record<string, unknown>[]> {
  const [text = ''] = filesOf(table)
  const [head = ''] = text.split('\n', 1)
  const columns = head.replaceAll('"', '').split(',')
  const cells = [...text.slice(head.length + 1).matchAll(/(?:"((?:[^"]|"")*)"|())(,|\n)/g)]
  const rows: Record<string, unknown>[] = []
  cells.forEach(([, quoted], at) => {
    if (at % columns.length === 0) rows.push({})
    const name = columns[at % columns.length] ?? ''
    Object.assign(rows.at(-1) ?? {}, { [name]: quoted === undefined ? null : quoted.replaceAll('""', '"') })
  })
  return rows
}

test('an archived swap is in the files, the books stay as they were, and readers are told', async () => {
  const swap = await later.settled({ useDepositAddress: true })
  const unpaid = await later.hand.swap(FROM, TO)
  await later.db
    .updateTable('swap')
    .set({ status: 'expired', closed_at: later.hand.services.now(), due_at: null })
    .where('id', '=', unpaid.view.swap.id)
    .execute()
  await later.db
    .insertInto('swap_note')
    .values({ swap_id: swap.view.swap.id, author: 'ann', at: new Date(), text: 'a "note", with\na line' })
    .execute()
  const address = later.db.selectFrom('deposit_address').where('address', '=', swap.view.receiver)
  await later.db
    .updateTable('deposit_address')
    .set({ client_group: 7 })
    .where('address', '=', swap.view.receiver)
    .execute()
  const [was, books] = [await later.read(swap), await fencesOf(later.database.url)]

  const lines: string[] = []
  await runCommand(later.desk({ print: (line) => lines.push(line) }), [
    'archive',
    '--to',
    folder,
    '--before',
    later.before().toISOString(),
  ])
  expect(lines).toEqual(['2 swaps are archived'])

  expect(await fencesOf(later.database.url)).toBe(books)
  const [row] = (await reload('swap')).filter(({ id }) => id === swap.view.swap.id)
  expect(row).toMatchObject({ destination_address: was?.destination_address, refund_address: was?.refund_address })
  expect(JSON.parse(`${row?.quote}`)).toEqual(was?.quote)
  expect(await reload('swap_note')).toMatchObject([{ text: 'a "note", with\na line', author: 'ann' }])
  expect((await reload('swap_event')).length).toBeGreaterThan(1)
  expect(await later.read(swap)).toMatchObject({
    destination_address: '',
    refund_address: null,
    quote: null,
    settlement: 'output',
  })
  expect(await address.select('client_group').execute()).toEqual([{ client_group: null }])
  expect(await later.read(unpaid)).toBeUndefined()
  expect(await later.get(swap)).toMatchObject({ status: 404, text: expect.stringContaining('is archived') })
  expect(await later.get(unpaid)).toMatchObject({ status: 404 })
  const all = filterOf(later.hand.services, {
    ...{ addresses: [], referenceId: null, owner: null, statuses: [], includeExpired: true, networks: [], page: 1 },
  })
  expect(await listSwapIds(later.db, later.hand.services.catalogue, all)).toEqual([])
  const audit = await later.db.selectFrom('audit_log').selectAll().orderBy('id', 'desc').executeTakeFirst()
  expect(audit).toMatchObject({ action: 'swaps archived', data: { swaps: 2 } })
})

test('a swap with anything open, unsettled, held or not final stays', async () => {
  const open = await later.hand.swap(FROM, TO)
  const swap = await later.settled()
  const { id } = swap.view.swap
  const [deposit] = await later.db.selectFrom('deposit').selectAll().where('swap_id', '=', id).execute()
  const [payout] = await later.db.selectFrom('payout').selectAll().where('swap_id', '=', id).execute()
  const [slot] = await later.db
    .selectFrom('slot_payout')
    .selectAll()
    .where('payout_id', '=', payout?.id ?? '')
    .execute()
  const changes: [string, string][] = [
    [
      `update deposit set final = false where id = '${deposit?.id}'`,
      `update deposit set final = true where id = '${deposit?.id}'`,
    ],
    [
      `update deposit set state = 'lost' where id = '${deposit?.id}'`,
      `update deposit set state = 'confirmed' where id = '${deposit?.id}'`,
    ],
    [
      `update deposit set units = units + 1 where id = '${deposit?.id}'`,
      `update deposit set units = units - 1 where id = '${deposit?.id}'`,
    ],
    [
      `update slot set state = 'open' where id = ${slot?.slot_id}`,
      `update slot set state = 'landed' where id = ${slot?.slot_id}`,
    ],
    [`update swap set due_at = now() where id = '${id}'`, `update swap set due_at = null where id = '${id}'`],
    [
      `insert into hold (deposit_id, code, params, needs_person, opened_at) values ('${deposit?.id}', 'operator', '{}', true, now())`,
      `update hold set closed_at = now()`,
    ],
    [
      `insert into ledger_entry (posting, reason, swap_id, account, owner, network, token, units)
        values (gen_random_uuid(), 'deposit', '${id}', 'customer', '${id}', 'ALPHA', 'USDC', 1)`,
      `delete from ledger_entry where reason = 'deposit' and units = 1 and swap_id = '${id}'`,
    ],
    [
      `insert into recorded_payout (payout_id, kind, swap_id, journal_n) values ('${payout?.id}', 'output', '${id}', 1)`,
      `delete from recorded_payout where payout_id = '${payout?.id}'`,
    ],
    [
      `insert into journal (id, database_id, state) values (gen_random_uuid(), gen_random_uuid(), 'rolled_back')`,
      'delete from journal',
    ],
  ]
  for (const [change, back] of changes) {
    await sql.raw(change).execute(later.db)
    await archive().catch((error: Error) => expect(error.message).toMatch(/signing is stopped/))
    expect((await later.read(swap))?.archived_at, change).toBeNull()
    await sql.raw(back).execute(later.db)
  }
  expect(await archive()).toEqual({ archived: 1, left: 0 })
  expect((await later.read(open))?.archived_at).toBeNull()
  // Too young, whatever is asked for.
  await expect(
    runCommand(later.desk({ now: () => new Date() }), [
      'archive',
      '--to',
      folder,
      '--before',
      new Date().toISOString(),
    ]),
  ).rejects.toThrow('swaps are kept for 90 days at least')
})

test.each([false, true])(
  'a late deposit to an archived swap is unmatched (deposit address: %s)',
  async (useDepositAddress) => {
    const swap = await later.settled({ useDepositAddress })
    await archive()
    const [paid, deposits] = [later.received(swap), await listUnmatched(later.db, 100)]
    const hash = later.hand.deposit(swap)
    await later.mine(FROM)
    await later.hand.runJobs()
    await later.mine(TO)
    expect((await listUnmatched(later.db, 100)).length).toBe(deposits.length + 1)
    const late = await later.db.selectFrom('deposit').selectAll().where('tx_hash', '=', hash).executeTakeFirst()
    expect(late).toMatchObject({ swap_id: null, state: 'confirmed' })
    await expect(
      runCommand(later.desk(), ['unmatched', 'assign', '--deposit', late?.id ?? '', '--swap', swap.view.swap.id]),
    ).rejects.toThrow('is archived')
    expect(later.received(swap)).toBe(paid)
  },
)

test('a deposit that arrives while its swap is being archived is unmatched', async () => {
  const swap = await later.settled()
  const paid = later.received(swap)
  const hash = later.hand.deposit(swap)
  later.hand.chain(FROM).mine(FINAL)
  let watching = Promise.resolve()
  await archive(async (...file) => {
    // The swap is locked and not archived yet.
    watching = watching.then(() => later.hand.watch(FROM).catch(() => undefined))
    return writeArchiveFile(...file)
  })
  await watching
  await later.hand.watch(FROM)
  const rows = later.db.selectFrom('deposit').selectAll().where('tx_hash', '=', hash)
  expect(await rows.execute()).toMatchObject([{ swap_id: null, state: 'confirmed' }])
  await later.hand.runJobs()
  expect(later.received(swap)).toBe(paid)
})

test('a killed archive run leaves all of a batch or nothing, and goes on when it is run again', async () => {
  const swaps = [await later.settled(), await later.settled(), await later.settled()]
  const books = await fencesOf(later.database.url)
  let written = 0
  const dying: typeof writeArchiveFile = async (...file) => {
    const done = await writeArchiveFile(...file)
    // In the second batch, whose first files are on disk.
    if (++written === 10) throw new Error('killed')
    return done
  }
  await expect(archive(dying, 1)).rejects.toThrow('killed')
  const left: string[] = []
  for (const swap of swaps) if ((await later.read(swap))?.archived_at === null) left.push(swap.view.swap.id)
  expect(left.length).toBe(2)
  const events = later.db.selectFrom('swap_event').select('swap_id').distinct().where('swap_id', 'in', left)
  expect((await events.execute()).length).toBe(2)
  folder = mkdtempSync(path.join(os.tmpdir(), 'causeway-archive-'))
  expect(await archive()).toEqual({ archived: 2, left: 0 })
  expect((await reload('swap')).map(({ id }) => id)).toEqual(left.sort())
  expect(await fencesOf(later.database.url)).toBe(books)
})

test('a backup from before an archive run is restored: nothing is paid again, and the run can be repeated', async () => {
  const swap = await later.settled()
  const backup = await later.database.copy(later.database.url)
  const books = await fencesOf(later.database.url)
  await archive()
  const paid = later.received(swap)
  const restored = await startHand(backup, {}, { onOldChains: true, journal: later.hand.services.journal })
  try {
    expect(await fencesOf(backup)).toBe(books)
    await later.mine(FROM, restored)
    await restored.runJobs()
    await later.mine(TO, restored)
    expect(later.received(swap)).toBe(paid)
    const again = mkdtempSync(path.join(os.tmpdir(), 'causeway-archive-'))
    expect(await archiveSwaps(later.desk({}, restored), { before: later.before(), folder: again })).toMatchObject({
      archived: 1,
    })
    expect(await fencesOf(backup)).toBe(books)
  } finally {
    await restored.services.database.destroy()
  }
})

test('a reorg after an archive run moves no money', async () => {
  const swap = await later.settled()
  await archive()
  const [paid, books] = [later.received(swap), await fencesOf(later.database.url)]
  later.hand.chain(FROM).reorg(2 * FINAL, 'returned')
  later.hand.chain(TO).reorg(2 * FINAL, 'returned')
  for (const network of [FROM, TO, FROM, TO]) await later.mine(network)
  await later.hand.runJobs()
  await later.mine(TO)
  expect(later.received(swap)).toBe(paid)
  expect(await fencesOf(later.database.url)).toBe(books)
  expect(await later.read(swap)).toMatchObject({ status: 'completed', settlement: 'output' })
})

test('the database refuses a payout, another state and another deposit for an archived swap', async () => {
  const swap = await later.settled()
  await archive()
  const { id } = swap.view.swap
  const refused = [
    `insert into payout (swap_id, number, kind, network, account, token, units, to_address, state)
      select swap_id, 9, 'refuel', network, account, token, 1, 'x', 'open' from payout where swap_id = '${id}'`,
    `update payout set state = 'open' where swap_id = '${id}'`,
    `update swap set status = 'ls_transfer_pending' where id = '${id}'`,
    `update swap set archived_at = null where id = '${id}'`,
    `insert into deposit (network, tx_hash, index, to_address, token, units, swap_id, state, confirmations_wanted)
      values ('ALPHA', 'new', 0, 'x', 'USDC', 1, '${id}', 'seen', 1)`,
    `delete from swap where id = '${id}'`,
  ]
  for (const change of refused)
    await expect(sql.raw(change).execute(later.db), change).rejects.toThrow(/archived|violates/)
  const note = `insert into swap_note (swap_id, author, at, text) values ('${(await later.settled()).view.swap.id}', 'a', now(), 'b')`
  await sql.raw(note).execute(later.db)
  await expect(sql.raw('delete from swap_note').execute(later.db)).rejects.toThrow('neither changed nor taken out')
})
