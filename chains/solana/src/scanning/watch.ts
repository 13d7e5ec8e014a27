/**
 * The scan: deposits to us, block by block from the cursor on. Blocks are read once two thirds of the stake have voted
 * for them (`confirmed`). If such a fork is dropped anyway, the next block's parent reveals it.
 */
import { readAdaptively } from '@causeway/chain-kit'
import { type BlockRef, type Cursor, RetryLater, type Scan, type Watchlist } from '@causeway/core'
import type { SolanaChain } from '../chain.ts'
import { blockRoot, blocksFrom, fullBlock, type Head, NO_BLOCK_CODES } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import type { Block, BlockRoot } from '../transaction.ts'
import { cutAfter, formatCursor, type Memory, parseCursor, remember } from './cursor.ts'
import { headOf } from './head.ts'
import { sightingsIn } from './sightings.ts'

/** A fork has fewer blocks than the chain needs to finalize one; more steps back than this mean another chain. */
const MOST_STEPS_BACK = 256

export function scan(chain: SolanaChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  return chain.rpc.use(async (node) => {
    const head = await headOf(chain, node)
    const before = cursor === null ? { slot: head.slot - 1n, blocks: [], reported: [], from: 0n } : parseCursor(cursor)
    const first = await readAdaptively(chain.pace, () => stretch(chain, node, before))
    const fork = await forkBelow(chain, node, before, first[0])
    const memory = fork ?? before
    const blocks = linked(memory, fork ? await readAdaptively(chain.pace, () => stretch(chain, node, fork)) : first)
    await chain.reach.assert(node, blocks.at(-1)?.slot ?? head.slot)
    const candidates = blocks.flatMap((block) =>
      block.transactions.map((transaction) => ({ transaction, block: { number: block.slot, hash: block.hash } })),
    )
    const sightings = await sightingsIn(chain, node, candidates, ours)
    const covered = remember(memory, blocks)
    return {
      sightings,
      next: cursor !== null && covered === before ? cursor : formatCursor(covered),
      head: newest(head, blocks.at(-1)),
      scannedTo: covered.slot,
      reorgFrom: fork ? fork.slot + 1n : null,
    }
  })
}

/** The blocks after the covered ones, as far as the node has them. */
async function stretch(chain: SolanaChain, node: Node, { slot }: Memory): Promise<Block[]> {
  const [slots] = await node.ask([blocksFrom(slot + 1n, chain.pace.blocks)])
  const answers = await node.settle(slots.map((at) => fullBlock(at)))
  const blocks: Block[] = []
  for (const answer of answers) {
    if (answer instanceof Refusal) {
      // The newest blocks may be voted for before this node has their content.
      if (NO_BLOCK_CODES.has(answer.code)) break
      throw answer
    }
    blocks.push(answer)
  }
  return blocks
}

/**
 * The remembered blocks below the fork point if the next block has another parent than the last remembered one; null
 * otherwise.
 */
async function forkBelow(
  chain: SolanaChain,
  node: Node,
  memory: Memory,
  next: BlockRoot | undefined,
): Promise<Memory | null> {
  const last = memory.blocks.at(-1)
  if (!next || !last || next.parentHash === last.hash) return null
  let block = next
  for (let steps = 0; steps < MOST_STEPS_BACK; steps++) {
    const { parentSlot, parentHash } = block
    const common = memory.blocks.find(({ slot, hash }) => slot === parentSlot && hash === parentHash)
    if (common === last) throw new RetryLater('the node left out a block')
    const network = chain.network.name
    if (common) {
      chain.log.warn({ network, fork: common.slot, from: memory.slot }, 'a fork was dropped')
      return cutAfter(memory, common.slot)
    }
    const oldest = memory.blocks[0]?.slot ?? last.slot
    if (parentSlot < oldest) {
      chain.log.error({ network, oldest }, 'a fork is deeper than the scan remembers')
      return { slot: oldest - 1n, blocks: [], reported: [], from: 0n }
    }
    block = (await node.ask([blockRoot(parentSlot)]))[0]
  }
  throw new RetryLater('the chain is not the one that was scanned')
}

/** The blocks that link to each other, starting from the last remembered one: the chain may change during the read. */
function linked({ blocks: [...remembered] }: Memory, blocks: readonly Block[]): Block[] {
  let parent = remembered.at(-1)?.hash ?? blocks[0]?.parentHash
  const chained: Block[] = []
  for (const block of blocks) {
    if (block.parentHash !== parent) break
    chained.push(block)
    parent = block.hash
  }
  if (chained.length === 0 && blocks.length > 0) throw new RetryLater('the chain changed while it was read')
  return chained
}

function newest({ slot, blockhash }: Head, last: BlockRoot | undefined): BlockRef {
  return last && last.slot > slot ? { number: last.slot, hash: last.hash } : { number: slot, hash: blockhash }
}
