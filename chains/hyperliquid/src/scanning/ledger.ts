/**
 * Reads an account's ledger without a gap: page by page, each starting at the time at which the last one ended, since
 * several rows share one time and a page may end among them.
 */
import { NodeFailure } from '@causeway/chain-kit'
import type { Address } from '@causeway/core'
import { type LedgerEntry, ledgerPage } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { keyOf, type Row, rowOf } from './ledger-row.ts'

/** The page size of a gateway; a shorter page is the last one. */
const PAGE = 500
/** Page limit: half a million rows; callers that need more read in ranges. */
const MOST_PAGES = 1_000

export interface Stretch {
  /** The rows, oldest first. */
  rows: Row[]
  /** Whether one moment had more rows than a page, so that some of them cannot be read. */
  hasGap: boolean
  /** The moments with too many rows, in milliseconds. */
  gaps: number[]
  /** The number of requests. */
  pages: number
}

/** Reads the rows from this millisecond up to and including the other; up to the newest if it is null. */
export async function readLedger(node: Node, user: Address, from: number, to: number | null): Promise<Stretch> {
  const rows = new Map<string, Row>()
  const gaps: number[] = []
  const stretch = (pages: number): Stretch => ({ rows: [...rows.values()], hasGap: gaps.length > 0, gaps, pages })
  let start = Math.max(0, from)
  for (let pages = 1; pages <= MOST_PAGES; pages++) {
    const page = await node.ask(ledgerPage(user, start, to))
    for (const row of numbered(node, page, start, to)) rows.set(keyOf(row), row)
    if (page.length < PAGE) return stretch(pages)
    const last = page.at(-1)?.time ?? start
    const isStuck = last === start
    if (isStuck) gaps.push(last)
    start = isStuck ? last + 1 : last
    if (to !== null && start > to) return stretch(pages)
  }
  throw new NodeFailure(`node ${node.name} never comes to the end of a ledger`)
}

function numbered(node: Node, page: readonly LedgerEntry[], from: number, to: number | null): Row[] {
  const counts = new Map<string, number>()
  let previous = from
  return page.map((entry) => {
    if (entry.time < previous || (to !== null && entry.time > to)) {
      throw new NodeFailure(`node ${node.name} gave a ledger that is not in order`)
    }
    previous = entry.time
    const key = `${entry.time}/${entry.hash}`
    const position = counts.get(key) ?? 0
    counts.set(key, position + 1)
    return rowOf(entry, position)
  })
}
