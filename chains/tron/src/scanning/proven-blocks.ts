/**
 * Cache of blocks that proved themselves, reduced to what concerns us: a proof of invalidation, or the movements of an
 * hour, then needs no repeated download. Everything taken from here is linked to a block that a node shows now.
 */
import { boundedMap, NodeFailure } from '@causeway/chain-kit'
import { type Movement, RetryLater, type TxHash } from '@causeway/core'
import type { Block } from '../block.ts'
import { headerAt } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { type Ground, movesIn } from './balance-changes.ts'
import { openBlockQuorum } from './block-quorum.ts'
import { type ToldBlock, withReceipts } from './receipts.ts'
import { blocksOf } from './unprintable-blocks.ts'

export interface KnownBlock {
  number: bigint
  id: string
  parent: string
  time: number
  /** Transactions of the treasury. */
  own: TxHash[]
  /** Changes of the treasury; null if only the block was read, without receipts. */
  moves: Movement[] | null
  /** False if the block's content rests on the nodes' answers alone. */
  isProven: boolean
}

export interface ProvenBlocks {
  /** Reads blocks that are proven and linked, with receipts, both ends included: at most as many as one scan reads. */
  read(ground: Ground, node: Node, from: bigint, to: bigint): Promise<ToldBlock[]>
  /** The block that the node has at this height now; null if none. */
  blockAt(ground: Ground, node: Node, number: bigint): Promise<Block | null>
  /** The id of the block read at this height; null if none was. */
  idAt(number: bigint): string | null
  /**
   * Blocks from this height on, as many as are cached or as one scan reads; at least one. The caller checks that they
   * are linked.
   */
  stretch(ground: Ground, node: Node, from: bigint, to: bigint): Promise<KnownBlock[]>
  /** Like `stretch`, with the treasury's changes. */
  told(ground: Ground, node: Node, from: bigint, to: bigint): Promise<KnownBlock[]>
  /** Drops blocks that are no longer canonical. */
  forget(from: bigint): void
}

/** Limit of cached blocks: about a day. */
const MOST_KNOWN = 30_000
/** Limit of complete blocks, which are kept for transfers that are checked repeatedly until they are final. */
const MOST_WHOLE = 24

export function openProvenBlocks(): ProvenBlocks {
  const known = boundedMap<bigint, KnownBlock>(MOST_KNOWN)
  const whole = boundedMap<string, Block>(MOST_WHOLE)
  const blockQuorum = openBlockQuorum()

  function keep(ground: Ground, block: Block, moves: Movement[] | null): KnownBlock {
    const { number, id, parent, time, transactions, isProven } = block
    const own = transactions.filter(({ owner }) => owner === ground.treasury).map((transaction) => transaction.id)
    const before = known.get(number)
    const kept = { number, id, parent, time, own, isProven, moves: moves ?? (before?.id === id ? before.moves : null) }
    known.delete(number)
    known.set(number, kept)
    return kept
  }

  async function fetch(ground: Ground, node: Node, from: bigint, to: bigint): Promise<Block[]> {
    const { settings } = ground
    const most = from + BigInt(settings.scanBlocks) - 1n
    const last = to < most ? to : most
    const found = await blocksOf(ground, node, from, last)
    const isWhole = found.every(({ number }, at) => number === from + BigInt(at))
    if (found.length === 0 || !isWhole) throw new RetryLater('the node does not have all blocks up to its head')
    for (const block of found) {
      if (block.isProven || blockQuorum.tells(ground, node.name, block)) continue
      throw new NodeFailure(`of node ${node.name}, block ${block.number} does not hold what its header says`)
    }
    for (const [at, block] of found.entries()) {
      const before = found[at - 1]
      if (before && before.id !== block.parent) throw new RetryLater('the chain changed while it was read')
    }
    return found
  }

  async function read(ground: Ground, node: Node, from: bigint, to: bigint): Promise<ToldBlock[]> {
    const told: ToldBlock[] = []
    for (const block of await fetch(ground, node, from, to)) {
      try {
        told.push(await withReceipts(node, block))
      } catch (error) {
        // The newest block may have no receipts yet; the blocks before it are returned.
        if (told.length === 0 || !(error instanceof RetryLater)) throw error
        break
      }
    }
    for (const block of told) keep(ground, block, movesIn(ground, block))
    return told
  }

  function remembered(from: bigint, to: bigint, fits: (block: KnownBlock) => boolean): KnownBlock[] {
    const found: KnownBlock[] = []
    for (let number = from; number <= to; number++) {
      const block = known.get(number)
      if (!block || !fits(block)) break
      found.push(block)
    }
    return found
  }

  return {
    read,
    async blockAt(ground, node, number) {
      const header = await node.ask(headerAt(number))
      if (!header) return null
      const kept = whole.get(header.id)
      if (kept) return kept
      const [block] = await fetch(ground, node, number, number)
      if (block?.id !== header.id) throw new RetryLater('the chain changed while it was read')
      whole.set(block.id, block)
      return block
    },
    idAt: (number) => known.get(number)?.id ?? null,
    async stretch(ground, node, from, to) {
      const found = remembered(from, to, () => true)
      if (found.length > 0) return found
      return (await fetch(ground, node, from, to)).map((block) => keep(ground, block, null))
    },
    async told(ground, node, from, to) {
      const found = remembered(from, to, ({ moves }) => moves !== null)
      if (found.length > 0) return found
      return (await read(ground, node, from, to)).map((block) => keep(ground, block, movesIn(ground, block)))
    },
    forget(from) {
      for (const number of [...known.keys()]) if (number >= from) known.delete(number)
    },
  }
}
