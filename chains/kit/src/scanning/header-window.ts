/**
 * The cursor of a scan for families that read every block: the number of the newest scanned block and the hashes of the
 * blocks below it. A reorg is found, and the fork point located, from these hashes alone.
 */
import type { BlockRef, Cursor } from '@causeway/core'

/** The blocks that were scanned: the newest one's number, and hashes from it downwards. */
export interface HeaderWindow {
  top: bigint
  hashes: readonly string[]
}

export function parseHeaderWindow(cursor: Cursor): HeaderWindow {
  const [top = '0', ...hashes] = cursor.split(' ')
  return { top: BigInt(top), hashes }
}

export function formatHeaderWindow({ top, hashes }: HeaderWindow): Cursor {
  return [top, ...hashes].join(' ')
}

export function headerWindowFrom({ number, hash }: BlockRef): HeaderWindow {
  return { top: number, hashes: [hash] }
}

/** The number of the oldest block in the window. */
export function lowestHeader({ top, hashes }: HeaderWindow): bigint {
  return top - BigInt(hashes.length) + 1n
}

/** Adds newer blocks. `memory`: the number of hashes to keep. */
export function appendHeaders(
  { top, hashes }: HeaderWindow,
  blocks: readonly BlockRef[],
  memory: number,
): HeaderWindow {
  const fresh = blocks.map(({ hash }) => hash).toReversed()
  return { top: top + BigInt(blocks.length), hashes: [...fresh, ...hashes].slice(0, memory) }
}

/** Drops the blocks above this one. */
export function truncateHeaders({ top, hashes }: HeaderWindow, common: bigint): HeaderWindow {
  return { top: common, hashes: hashes.slice(Number(top - common)) }
}

export interface Fork {
  /** The newest block that the node and the header window agree on; null if none in the window matches. */
  common: bigint | null
  replaced: boolean
}

/**
 * Finds the fork point. `shown`: the node's blocks at the numbers of the window. A node that only lags has replaced
 * nothing: it agrees as far as it goes, and the window stays unchanged.
 */
export function findForkPoint({ top, hashes }: HeaderWindow, shown: readonly BlockRef[]): Fork {
  const agreed = shown.filter(({ number, hash }) => hashes[Number(top - number)] === hash)
  if (agreed.length === shown.length) return { common: top, replaced: false }
  return { common: agreed.at(-1)?.number ?? null, replaced: true }
}

/**
 * The first blocks that continue the window. A node's view may change between two calls: blocks that do not continue
 * the window wait for the next scan.
 */
export function takeLinked<Block extends BlockRef & { parent: string }>(
  { hashes }: HeaderWindow,
  blocks: readonly Block[],
): Block[] {
  const linked: Block[] = []
  let [parent] = hashes
  for (const block of blocks) {
    if (parent !== undefined && block.parent !== parent) break
    linked.push(block)
    parent = block.hash
  }
  return linked
}
