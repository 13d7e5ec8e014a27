/** The port of a fee model: what a chain charges for a transaction beside its gas, and what it adds to the gas. */
import type { Address } from '@causeway/core'
import type { Node } from '../../node/node.ts'

/** A transaction as far as its price goes. */
export interface Weight {
  /** Unsigned, in bytes. */
  size: number
  gas: bigint
}

export interface FeeModel {
  /** The contract that tells what is charged apart; null where nothing is. */
  oracle: Address | null
  /** What each of these pays now beside its gas, in base units of the native coin, never too little; asked in one batch. */
  apart(node: Node, weights: readonly Weight[]): Promise<bigint[]>
  /** The most of that for each byte, in gwei, where the file says nothing. */
  maxByteGwei: number
  /** The most gas that the chain itself may add to a plain transfer, where the file says nothing; 0: it adds none. */
  maxLayerGas: number
}

/** Everything is in the gas. */
export const nothingApart: Pick<FeeModel, 'oracle' | 'apart' | 'maxByteGwei'> = {
  oracle: null,
  apart: async (_node, weights) => weights.map(() => 0n),
  maxByteGwei: 0,
}
