/**
 * Where a scan stopped. The cursor remembers the roots of the batches behind it, so that a batch that was rolled back is
 * noticed without asking anybody what was there.
 */
import type { BlockRef, Cursor } from '@causeway/core'
import type { Batch } from '../node/calls.ts'

/** The batches that were scanned: the newest one's number, and roots from it downwards. */
export interface Trail {
  top: bigint
  hashes: readonly string[]
}

export function parseCursor(cursor: Cursor): Trail {
  const [top = '0', ...hashes] = cursor.split(' ')
  return { top: BigInt(top), hashes }
}

export function formatCursor({ top, hashes }: Trail): Cursor {
  return [top, ...hashes].join(' ')
}

export function trailOf({ number, hash }: BlockRef): Trail {
  return { top: number, hashes: [hash] }
}

export function hashAt({ top, hashes }: Trail, number: bigint): string | undefined {
  return hashes[Number(top - number)]
}

export function shorten({ top, hashes }: Trail, common: bigint): Trail {
  return { top: common, hashes: hashes.slice(Number(top - common)) }
}

export function extend(trail: Trail, blocks: readonly Batch[], memory: number): Trail {
  const fresh = blocks.map(({ hash }) => hash).toReversed()
  return { top: trail.top + BigInt(blocks.length), hashes: [...fresh, ...trail.hashes].slice(0, memory) }
}
