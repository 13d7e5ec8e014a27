/**
 * Reads a journal without taking its lock, while another process may write it. Used by `restore`, when signing is
 * stopped.
 */
import { existsSync } from 'node:fs'
import { ConfigError } from '../../config.ts'
import { damagedAt } from './damaged.ts'
import type { Entry } from './line.ts'
import { BEFORE_FIRST, type Head, listSegments, readSegment, scanSegment } from './segment.ts'

export interface JournalLines {
  /** Of the journal; empty if it has no line. */
  id: string
  /** The last line. */
  head(): Head
  /** Lines after `n`, oldest first. */
  after(n: number): Iterable<Entry>
}

/**
 * Throws unless the folder and its copy are equal. An unfinished last line is ignored: its signature was never
 * returned.
 */
export function readJournal([folder, copy]: readonly [folder: string, copy?: string | undefined]): JournalLines {
  if (!existsSync(folder)) throw new ConfigError(`there is no signing journal in ${folder}`)
  const { head, id } = endOf(folder)
  if (copy !== undefined && existsSync(copy) && endOf(copy).head.hash !== head.hash)
    throw new ConfigError(
      `the journal in ${folder} and its copy in ${copy} differ: start the service once, or keep the longer one`,
    )
  return { id, head: () => head, after: (n) => linesAfter(folder, n) }
}

/** The last line, and the journal's id, which is in the first line of each segment. */
function endOf(folder: string): { head: Head; id: string } {
  const last = listSegments(folder).at(-1)
  let id = ''
  const { last: entry } = scanSegment(last === undefined ? Buffer.alloc(0) : readSegment(folder, last), null, (one) => {
    if (one.content.type === 'opened') id = one.content.journal
  })
  return { head: entry ? { n: entry.n, hash: entry.hash } : BEFORE_FIRST, id }
}

function* linesAfter(folder: string, n: number): Generator<Entry> {
  for (const segment of listSegments(folder)) {
    const entries: Entry[] = []
    const { rest, lines } = scanSegment(readSegment(folder, segment), null, (entry) => entries.push(entry))
    if (rest === 'damaged') throw damagedAt(folder, segment, lines + 1)
    yield* entries.filter((entry) => entry.n > n)
  }
}
