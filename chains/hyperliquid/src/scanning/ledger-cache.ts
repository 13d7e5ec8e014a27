/**
 * The ledger of the treasury as far as it was read: what stood there once stands there for ever, so only its end is asked for
 * again. Rows that are found are facts; that one is missing is no proof of anything, and is never taken for one here.
 */
import type { Address } from '@causeway/core'
import type { Node } from '../node/node.ts'
import { readLedger } from './ledger.ts'
import { keyOf, type Row } from './ledger-row.ts'

export interface LedgerCache {
  /** All that is known from this millisecond on, oldest first; the end is read anew. */
  since(node: Node, from: number): Promise<Row[]>
  /** As of the last reading; asks nobody. */
  known(): readonly Row[]
  /** Whether everything from this millisecond on was read, up to the last reading. */
  covers(from: number): boolean
}

/** A gateway may be this much behind another one of the same name. */
const LAG_MS = 60_000
/** Rows kept in memory: some hundred bytes each. */
const REMEMBERED = 50_000

export function openLedgerCache(account: Address): LedgerCache {
  let rows = new Map<string, Row>()
  /** Rows are known from here on; what was dropped lies before. */
  let from: number | null = null
  let to = 0

  /** Answers all that is known with it, oldest first, also what memory does not keep. */
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
      // Never from `wanted` where it is reached: what lies between would be taken for read.
      const start = isReached ? to - LAG_MS : wanted
      const { rows: found } = await readLedger(node, account, start, null)
      if (!isReached) from = wanted
      const known = keep(found)
      to = Math.max(to, found.at(-1)?.time ?? (isReached ? to : wanted))
      return known.filter(({ time }) => time >= wanted)
    },
  }
}
