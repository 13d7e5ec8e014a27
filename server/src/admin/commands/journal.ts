/** `journal`: the signing journal of this service. It needs the settings of the service, and the machine that has its folder. */
import { randomUUID } from 'node:crypto'
import type { Config } from '../../config.ts'
import { reportPrune, reportRepair, reportStatus } from '../../keys/journal/report.ts'
import { journalFolders, type OrderSource, orderSource } from '../../keys/orders/source.ts'
import { hasAttempts, insertJournalRow, readJournalRow } from '../../store/journal/journal-row.ts'
import { type Command, type CommandContext, record, UsageError } from '../context/command-context.ts'

export const journalCommands: Record<string, Command> = {
  init: {
    usage: 'init',
    help: `Makes the signing journal of a database that has signed before and has none: once, after an upgrade. Never after a restore,
      and never because a journal is lost: it would forget what was signed. A new database needs no such command.`,
    takes: {},
    run: init,
  },
  status: {
    usage: 'status',
    help: 'Shows the journal and its copy, and reads every line of both. The service may run meanwhile.',
    takes: {},
    async run(desk) {
      const row = await readJournalRow(desk.database)
      const lines = isRemote(desk) ? await remoteStatus(desk) : reportStatus(foldersOf(desk, row?.database_id))
      for (const line of lines) desk.print(line)
      desk.print(
        `database  ${row ? `${row.database_id}: ${row.state}, lines up to ${row.adopted_to} are stored` : 'names no journal'}`,
      )
    },
  },
  prune: {
    usage: 'prune',
    help: `Removes segments that ended more than JOURNAL_KEEP_DAYS ago and whose slots are all closed. Keep them longer than any backup
      that you may restore. The service must be stopped.`,
    takes: {},
    async run(desk) {
      const settings = settingsOf(desk)
      const row = await readJournalRow(desk.database)
      const lines = await reportPrune(foldersOf(desk, row?.database_id), settings.journalKeepDays, desk.now())
      await record(desk, desk.database, 'journal pruned', { lines })
      for (const line of lines) desk.print(line)
    },
  },
  repair: {
    usage: 'repair',
    help: 'Replaces damaged segments by those of the copy, or the other way round. The service must be stopped.',
    takes: {},
    async run(desk) {
      const row = await readJournalRow(desk.database)
      const lines = reportRepair(foldersOf(desk, row?.database_id))
      await record(desk, desk.database, 'journal repaired', { lines })
      for (const line of lines) desk.print(line)
    },
  },
}

async function init(desk: CommandContext): Promise<void> {
  const { database } = desk
  if (await readJournalRow(database)) throw new UsageError('this database has a journal: "journal status" shows it')
  if (!(await hasAttempts(database)))
    throw new UsageError('nothing was signed for this database: its first start makes the journal')
  const databaseId = randomUUID()
  const source = sourceOf(desk, databaseId)
  const existing = await source.open()
  const orders = existing ?? (await source.create(databaseId))
  try {
    const { id, hasSignatures, database: named } = await orders.status()
    // A crash may have happened after the journal was created and before its row was stored. But if the journal has
    // signatures, it belongs to another database, or this one was rolled back.
    if (hasSignatures) {
      throw new UsageError(
        `${source.name} has a journal with signatures: this database is another one, or went back in time`,
      )
    }
    await database.transaction().execute(async (queries) => {
      await record(desk, queries, 'journal made', { id })
      await insertJournalRow(queries, id, named ?? databaseId)
    })
    desk.print(`${source.name}: the journal ${id} is made; the service can start`)
  } finally {
    await orders.end()
  }
}

function settingsOf({ settings }: CommandContext): Config {
  if (!settings)
    throw new UsageError('this command needs the settings of the service: run it on the command line of its machine')
  return settings()
}

function isRemote(desk: CommandContext): boolean {
  return settingsOf(desk).signer === 'remote'
}

async function remoteStatus(desk: CommandContext): Promise<string[]> {
  const source = sourceOf(desk, '')
  const orders = await source.open()
  if (!orders) return [`${source.name}: no database has claimed the journal of this signer yet`]
  const { id, database, state, head } = await orders.status()
  return [
    `journal   ${id} of the database ${database}, kept by the signer process ${source.name}`,
    `state     ${state === 'running' ? 'running' : `stopped: ${state}`}`,
    `last line ${head.n}`,
  ]
}

function sourceOf(desk: CommandContext, databaseId: string): OrderSource {
  return orderSource(settingsOf(desk), databaseId, {
    now: desk.now,
    adapterOf: (network) => {
      throw new Error(`nothing is signed here: ${network}`)
    },
    onBroken: () => undefined,
  })
}

/** The journal's folders. A database without a row has no folder yet. */
function foldersOf(desk: CommandContext, databaseId = 'none') {
  if (isRemote(desk)) throw new UsageError('the signer process keeps the journal: "npm run signer -- journal" there')
  return journalFolders(settingsOf(desk), databaseId)
}
