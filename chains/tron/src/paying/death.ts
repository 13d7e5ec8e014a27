/**
 * The proof that a signed transfer can never land: every block from the one it refers to up to the first solid block whose
 * parent is not older than the expiration, each proven and linked to the next, and none of them holds it. The parent decides,
 * because a block is judged by the clock of the one before. What a node does not know is never used.
 */
import type { TransferStatus } from '@causeway/core'
import { refOf } from '../block.ts'
import type { TronChain } from '../chain.ts'
import { solidAt, solidHead } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import type { KnownBlock } from '../scanning/books.ts'
import { type ReadSlot, referenceNumber } from './slot.ts'

const UNKNOWN = { state: 'unknown' } as const

export async function proveDeath(chain: TronChain, slot: ReadSlot): Promise<TransferStatus> {
  const window = await chain.rpc.use((node) => windowOf(chain, node, slot))
  if (!window) return UNKNOWN
  const { start, end } = window
  // A single node may follow a branch of its own, or make one up. What refers to a block that is not there cannot land either.
  const agreed = await chain.rpc.every(async (node) => {
    const [first, last] = await Promise.all([node.ask(solidAt(referenceNumber(slot))), node.ask(solidAt(end.number))])
    return first?.id === start && last?.id === end.id
  })
  if (!agreed.every((isSame) => isSame)) return UNKNOWN
  const until = new Date(slot.expiration).toISOString()
  const reason = `it expired at ${until}, and block ${end.number}, which is final, and all before it do not hold it`
  return { state: 'dead', evidence: { usedBy: null, block: refOf(end), reason } }
}

interface Window {
  /** The id of the block before the first one. */
  start: string
  end: KnownBlock
}

/** Null where it has no end yet, or where the transaction stands in it. */
async function windowOf(chain: TronChain, node: Node, slot: ReadSlot): Promise<Window | null> {
  const solid = await node.ask(solidHead())
  // Not worth reading a hundred blocks for: none of them can be beyond.
  if (solid.time < slot.expiration) return null
  const first = referenceNumber(slot) + 1n
  let start: string | null = null
  let before: KnownBlock | null = null
  let from = first
  while (from <= solid.number) {
    const stretch = await chain.books.stretch(chain, node, from, solid.number)
    for (const block of stretch) {
      start ??= block.parent
      if (before && block.parent !== before.id) {
        chain.books.forget(first)
        return null
      }
      // A block that proves nothing may hold what nobody shows.
      if (!block.isProven || block.own.includes(slot.id)) return null
      if (before && before.time >= slot.expiration) return { start, end: block }
      before = block
    }
    from += BigInt(stretch.length)
  }
  return null
}
