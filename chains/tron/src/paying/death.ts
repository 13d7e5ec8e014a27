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
  const end = await chain.rpc.use((node) => firstBeyond(chain, node, slot))
  if (!end) return UNKNOWN
  // A single node may follow a branch of its own, or make one up.
  const agreed = await chain.rpc.every(async (node) => (await node.ask(solidAt(end.number)))?.id === end.id)
  if (!agreed.every((isSame) => isSame)) return UNKNOWN
  const until = new Date(slot.expiration).toISOString()
  const reason = `it expired at ${until}, and block ${end.number}, which is final, and all before it do not hold it`
  return { state: 'dead', evidence: { usedBy: null, block: refOf(end), reason } }
}

/** The block that ends the proof; null where there is none yet, or where the transaction stands before it. */
async function firstBeyond(chain: TronChain, node: Node, slot: ReadSlot): Promise<KnownBlock | null> {
  const solid = await node.ask(solidHead())
  // Not worth reading a hundred blocks for: none of them can be beyond.
  if (solid.time < slot.expiration) return null
  let before: Pick<KnownBlock, 'id' | 'time'> = { id: slot.reference, time: 0 }
  let from = referenceNumber(slot) + 1n
  while (from <= solid.number) {
    const stretch = await chain.books.stretch(chain, node, from, solid.number)
    for (const block of stretch) {
      if (block.parent !== before.id || block.own.includes(slot.id)) return null
      if (before.time >= slot.expiration) return block
      before = block
    }
    from += BigInt(stretch.length)
  }
  return null
}
