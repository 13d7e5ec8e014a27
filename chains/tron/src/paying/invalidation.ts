/**
 * The proof that a signed transfer can never be mined: every block from its reference block up to the first solid block
 * whose parent is at or beyond the expiration, each proven and linked, and none of them contains it. The parent decides
 * because a block is judged by its parent's clock. Absence on a node is never used. An unproven block is accepted if
 * all of several nodes agree on it and none of them knows the transfer.
 */
import { countProviders } from '@causeway/chain-kit'
import type { TransferStatus } from '@causeway/core'
import { refOf } from '../block.ts'
import type { TronChain } from '../chain.ts'
import { blocks, receipt, solidAt, solidHead } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import type { KnownBlock } from '../scanning/proven-blocks.ts'
import { type ReadSlot, referenceNumber } from './slot.ts'

const UNKNOWN = { state: 'unknown' } as const

export async function proveDeath(chain: TronChain, slot: ReadSlot): Promise<TransferStatus> {
  const window = await chain.rpc.use((node) => windowOf(chain, node, slot))
  if (!window) return UNKNOWN
  const { start, end, odd } = window
  if (odd.length > 0 && !(await areToldAlike(chain, slot, odd))) return UNKNOWN
  // Every node must agree: a single node may follow its own branch or invent one. The transfer's reference block is
  // compared too: it shows that the node is on the branch for which the transfer was signed.
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
  /** Blocks whose content only nodes attest. */
  odd: KnownBlock[]
}

/**
 * The blocks in which the transaction could have been mined; null if the range has no end yet, or contains the
 * transaction.
 */
async function windowOf(chain: TronChain, node: Node, slot: ReadSlot): Promise<Window | null> {
  const solid = await node.ask(solidHead())
  // Before the expiration the blocks need not be read: none of them can end the range.
  if (solid.time < slot.expiration) return null
  const first = referenceNumber(slot) + 1n
  const odd: KnownBlock[] = []
  let start: string | null = null
  let before: KnownBlock | null = null
  let from = first
  while (from <= solid.number) {
    const stretch = await chain.provenBlocks.stretch(chain, node, from, solid.number)
    for (const block of stretch) {
      start ??= block.parent
      if (before && block.parent !== before.id) {
        chain.provenBlocks.forget(first)
        return null
      }
      if (block.own.includes(slot.id)) return null
      if (!block.isProven) odd.push(block)
      if (before && before.time >= slot.expiration) return { start, end: block, odd }
      before = block
    }
    from += BigInt(stretch.length)
  }
  return null
}

/** Limit of unproven blocks: more within one payout's few minutes have never been observed. */
const MOST_ODD = 20

/**
 * Whether all nodes report the same content of unproven blocks. Bytes that nodes do not show keep a block from proving
 * itself, but hide no transaction from an honest node. So nodes of more than one provider must be asked: a single
 * answer proves nothing.
 */
async function areToldAlike(chain: TronChain, slot: ReadSlot, odd: readonly KnownBlock[]): Promise<boolean> {
  const { network, log, rpc } = chain
  const tellings =
    countProviders(network.nodes) < 2 || odd.length > MOST_ODD
      ? []
      : await rpc.every((node) => tellingOf(node, slot, odd))
  const [first = null] = tellings
  if (first !== null && tellings.every((telling) => telling === first)) return true
  const fields = { network: network.name, payout: slot.id, blocks: odd.map(({ number, id }) => `${number} ${id}`) }
  log.error(fields, 'a payout cannot be proven dead: look at these blocks elsewhere, then name them in unproven_blocks')
  return false
}

/** The content of these blocks according to this node; null if it knows the transfer, or has other blocks. */
async function tellingOf(node: Node, slot: ReadSlot, odd: readonly KnownBlock[]): Promise<string | null> {
  if ((await node.ask(receipt(slot.id))) !== null) return null
  const told: unknown[] = []
  for (const { number, id } of odd) {
    const [block] = await node.ask(blocks(number, number, new Set()))
    if (block?.id !== id || block.transactions.some((one) => one.id === slot.id)) return null
    told.push(block.transactions.map((one) => `${one.id} ${one.isSuccess}`))
  }
  return JSON.stringify(told)
}
