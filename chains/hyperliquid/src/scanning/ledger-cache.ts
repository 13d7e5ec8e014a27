/**
 * The cached ledger of the treasury. Rows are permanent, so only the end is read again. A row found is a fact; a
 * missing row proves nothing and is never used as proof here.
 */
import type { Address } from '@causeway/core'
import type { Node } from '../node/node.ts'
import { readLedger } from './ledger.ts'
import { keyOf, type Row } from './ledger-row.ts'

export interface LedgerCache {
  /** All known rows from this millisecond on, oldest first; the end is read again. */
  since(node: Node, from: number): Promise<Row[]>
  /** The known rows as of the last read, without a request. */
  known(): readonly Row[]
  /** Whether everything from this millisecond on was read, up to the last reading. */
  covers(from: number): boolean
}

/** A gateway may lag this much behind another one of the same name. */
const LAG_MS = 60_000
/** Rows kept in memory, some hundred bytes each. */
const REMEMBERED = 50_000

export function openLedgerCache(account: Address): LedgerCache {
  let rows = new Map<string, Row>()
  /** The millisecond from which rows are known; earlier ones were evicted. */
  let from: number | null = null
  let to = 0

  /** Returns all known rows together with these, oldest first, including those beyond the memory limit. */
  function keep(found: readonly Row[]): Row[] {
    const fresh = found.filter((row) => !rows.has(keyOf(row)))
    if (fresh.length === 0) return [...rows.values()]
    for (const row of fresh) rows.set(keyOf(row), row)
    const sorted = [...rows.entries()].sort(([, a], [, b]) => a.time - b.time || a.position - b.position)
    const kept = sorted.slice(-REMEMBERED)
    if (kept.length < sorted.length) from = (kept[0]?.[1].time ?? 0) + 1
    rows = new Map(kept)
    return sorted.map(([, row]) => row)
  }

  return {
    known: () => [...rows.values()],
    covers: (wanted) => from !== null && from <= wanted,
    async since(node, wanted) {
      const isReached = from !== null && from <= wanted
      // Never starts at `wanted` if the end was reached: the gap in between would count as read.
      const start = isReached ? to - LAG_MS : wanted
      const { rows: found } = await readLedger(node, account, start, null)
      if (!isReached) from = wanted
      const known = keep(found)
      to = Math.max(to, found.at(-1)?.time ?? (isReached ? to : wanted))
      return known.filter(({ time }) => time >= wanted)
    },
  }
}
