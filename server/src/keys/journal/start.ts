/**
 * Decides at a start whether the database and the journal fit together: create a journal, continue, or refuse. Pure.
 */
import type { JournalState, StopCode, Vector } from './line.ts'

export interface StartFacts {
  /** The database's record of its journal. */
  row: { id: string; databaseId: string; state: JournalState } | null
  hasAttempts: boolean
  /**
   * The newest attempt that names a journal line, and the hash of that line in the journal; null if the journal lacks
   * the line.
   */
  newest: { n: number; hash: string; found: string | null } | null
  /** Null if there is no journal. */
  journal: { id: string; database: string | null; state: JournalState; hasSignatures: boolean } | null
  /** Writers whose counters in the database are missing, or lower than the journal has seen. */
  behind: readonly string[]
  /** The journal has signatures in slots that the database does not have. */
  hasUnknownLines: boolean
}

export type StartDecision =
  /** First start: create the journal, then the database row. */
  | { do: 'create' }
  /** A crash happened after the journal was created and before its row was stored. */
  | { do: 'insert_row' }
  | { do: 'refuse'; reason: string }
  | { do: 'stop'; code: StopCode }
  | { do: 'run' }

const PUT_BACK = 'put the journal of this database back, or see "Without the journal" in docs/operate/restore.md'

/** `mayInit`: a database that is older than the journal feature gets a new journal without asking the operator. */
export function decideStart(facts: StartFacts, mayInit: boolean): StartDecision {
  const { row, journal, newest } = facts
  if (!row && !journal) {
    if (!facts.hasAttempts || mayInit) return { do: 'create' }
    return { do: 'refuse', reason: 'this database has signed before and has no journal: run "journal init" once' }
  }
  if (!journal) return { do: 'refuse', reason: `the signing journal is missing: ${PUT_BACK}` }
  if (!row) {
    if (!journal.hasSignatures && !facts.hasAttempts) return { do: 'insert_row' }
    return { do: 'refuse', reason: 'this signing journal belongs to another database' }
  }
  if (row.id !== journal.id || row.databaseId !== journal.database) {
    return { do: 'refuse', reason: `this signing journal belongs to another database: ${PUT_BACK}` }
  }
  if (journal.state !== 'running') return { do: 'stop', code: journal.state }
  if (row.state !== 'running') return { do: 'stop', code: row.state }
  if (newest && newest.found !== newest.hash) return { do: 'stop', code: 'journal_behind' }
  if (facts.behind.length > 0 || facts.hasUnknownLines) return { do: 'stop', code: 'rolled_back' }
  return { do: 'run' }
}

/** Writers for which the journal has seen higher counters than the database has. */
export function behindOf(seen: Vector, found: Vector): string[] {
  return Object.entries(seen).flatMap(([id, [n, last]]) => {
    const [foundN = -1, foundLast = -1] = found[id] ?? []
    return foundN < n || foundLast < last ? [id] : []
  })
}

/** The higher counters of both version vectors. */
export function highest(a: Vector, b: Vector): Vector {
  const merged: Vector = { ...a }
  for (const [id, [n, last]] of Object.entries(b)) {
    const [knownN, knownLast] = merged[id] ?? [0, 0]
    merged[id] = [Math.max(n, knownN), Math.max(last, knownLast)]
  }
  return merged
}

/** Branches are at least the seconds from here, so that a new journal does not repeat those of a lost one. */
const BRANCH_EPOCH_MS = Date.UTC(2020, 0, 1)

/** A clock after this (2054) is wrong. Branches must stay below 2^31, the limit of derivation paths. */
const MAX_CLOCK = 2 ** 30

/** The next branch of deposit addresses. */
export function nextBranch(last: number, now: Date): number {
  const seconds = Math.floor((now.getTime() - BRANCH_EPOCH_MS) / 1000)
  return Math.max(last + 1, seconds < MAX_CLOCK ? seconds : 0)
}
