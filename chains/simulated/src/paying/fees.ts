/** The fee of a transaction: the same per move, and a tenth more if it replaces a pending transaction. */
import { atMost } from '@causeway/chain-kit'
import type { Fees } from '@causeway/core'
import type { Node } from '../node/node.ts'
import type { Settings } from '../settings.ts'

export async function fees(node: Node, { maxFeePerMove }: Settings): Promise<Fees> {
  const each = atMost(await node.fee(), maxFeePerMove)
  return { nativeTransfer: each, tokenTransfer: each, sweep: each }
}

/**
 * The fee of a replacement: a tenth more than the replaced transaction, rounded up, which is the least that real
 * mempools ask for.
 */
export function replacementFee(fee: bigint): bigint {
  return (fee * 11n + 9n) / 10n
}
