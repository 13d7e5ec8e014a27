/**
 * Searches a hash in the treasury's history. One search covers a limited number of transactions and the next one
 * continues, so a transaction is found in the end, whatever came after it.
 */
import { RetryLater } from '@causeway/core'
import type { Looked, TonChain } from '../chain.ts'
import type { Node } from '../node/node.ts'
import type { TonTransaction, TxPointer } from '../transaction.ts'

/** How many transactions one search covers. Pages are cached, so an idle request costs one call. */
export const SEARCHED = 5_000

/**
 * The transaction with this hash; null if it is not there. `isBefore` is true for transactions at or before which it
 * cannot be.
 */
export async function find(
  chain: TonChain,
  node: Node,
  from: TxPointer | null,
  hash: string,
  isBefore: (transaction: TonTransaction) => boolean = () => false,
): Promise<TonTransaction | null> {
  const { history, treasury, missed, network } = chain
  // Cached per node: another node may find a hash that this one has not found.
  const key = `${node.name} ${hash}`
  const { upTo, rest } = missed.get(key) ?? { upTo: 0n, rest: null }
  const top = rest?.top ?? from?.lt ?? 0n
  const note = (looked: Looked) => missed.set(key, looked)
  let passed = 0
  for await (const transaction of history.walk(node, treasury.address, rest?.at ?? from)) {
    if (transaction.hash === hash || transaction.inHash === hash) return transaction
    const { lt, previous } = transaction
    if (lt <= upTo || isBefore(transaction) || !previous) break
    if (++passed < SEARCHED) continue
    // The transaction may be further back, so its absence is not proven yet.
    note({ upTo, rest: { top, at: previous } })
    throw new RetryLater(`${network.name}: a transaction is not among the last ${SEARCHED} that were searched`)
  }
  note({ upTo: top > upTo ? top : upTo, rest: null })
  // Transactions since the start of the search must still be searched.
  return rest && from && from.lt > top ? find(chain, node, from, hash, isBefore) : null
}
