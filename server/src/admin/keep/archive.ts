/** `archive`: moves the history of swaps that were settled long ago to compressed CSV files. */
import path from 'node:path'
import { LEAST_SWAP_KEEP_DAYS } from '../../config/variables.ts'
import type { Config } from '../../config.ts'
import type { Database, Queries } from '../../store/db/database.ts'
import { readJournalRow } from '../../store/journal/journal-row.ts'
import { announceSwaps } from '../../store/swaps/announce.ts'
import { ARCHIVED_TABLES, lockClosed, readForArchive, retire, settledAmong } from '../../store/swaps/swap-archive.ts'
import { type Command, type CommandContext, record, UsageError } from '../context/command-context.ts'
import { DATE, FOLDER, optional } from '../context/forms.ts'
import { type ArchiveFile, type TableRows, writeArchiveFile } from './archive-files.ts'

const DAY_MS = 24 * 3_600_000
/** Swaps per transaction, and per set of files. */
const BATCH = 1_000

export const archiveCommands: Record<string, Command> = {
  '': {
    usage: '[--to FOLDER] [--before DATE]',
    help: `Writes the history of swaps that were closed before the date to .csv.gz files in the folder, reads them back, and removes it from the database.
      The defaults are ARCHIVE_FOLDER and SWAP_KEEP_DAYS. The ledger, deposits, payouts and the audit log stay. May be stopped and run again.`,
    takes: { options: { to: optional(FOLDER), before: optional(DATE) } },
    async run(desk, { values }) {
      const { archiveFolder, swapKeepDays } = settingsOf(desk)
      const { archived, left } = await archiveSwaps(desk, {
        before: cutoff(desk.now(), values.before, swapKeepDays),
        folder: values.to ?? archiveFolder ?? needFolder(),
      })
      desk.print(`${archived} swaps are archived`)
      if (left > 0) desk.print(`${left} others are that old and not settled for good: they stay`)
    },
  },
}

function needFolder(): never {
  throw new UsageError('--to is needed, or ARCHIVE_FOLDER')
}

/** The console has none: it must not write files on its server. */
function settingsOf({ settings }: CommandContext): Config {
  if (settings) return settings()
  throw new UsageError('this command needs the settings of the service: run it on the command line of its machine')
}

function cutoff(now: Date, given: string | undefined, keepDays: number | undefined): Date {
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS)
  if (given === undefined && keepDays === undefined)
    throw new UsageError('swaps are kept for ever: give --before, or set SWAP_KEEP_DAYS')
  const before = given === undefined ? daysAgo(keepDays ?? Number.POSITIVE_INFINITY) : new Date(given)
  if (Number.isNaN(before.getTime())) throw new UsageError(`--before ${given} is no date, such as 2026-01-31`)
  if (before <= daysAgo(LEAST_SWAP_KEEP_DAYS)) return before
  throw new UsageError(`swaps are kept for ${LEAST_SWAP_KEEP_DAYS} days at least`)
}

/** `write` is replaced by tests of what fails in between. */
export async function archiveSwaps(
  desk: CommandContext,
  { before, folder, batch = BATCH }: { before: Date; folder: string; batch?: number },
  write: (folder: string, file: string, table: TableRows) => Promise<ArchiveFile> = writeArchiveFile,
): Promise<{ archived: number; left: number }> {
  const at = desk.now()
  const name = at.toISOString().replace(/[-:]|\.\d+/g, '')
  let [archived, left, number] = [0, 0, 0]
  let after: Awaited<ReturnType<typeof lockClosed>>[number] | null = null
  for (;;) {
    const done = await desk.database.transaction().execute(async (queries) => {
      await needSigning(queries)
      // The lock comes first: what is decided in the next statement cannot change before the commit.
      const closed = await lockClosed(queries, { before, after, limit: batch })
      const ids = await settledAmong(
        queries,
        closed.map(({ id }) => id),
      )
      if (ids.length > 0) {
        const files: ArchiveFile[] = []
        for (const table of ARCHIVED_TABLES)
          files.push(
            await write(folder, `${name}-${number}-${table}.csv.gz`, await readForArchive(queries, table, ids)),
          )
        await retire(queries, ids, { at, keepsQuote: false })
        await announceSwaps(queries, ids)
        const closedFrom = closed[0]?.closed_at.toISOString()
        await record(desk, queries, 'swaps archived', {
          swaps: ids.length,
          closedFrom,
          folder: path.resolve(folder),
          files,
        })
      }
      return { closed, count: ids.length }
    })
    if (done.closed.length === 0) return { archived, left }
    after = done.closed.at(-1) ?? null
    archived += done.count
    left += done.closed.length - done.count
    number++
  }
}

/** After a rollback the restore compares the database with the journal first. */
export async function needSigning(queries: Queries | Database): Promise<void> {
  const row = await readJournalRow(queries)
  if (row && row.state !== 'running')
    throw new UsageError(`signing is stopped (${row.state}): finish the restore first`)
}
