/** The deposits in transactions, each with the reference that its memo carries. */
import {
  type Address,
  type BlockRef,
  type Network,
  parseDecimalReference,
  type Sighting,
  type Token,
  type Watchlist,
} from '@causeway/core'
import type { SealedTransaction } from '../transaction.ts'

export interface Candidate {
  transaction: SealedTransaction
  /** The transaction's block; null while it is pending. */
  block: BlockRef | null
}

/**
 * The deposits in these transactions, which must not have reverted. Transfers from our own accounts are not deposits.
 */
export async function sightingsIn(
  network: Network,
  candidates: readonly Candidate[],
  ours: Watchlist,
): Promise<Sighting[]> {
  const moves = candidates.flatMap(({ transaction }) => transaction.moves)
  if (moves.length === 0) return []
  const owned = await ours.owned([...new Set(moves.flatMap(({ from, to }) => [from, to]))])
  return candidates.flatMap((candidate) => sightingsOf(network, candidate, owned))
}

function sightingsOf(network: Network, { transaction, block }: Candidate, owned: ReadonlySet<Address>): Sighting[] {
  // If a transaction has several moves, its memo does not identify one of them.
  const memo = transaction.moves.length === 1 ? transaction.memo : null
  return transaction.moves.flatMap(({ from, to, contract, units }, index) => {
    const token = tokenAt(network, contract)
    if (!token || units <= 0n || !owned.has(to) || owned.has(from)) return []
    const reference = memo === null ? null : parseDecimalReference(memo)
    const sender = { refundableSender: from, fundingAddresses: [from] }
    return [{ txHash: transaction.hash, index, block, ...sender, to, amount: { token, units }, reference }]
  })
}

function tokenAt(network: Network, contract: string | null): Token | undefined {
  return contract === null ? network.nativeToken : network.tokens.find((token) => token.contract === contract)
}
