/** Output of the operator's commands `journal status`, `journal prune` and `journal repair`. */
import { ConfigError } from '../../config.ts'
import { checkJournal, type JournalCheck, pruneJournal, repairJournal } from './maintenance.ts'

const DAY_MS = 24 * 3_600_000
const KILOBYTE = 1024

type Folders = readonly [folder: string, copy?: string]

/** Reads every line of the journal and of its copy; throws if one is damaged. */
export function reportStatus([folder, copy]: Folders): string[] {
  const check = checkJournal(folder)
  if (!check) return [`${folder}: there is no journal`]
  const { id, database, state, head } = check
  return [
    `journal   ${id} of the database ${database || '(none yet)'}`,
    `state     ${state === 'running' ? 'running' : `stopped: ${state}`}`,
    `last line ${head.n}, written ${head.at}`,
    `folder    ${folder}: ${sizeOf(check)}`,
    ...(copy === undefined
      ? ['copy      none (JOURNAL_COPY)']
      : [`copy      ${copy}: ${compared(check, checkJournal(copy))}`]),
  ]
}

function sizeOf({ lines, segments, bytes, isTorn }: JournalCheck): string {
  const torn = isTorn ? ', the last line is not complete' : ''
  return `${lines} lines in ${segments} segments, ${Math.ceil(bytes / KILOBYTE)} kB, all lines are good${torn}`
}

function compared(check: JournalCheck, copy: JournalCheck | null): string {
  if (!copy) return 'there is no journal; the next start of the service writes it'
  if (copy.id !== check.id) return `ANOTHER JOURNAL (${copy.id}): the service does not start with it`
  if (copy.head.hash === check.head.hash) return 'equal'
  return `ends at line ${copy.head.n}; if the service is stopped, its next start makes both equal`
}

export async function reportPrune([folder, copy]: Folders, keepDays: number, now: Date): Promise<string[]> {
  if (!checkJournal(folder)) throw new ConfigError(`${folder}: there is no journal`)
  const before = new Date(now.getTime() - keepDays * DAY_MS)
  const removed = await pruneJournal({ folder, copy: copy ?? null, now: () => now }, before)
  if (removed.length === 0)
    return [`nothing is removed: no segment ended before ${before.toISOString()} with all its slots closed`]
  return [`${removed.length} segments that ended before ${before.toISOString()} are removed`]
}

export function reportRepair([folder, copy]: Folders): string[] {
  if (copy === undefined) throw new ConfigError('a journal is repaired from its copy, and there is none (JOURNAL_COPY)')
  const replaced = repairJournal(folder, copy)
  if (replaced.length === 0) return ['nothing is damaged']
  return replaced.map((file) => `${file} was damaged or missing, and is replaced by the other folder's`)
}
