/**
 * Changes of our UTXO set by blocks: every output to one of our addresses creates a UTXO, change and sweeps included,
 * and every input that names one spends it.
 */
import type { Utxo, UtxoChanges, UtxoPosition, UtxoSet, Watchlist } from '@causeway/core'
import type { BitcoinChain } from '../chain.ts'
import { type Block, partOf } from '../transaction.ts'
import { addressesIn } from './addresses.ts'
import { hashAt, type Memory, oldest } from './cursor.ts'

export interface ReadBlock {
  height: number
  block: Block
}

/** Whether the stored set is at the cursor's block, so that the next blocks follow it. */
export function isInStep({ block }: UtxoPosition, known: Memory): boolean {
  return block !== null && block.number === BigInt(known.height) && block.hash === hashAt(known, known.height)
}

/**
 * The changes by these blocks, all of which follow `fork`. Null if they replace blocks that the set cannot roll back.
 */
export async function coinChanges(
  chain: BitcoinChain,
  book: UtxoSet,
  position: UtxoPosition,
  scanned: { known: Memory; fork: Memory; covered: Memory; blocks: readonly ReadBlock[] },
  ours: Watchlist,
): Promise<UtxoChanges | null> {
  const { known, fork, covered, blocks } = scanned
  const hash = hashAt(covered, covered.height)
  if (hash === null || position.block === null || BigInt(fork.height) < position.since) return null
  const made = await coinsMadeIn(chain, blocks, ours)
  const fresh = new Set(made.map(({ part }) => part))
  const spent: UtxoChanges['spent'] = []
  for (const { height, block } of blocks) {
    const parts = partsSpentIn(block)
    const known = await book.among(parts)
    const own = parts.filter((part) => known.has(part) || fresh.has(part))
    spent.push(...own.map((part) => ({ part, at: BigInt(height) })))
  }
  return {
    edition: position.edition,
    after: position.block.hash,
    backTo: fork.height < known.height ? BigInt(fork.height) : null,
    made,
    spent,
    block: { number: BigInt(covered.height), hash },
    forgetBefore: BigInt(oldest(covered)),
  }
}

export async function coinsMadeIn(chain: BitcoinChain, blocks: readonly ReadBlock[], ours: Watchlist): Promise<Utxo[]> {
  const made = blocks.flatMap(({ height, block }) =>
    block.transactions.flatMap((transaction) => {
      const owners = addressesIn(transaction, chain.prefixes)
      return transaction.outputs.flatMap(({ units }, vout): Utxo[] => {
        const owner = owners[vout] ?? null
        if (owner === null || units <= 0n) return []
        const part = partOf({ txid: transaction.txid, vout })
        return [{ part, owner, units, madeAt: BigInt(height), isCoinbase: transaction.inputs === null }]
      })
    }),
  )
  if (made.length === 0) return []
  const owned = await ours.owned([...new Set(made.map(({ owner }) => owner))])
  return made.filter(({ owner }) => owned.has(owner))
}

export function partsSpentIn({ transactions }: Block): string[] {
  return transactions.flatMap(({ inputs }) => (inputs ?? []).map(partOf))
}
