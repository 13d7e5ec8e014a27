/**
 * Where a scan stopped. The cursor remembers the hashes of the blocks behind it, so that a reorg is found and walked back
 * without asking anybody what was there.
 */
import type { BlockRef, Cursor } from '@causeway/core'
import type { Block } from '../node/node.ts'

/** The blocks that were scanned: the newest one's number, and hashes from it downwards. */
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

export function extend(trail: Trail, blocks: readonly Block[], memory: number): Trail {
  const fresh = blocks.map(({ hash }) => hash).toReversed()
  return { top: trail.top + BigInt(blocks.length), hashes: [...fresh, ...trail.hashes].slice(0, memory) }
}
