/**
 * Re-reads one transaction before money moves. Nodes find a transaction only by account and time, never by hash. So the
 * treasury's own history is searched, for its transaction's hash or for that of the incoming message.
 */
import { inspectionKey } from '@causeway/chain-kit'
import type { Inspection, TxHash, Watchlist } from '@causeway/core'
import type { TonChain } from '../chain.ts'
import { accountState } from '../node/calls.ts'
import type { TonTransaction } from '../transaction.ts'
import { confirmationsAt } from './blocks.ts'
import { find } from './locate-tx.ts'
import { sightingsIn } from './sightings.ts'

export async function inspect(chain: TonChain, txHash: TxHash, ours: Watchlist): Promise<Inspection> {
  const hash = readHash(txHash)
  if (hash === null) return { state: 'unknown' }
  // With a quorum, each node must show the transaction in its own history.
  const recall = (chain.network.quorum ?? 1) > 1 ? () => undefined : chain.history.recall
  return chain.rpc.agreed(async (node): Promise<Inspection> => {
    const { head, last } = await node.ask(accountState(chain.treasury.address))
    const found = recall(hash) ?? (await find(chain, node, last, hash))
    if (!found || !isOfTreasury(chain, found)) return { state: 'unknown' }
    const block = await chain.blocks.of(node, found)
    const confirmations = confirmationsAt(head, block)
    const sightings = await sightingsIn(chain, node, [found], ours)
    if (sightings.length === 0 && found.isAborted) return { state: 'failed', block, confirmations }
    return { state: 'included', block, confirmations, sightings }
  }, inspectionKey)
}

/**
 * Whether it is a transaction of the treasury. Other accounts' transactions are cached, too, if a payout was traced.
 */
function isOfTreasury({ treasury }: TonChain, transaction: TonTransaction): boolean {
  return transaction.account === treasury.accountId
}

/** Parses a hash in hex or either base64, as explorers and wallets write it; null if it is not one. */
function readHash(written: string): string | null {
  if (/^[0-9a-fA-F]{64}$/.test(written)) return written.toLowerCase()
  if (!/^(?:[A-Za-z0-9+/]{43}=|[A-Za-z0-9_-]{43}=?)$/.test(written)) return null
  return Buffer.from(written, 'base64').toString('hex')
}
