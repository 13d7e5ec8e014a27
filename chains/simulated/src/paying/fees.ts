/** Fee of a transaction: the same for each move, and a tenth more if it replaces a pending one. */
import { atMost } from '@causeway/chain-kit'
import type { Fees } from '@causeway/core'
import type { Node } from '../node/node.ts'
import type { Settings } from '../settings.ts'

export async function fees(node: Node, { maxFeePerMove }: Settings): Promise<Fees> {
  const each = atMost(await node.fee(), maxFeePerMove)
  return { nativeTransfer: each, tokenTransfer: each, sweep: each }
}

/** A replacement must pay a tenth more than what it displaces, rounded up: the least that real mempools ask for. */
export function replacementFee(fee: bigint): bigint {
  return (fee * 11n + 9n) / 10n
}
