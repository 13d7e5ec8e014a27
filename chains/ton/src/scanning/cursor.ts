/**
 * The cursor of a scan. The account's history can only be read from its newest transaction backwards. If that is too
 * far for one scan, the cursor also holds the unfinished read.
 */
import { Bug, type Cursor } from '@causeway/core'
import type { TxPointer } from '../transaction.ts'

export interface Progress {
  /** Everything up to this masterchain block and this logical time was covered. */
  seqno: bigint
  lt: bigint
  walk: Walk | null
}

export interface Walk {
  /** The position to store once the backward read has reached `Progress.lt`. */
  seqno: bigint
  lt: bigint
  /** The next transaction to read. */
  at: TxPointer
}

export function parseCursor(cursor: Cursor): Progress {
  const { seqno, lt, walk }: Written = JSON.parse(cursor)
  if (typeof seqno !== 'string' || typeof lt !== 'string') throw new Bug('not a cursor of this family', { cursor })
  return {
    seqno: BigInt(seqno),
    lt: BigInt(lt),
    walk: walk
      ? { seqno: BigInt(walk.seqno), lt: BigInt(walk.lt), at: { lt: BigInt(walk.at.lt), hash: walk.at.hash } }
      : null,
  }
}

export function formatCursor(progress: Progress): Cursor {
  return JSON.stringify(progress, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
}

interface Written {
  seqno?: unknown
  lt?: unknown
  walk?: { seqno: string; lt: string; at: { lt: string; hash: string } } | null
}
