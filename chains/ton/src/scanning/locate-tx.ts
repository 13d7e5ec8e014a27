/**
 * Looking for a hash in the treasury's past. One look goes through so many transactions; the next one goes on where it stopped,
 * so that whatever came after a transaction, and however much, it is found in the end.
 */
import { RetryLater } from '@causeway/core'
import type { Looked, TonChain } from '../chain.ts'
import type { Node } from '../node/node.ts'
import type { TonTransaction, TxPointer } from '../transaction.ts'

/** How many transactions back one look goes. What was walked is kept, so an idle question costs one request. */
export const SEARCHED = 5_000

/** Null where it is not there. `isBefore`: it cannot stand at this one, nor before it. */
export async function find(
  chain: TonChain,
  node: Node,
  from: TxPointer | null,
  hash: string,
  isBefore: (transaction: TonTransaction) => boolean = () => false,
): Promise<TonTransaction | null> {
  const { history, treasury, missed, network } = chain
  // By node: what one has not found another may.
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
    // Further back it may stand all the same: that is no proof that it does not.
    note({ upTo, rest: { top, at: previous } })
    throw new RetryLater(`${network.name}: a transaction is not among the last ${SEARCHED} that were looked through`)
  }
  note({ upTo: top > upTo ? top : upTo, rest: null })
  // What came since the look began is still to be looked through.
  return rest && from && from.lt > top ? find(chain, node, from, hash, isBefore) : null
}
