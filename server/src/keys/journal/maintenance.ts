/**
 * Offline maintenance of a journal that no process uses: remove old closed segments, and repair the journal from its
 * copy.
 */
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { damagedAt, JournalDamaged } from './damaged.ts'
import { headBefore, lockFolders, sync } from './folders.ts'
import { type Journal, type JournalOptions, openJournal } from './journal.ts'
import { type Entry, isSigned, type JournalState } from './line.ts'
import { type Head, indexFile, listSegments, readSegment, type Scan, scanSegment, segmentFile } from './segment.ts'

/**
 * Removes the oldest segments whose last line is older than `before` and whose slots are all closed. The fences forget
 * these lines, so `before` must be older than any backup that may be restored. Returns the numbers of the removed
 * segments.
 */
export async function pruneJournal(options: JournalOptions & { folder: string }, before: Date): Promise<number[]> {
  const { folder, copy = null } = options
  const journal = await openJournal(options)
  try {
    const removed: number[] = []
    let last: Head | null = null
    for (const segment of segmentsBeforeNewest(folder)) {
      const entries = entriesOf(folder, segment)
      const end = entries.at(-1)
      if (!end || new Date(end.at) >= before || !entries.every((entry) => isOver(journal, entry))) break
      removed.push(segment)
      last = { n: end.n, hash: end.hash }
    }
    if (last) await journal.pruned(last)
    for (const one of copy === null ? [folder] : [folder, copy]) {
      for (const segment of removed) {
        rmSync(segmentFile(one, segment), { force: true })
        rmSync(indexFile(one, segment), { force: true })
      }
      sync(one)
    }
    return removed
  } finally {
    await journal.end()
  }
}

/** The segments before the newest signature. That signature must stay, because the database refers to it. */
function segmentsBeforeNewest(folder: string): number[] {
  const segments = listSegments(folder)
  const newest = segments.findLastIndex((segment) => entriesOf(folder, segment).some(isSigned))
  return segments.slice(0, Math.max(0, newest))
}

function isOver(journal: Journal, entry: Entry): boolean {
  if (!isSigned(entry)) return true
  return journal.signatures(entry.content).every(({ closing }) => closing !== null)
}

function entriesOf(folder: string, segment: number): Entry[] {
  const entries: Entry[] = []
  const scan = scanSegment(readSegment(folder, segment), null, (entry) => entries.push(entry))
  if (scan.rest === 'damaged') throw damagedAt(folder, segment, scan.lines + 1)
  return entries
}

export interface JournalCheck {
  id: string
  database: string
  state: JournalState
  segments: number
  lines: number
  bytes: number
  /** The last line, and when it was written. */
  head: Head & { at: string }
  /** The last line is unfinished: a process is writing it now, or crashed. */
  isTorn: boolean
}

/**
 * Reads and checks every line of every segment, also while another process writes. Throws at the first damaged line.
 */
export function checkJournal(folder: string): JournalCheck | null {
  let check: JournalCheck | null = null
  const segments = existsSync(folder) ? listSegments(folder) : []
  for (const segment of segments) {
    const bytes = readSegment(folder, segment)
    const scan = scanSegment(bytes, headBefore(folder, segment), ({ n, hash, at, content }) => {
      const { id = '', database = '', state = 'running', lines = 0, bytes = 0 } = check ?? {}
      const head = { n, hash, at }
      check = { id, database, state, segments: segments.length, lines: lines + 1, bytes, head, isTorn: false }
      if (content.type === 'opened') Object.assign(check, { id: content.journal, database: content.database })
      if (content.type === 'opened') check.state = content.state
      if (content.type === 'stopped') check.state = content.code
      if (content.type === 'restored') check.state = 'running'
    })
    if (scan.rest === 'damaged') throw damagedAt(folder, segment, scan.lines + 1)
    if (check)
      Object.assign(check, { isTorn: scan.rest === 'torn', bytes: (check as JournalCheck).bytes + bytes.length })
  }
  return check
}

/**
 * Replaces each damaged segment by the copy's segment (or the other way round), if that one is complete and follows
 * from the segment before. Returns the replaced files; throws if a segment is damaged in both folders.
 */
export function repairJournal(folder: string, copy: string): string[] {
  const unlock = lockFolders([folder, copy])
  try {
    return replaceDamaged(folder, copy)
  } finally {
    unlock()
  }
}

function replaceDamaged(folder: string, copy: string): string[] {
  const replaced: string[] = []
  let before: Head | null = null
  for (const segment of new Set([...listSegments(folder), ...listSegments(copy)].sort((a, b) => a - b))) {
    const candidates = [folder, copy].map((one) => judgeSegment(one, segment, before))
    const best = candidates.reduce((a, b) => (b.end > a.end ? b : a))
    if (best.isDamaged) throw damagedAt(best.folder, segment, best.lines + 1)
    if (best.bytes === null) throw new JournalDamaged(`segment ${segment} cannot be read in either folder`)
    for (const one of candidates) {
      if (!one.isDamaged && one.bytes !== null) continue
      writeSegment(one.folder, segment, best.bytes)
      replaced.push(segmentFile(one.folder, segment))
    }
    before = best.last
  }
  return replaced
}

interface Judged {
  folder: string
  bytes: Buffer | null
  end: number
  lines: number
  last: Head | null
  isDamaged: boolean
}

function judgeSegment(folder: string, segment: number, before: Head | null): Judged {
  if (!listSegments(folder).includes(segment))
    return { folder, bytes: null, end: -1, lines: 0, last: null, isDamaged: false }
  const bytes = readSegment(folder, segment)
  const scan: Scan = scanSegment(bytes, before ?? headBefore(folder, segment))
  const last = scan.last && { n: scan.last.n, hash: scan.last.hash }
  // A damaged segment always loses against a complete one, even if it has more good lines.
  const isDamaged = scan.rest === 'damaged'
  return { folder, bytes, end: isDamaged ? -1 : scan.end, lines: scan.lines, last, isDamaged }
}

function writeSegment(folder: string, segment: number, bytes: Buffer): void {
  const file = segmentFile(folder, segment)
  writeFileSync(`${file}.new`, bytes, { mode: 0o600 })
  sync(`${file}.new`)
  renameSync(`${file}.new`, file)
  rmSync(indexFile(folder, segment), { force: true })
  sync(folder)
}
