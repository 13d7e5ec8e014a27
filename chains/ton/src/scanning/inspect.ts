/**
 * The re-read of one transaction before money moves. Nodes find a transaction by account and time only, never by hash, so
 * the treasury's own past is searched: for its transaction's hash, or for that of the message that came in.
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
  // Where several must agree, each has to show it in its own past.
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

/** Other accounts' transactions are remembered too, where a payout was followed. */
function isOfTreasury({ treasury }: TonChain, transaction: TonTransaction): boolean {
  return transaction.account === treasury.accountId
}

/** Hex or either base64, as explorers and wallets write hashes; null where it is none. */
function readHash(written: string): string | null {
  if (/^[0-9a-fA-F]{64}$/.test(written)) return written.toLowerCase()
  if (!/^(?:[A-Za-z0-9+/]{43}=|[A-Za-z0-9_-]{43}=?)$/.test(written)) return null
  return Buffer.from(written, 'base64').toString('hex')
}
