/** The deposits in transactions that were read with their balances: one watchlist query for all of them. */
import type { Address, BlockRef, Sighting, Watchlist } from '@causeway/core'
import type { SolanaChain } from '../chain.ts'
import type { Node } from '../node/node.ts'
import { associatedAccount } from '../tokens.ts'
import type { Transaction } from '../transaction.ts'
import { type Credit, creditsOf, signersOf, toSighting } from './transfers.ts'

export interface Candidate {
  transaction: Transaction
  block: BlockRef
}

export async function sightingsIn(
  chain: SolanaChain,
  node: Node,
  candidates: readonly Candidate[],
  ours: Watchlist,
): Promise<Sighting[]> {
  const { network, tokens: byMint } = chain
  const credited = candidates
    .map((candidate) => ({
      ...candidate,
      credits: creditsOf({ nativeToken: network.nativeToken, byMint }, candidate.transaction),
    }))
    .filter(({ credits }) => credits.length > 0)
  if (credited.length === 0) return []
  const asked = new Set(
    credited.flatMap(({ transaction, credits }) => [...signersOf(transaction), ...credits.map(({ to }) => to)]),
  )
  const owned = await ours.owned([...asked])
  const groups = credited.map((found) => depositsOf(chain, node, found, owned))
  return (await Promise.all(groups)).flat()
}

async function depositsOf(
  chain: SolanaChain,
  node: Node,
  { transaction, block, credits }: Candidate & { credits: Credit[] },
  owned: ReadonlySet<Address>,
): Promise<Sighting[]> {
  const hits = credits.filter(({ to }) => owned.has(to))
  // A transaction signed by one of our keys is a payout or a sweep, not a deposit.
  if (hits.length === 0 || signersOf(transaction).some((signer) => owned.has(signer))) return []
  const reachable = await Promise.all(hits.map((credit) => isReachable(chain, node, credit, transaction)))
  return hits
    .filter((_, position) => reachable[position])
    .map((credit) => toSighting(credit, transaction, block, hits.length === 1))
}

/**
 * Whether we can move the tokens. Tokens in a non-associated account of the owner cannot be paid out or swept: they are
 * not credited.
 */
async function isReachable(
  chain: SolanaChain,
  node: Node,
  { to, token: { contract: mint }, index }: Credit,
  { accounts, hash }: Transaction,
): Promise<boolean> {
  if (mint === null) return true
  const expected = await associatedAccount(to, mint, await chain.programs.of(node, mint))
  if (accounts[index] === expected) return true
  const fields = { network: chain.network.name, hash, account: accounts[index], owner: to, mint }
  chain.log.error(fields, 'tokens came to an account of ours that is not the associated one')
  return false
}
