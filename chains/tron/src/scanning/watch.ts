/**
 * The scan: transfers to us, block by block from the cursor on. Each block proves itself and links to its parent, so a
 * node can hide none; receipts are read for every transaction. A scan only reports; `inspect` reads it again.
 */
import { agreedScan } from '@causeway/chain-kit'
import { type Cursor, RetryLater, type Scan, type Watchlist } from '@causeway/core'
import { type Header, refOf } from '../block.ts'
import type { TronChain } from '../chain.ts'
import { headerAt } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { freshHead } from '../node/rpc.ts'
import { cutAfter, formatCursor, idAt, type Memory, parseCursor, remember } from './cursor.ts'
import type { ToldBlock } from './receipts.ts'
import { sightingsIn } from './sightings.ts'

export function scan(chain: TronChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  return agreedScan(chain, cursor, {
    scan: () => scanOne(chain, cursor, ours),
    blockOf({ next }) {
      const covered = parseCursor(next)
      return { number: covered.number, hash: idAt(covered, covered.number) }
    },
    hashAt: async (node, number) => (await node.ask(headerAt(number)))?.id ?? null,
  })
}

function scanOne(chain: TronChain, cursor: Cursor | null, ours: Watchlist): Promise<Scan> {
  return chain.rpc.use(async (node) => {
    const head = await freshHead(node, chain.settings)
    const before = cursor === null ? { number: head.number - 1n, ids: [] } : parseCursor(cursor)
    const first = await stretch(chain, node, before, head)
    const memory = first ? before : await onChain(chain, node, before, head)
    const reorgFrom = memory === before ? null : memory.number + 1n
    const blocks = first ?? (await stretch(chain, node, memory, head))
    if (!blocks) throw new RetryLater('the chain changed while it was read')
    const sightings = await sightingsIn(chain, node, blocks, ours)
    const covered = remember(memory, blocks)
    const isSame = cursor !== null && covered === before
    return {
      sightings,
      next: isSame ? cursor : formatCursor(covered),
      head: refOf(head),
      scannedTo: covered.number,
      reorgFrom,
    }
  })
}

/** The blocks after the remembered ones; null if they do not link to them. */
async function stretch(chain: TronChain, node: Node, memory: Memory, head: Header): Promise<ToldBlock[] | null> {
  const known = idAt(memory, head.number)
  // A head below the cursor with the id that we remember means a lagging node, not another branch.
  if (known !== null) return known === head.id ? [] : null
  if (head.number <= memory.number) return memory.ids.length === 0 ? [] : null
  const blocks = await chain.provenBlocks.read(chain, node, memory.number + 1n, head.number)
  const last = idAt(memory, memory.number)
  return last === null || blocks[0]?.parent === last ? blocks : null
}

/** The remembered ids, cut back to what is still part of the chain. */
async function onChain(chain: TronChain, node: Node, memory: Memory, head: Header): Promise<Memory> {
  const top = head.number < memory.number ? head.number : memory.number
  for (let height = top; ; height--) {
    const known = idAt(memory, height)
    if (known === null) return beyondMemory(chain, memory, height, top)
    const standing = height === head.number ? head : await node.ask(headerAt(height))
    if (standing?.id !== known) continue
    if (height === top) return memory
    chain.log.warn({ network: chain.network.name, fork: height, from: memory.number }, 'chain was reorganised')
    chain.provenBlocks.forget(height + 1n)
    return cutAfter(memory, height)
  }
}

function beyondMemory(chain: TronChain, memory: Memory, height: bigint, top: bigint): Memory {
  // No block is remembered: this is the very first scan, or the node is far behind.
  if (height === top) {
    if (memory.ids.length === 0) return memory
    throw new RetryLater('the node is far behind')
  }
  chain.log.error({ network: chain.network.name, oldest: height }, 'reorganisation is deeper than the scan remembers')
  chain.provenBlocks.forget(height)
  return { number: height, ids: [] }
}
