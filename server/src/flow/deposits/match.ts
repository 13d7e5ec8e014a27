/** Which swap a transfer to one of our addresses belongs to. */
import {
  type Address,
  type BlockRef,
  type ChainAdapter,
  type DepositTransfer,
  mayRepeat,
  type TxHash,
} from '@causeway/core'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { findByDepositAddress, findByReference } from '../../store/swaps/swaps.ts'
import { isTreasury } from './receivers.ts'

/**
 * Null if the transfer belongs to no swap. A swap never gets a deposit from a block older than the swap, however deep a
 * reorg is.
 */
export async function findSwap(
  services: Services,
  queries: Queries,
  chain: ChainAdapter,
  txHash: TxHash,
  { token, units, to, from, reference, doubt }: DepositTransfer,
  block: BlockRef | null,
): Promise<string | null> {
  if (doubt !== null) {
    services.log.warn({ network: chain.network.name, txHash, reason: doubt }, 'a deposit needs a decision')
    return null
  }
  const { name: network, finalDepth } = chain.network
  const madeUpTo = block === null ? null : block.number + BigInt(finalDepth)
  const place = { network, token, receiver: to, madeUpTo }
  if (!(await isTreasury(queries, chain, to))) return findByDepositAddress(queries, { ...place, units })
  if (reference === null) return null
  // A short reference may belong to another swap that was lost in a database rollback: the sender tells them apart.
  const sender = mayRepeat(chain.references?.bits) ? from : undefined
  return findByReference(queries, { ...place, reference, sender })
}

/**
 * Whether the transfer names no swap: it came to the treasury without a reference, or an operator must decide about it.
 */
export function namesNoSwap(
  { treasury }: ChainAdapter,
  { doubt, to, reference }: { doubt?: string | null; to: Address; reference: bigint | null },
): boolean {
  return Boolean(doubt) || (to === treasury && reference === null)
}
