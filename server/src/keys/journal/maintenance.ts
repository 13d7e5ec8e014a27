/** What an operator does with a journal that no process uses: remove what is long closed, and mend it from its copy. */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { damagedAt, JournalDamaged } from './damaged.ts'
import { headBefore, sync } from './folders.ts'
import { type Journal, type JournalOptions, openJournal } from './journal.ts'
import { type Entry, isSigned } from './line.ts'
import { type Head, indexFile, listSegments, readSegment, type Scan, scanSegment, segmentFile } from './segment.ts'

/**
 * Removes the oldest segments whose last line is older than `before` and whose slots are all closed. Their fences go with them,
 * so it must be longer ago than any backup that may be restored. Returns the numbers of the removed segments.
 */
export async function pruneJournal(options: JournalOptions & { folder: string }, before: Date): Promise<number[]> {
  const { folder, copy = null } = options
  const journal = await openJournal(options)
  try {
    const removed: number[] = []
    let last: Head | null = null
    for (const segment of listSegments(folder).slice(0, -1)) {
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

/** Reads every line of every segment. Throws at the first that is damaged. */
export function checkJournal(folder: string): { segments: number; lines: number } {
  let lines = 0
  for (const segment of listSegments(folder)) {
    const scan = scanSegment(readSegment(folder, segment), headBefore(folder, segment))
    if (scan.rest === 'damaged') throw damagedAt(folder, segment, scan.lines + 1)
    lines += scan.lines
  }
  return { segments: listSegments(folder).length, lines }
}

/**
 * Replaces each damaged segment by the other folder's, if that one is whole and follows from the segment before. Returns the files
 * that were replaced; throws if a segment is damaged in both.
 */
export function repairJournal(folder: string, copy: string): string[] {
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
  // A damaged one loses against a whole one, however much of it is good.
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
