/** The status of a signed transfer. "Dead" lets a payout be signed again with other coins, so it needs proof. */
import { NodeFailure } from '@causeway/chain-kit'
import type { SentTransfer, SignedBefore, TransferStatus } from '@causeway/core'
import type { FuelChain } from '../chain.ts'
import type { Node } from '../node/node.ts'
import { locate } from '../scanning/locate-tx.ts'
import { coinInputs, POLICY, policyOf, type Transaction } from '../transaction.ts'
import { deathOf } from './invalidation.ts'
import { unitsOf } from './order.ts'

export async function status(
  chain: FuelChain,
  sent: SentTransfer,
  signedBefore: SignedBefore,
): Promise<TransferStatus> {
  const seen = await chain.rpc.agreed((node) => lookUp(chain, node, sent), nameOf)
  if (seen.state !== 'unknown') return seen
  const evidence = await deathOf(chain, sent, signedBefore)
  return evidence ? { state: 'dead', evidence } : seen
}

/**
 * The status by one node. A transaction in a block has paid, even if a node says that its script failed: coin outputs
 * are paid anyway, and ours has no others. Reporting it as reverted would pay twice.
 */
async function lookUp(chain: FuelChain, node: Node, { hash }: SentTransfer): Promise<TransferStatus> {
  const found = await locate(chain, node, hash)
  if (found.state !== 'included') return { state: found.state }
  const { landed, confirmations } = found
  const feeUnits = feeOf(chain, landed.transaction)
  const most = policyOf(landed.transaction, POLICY.maxFee) ?? 0n
  if (feeUnits < 0n || feeUnits > most)
    throw new NodeFailure(`node ${node.name} shows a fee of ${feeUnits} for ${hash}`)
  return { state: 'included', block: landed.block, confirmations, feeUnits }
}

/** The fee: the base asset's inputs less its outputs. */
function feeOf({ settings: { baseAsset } }: FuelChain, transaction: Transaction): bigint {
  const made = transaction.outputs.flatMap((output) => ('units' in output ? [output] : []))
  return unitsOf(coinInputs(transaction), baseAsset) - unitsOf(made, baseAsset)
}

/** The part of a status that nodes must agree on: nodes that are a block apart give the same text. */
function nameOf(seen: TransferStatus): string {
  return seen.state === 'included' ? `included ${seen.block.hash} ${seen.feeUnits}` : seen.state
}
