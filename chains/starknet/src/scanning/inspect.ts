/**
 * Re-reads one transaction before money moves: whether it is in the canonical chain, whether it succeeded, and what it
 * transferred.
 */
import { inspectionKey } from '@causeway/chain-kit'
import type { Inspection, TxHash, Watchlist } from '@causeway/core'
import type { StarknetChain } from '../chain.ts'
import { felt, padded } from '../felt.ts'
import { CODES, header, receipt, transaction, unless } from '../node/calls.ts'
import { type Node, Refusal } from '../node/node.ts'
import { assertCanonical } from '../paying/status.ts'
import { confirmationsAt } from './confirmations.ts'
import { knownOf, landingOf, ownedAmong } from './sightings.ts'
import { readTransfer, sightingsIn } from './transfers.ts'

export async function inspect(chain: StarknetChain, txHash: TxHash, ours: Watchlist): Promise<Inspection> {
  const hash = canonicalHash(txHash)
  if (hash === null) return { state: 'unknown' }
  return chain.rpc.agreed((node) => look(chain, node, hash, ours), inspectionKey)
}

/** Parses a hash: people copy hashes with and without leading zeros. */
function canonicalHash(text: string): TxHash | null {
  try {
    return padded(felt(text))
  } catch {
    return null
  }
}

async function look(chain: StarknetChain, node: Node, hash: TxHash, ours: Watchlist): Promise<Inspection> {
  const [latest, final, found, signed] = await node.settle([
    header('latest'),
    header('l1_accepted'),
    receipt(hash),
    transaction(hash),
  ])
  for (const answer of [latest, final]) if (answer instanceof Refusal) throw answer
  const proof = unless(found, CODES.transactionNotFound)
  const sent = unless(signed, CODES.transactionNotFound)
  if (!proof?.block) return sent || proof ? { state: 'pending', sightings: [] } : { state: 'unknown' }
  if (!sent) throw new Refusal('starknet_getTransactionByHash', 0, 'the receipt is there, the transaction is not')
  await assertCanonical(node, proof)
  const { block } = proof
  const heads = { latest: latest as Exclude<typeof latest, Refusal>, final: final as Exclude<typeof final, Refusal> }
  const confirmations = confirmationsAt(heads, block.number, chain.network)
  if (!proof.succeeded) return { state: 'failed', block, confirmations }
  const transfers = proof.events.flatMap((event) => readTransfer(event) ?? [])
  const signers = sent.sender === null ? [] : [sent.sender]
  const owned = await ownedAmong(ours, [...transfers.flatMap(({ from, to }) => [from, to]), ...signers])
  return {
    state: 'included',
    block,
    confirmations,
    sightings: sightingsIn(knownOf(chain), landingOf(proof, sent), owned),
  }
}
