/** The port of a fee model: what a chain charges for a transaction in addition to its gas, and the gas it adds. */
import type { Address } from '@causeway/core'
import type { Node } from '../../node/node.ts'

/** The part of a transaction that decides its price. */
export interface Weight {
  /** The unsigned size in bytes. */
  size: number
  gas: bigint
}

export interface FeeModel {
  /** The contract that reports the separate charge; null if there is none. */
  oracle: Address | null
  /**
   * The charge of each of these transactions in addition to its gas, in native base units, never too low. Read in one
   * batch.
   */
  apart(node: Node, weights: readonly Weight[]): Promise<bigint[]>
  /** The maximum charge per byte in gwei, if the file sets none. */
  maxByteGwei: number
  /**
   * The maximum gas that the chain itself may add to a plain transfer, if the file sets none; 0 means that it adds
   * none.
   */
  maxLayerGas: number
}

/** No separate charge: everything is included in the gas. */
export const nothingApart: Pick<FeeModel, 'oracle' | 'apart' | 'maxByteGwei'> = {
  oracle: null,
  apart: async (_node, weights) => weights.map(() => 0n),
  maxByteGwei: 0,
}
