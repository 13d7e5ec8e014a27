/** The maximum fee of our transactions by size and number of signing keys, known before signing. */
import { mulDiv } from '@causeway/core'
import type { ByteCost, Parameters } from '../node/calls.ts'

/** All parameters of a fee, for scripts that only return. */
export interface Pricing {
  /** The gas price, in units of gas times `factor`. */
  price: bigint
  factor: bigint
  fixedGas: bigint
  gasPerByte: bigint
  gasPerKey: bigint
}

/** Returning at once takes a few hundred units of gas; a higher limit costs nothing. */
export const GAS_LIMIT = 5_000n

export function pricingOf(parameters: Parameters, price: bigint): Pricing {
  const { gasPriceFactor, gasPerByte, vmInitialization, hashing, recovery } = parameters
  return {
    price,
    factor: gasPriceFactor,
    fixedGas: vmInitialization.base + hashing.base + GAS_LIMIT,
    gasPerByte: gasPerByte + perByte(vmInitialization) + perByte(hashing),
    gasPerKey: recovery,
  }
}

/**
 * A light operation takes less than one unit per byte. It is counted as one, so that rounding never gives too little.
 */
function perByte({ gasPerUnit, unitsPerGas }: ByteCost): bigint {
  return gasPerUnit ?? (unitsPerGas === 0n ? 0n : 1n)
}

export interface Shape {
  inputs: number
  outputs: number
  keys: number
}

/** Bytes of a transaction's frame: type, gas limit, root, sizes and counts; the script; three policies. */
const FRAME_BYTES = 96 + 8 + 3 * 8
const INPUT_BYTES = 168
const OUTPUT_BYTES = 80
const WITNESS_BYTES = 8 + 64

export function sizeOf({ inputs, outputs, keys }: Shape): bigint {
  return BigInt(FRAME_BYTES + inputs * INPUT_BYTES + outputs * OUTPUT_BYTES + keys * WITNESS_BYTES)
}

export function feeFor({ price, factor, fixedGas, gasPerByte, gasPerKey }: Pricing, shape: Shape): bigint {
  const gas = fixedGas + sizeOf(shape) * gasPerByte + BigInt(shape.keys) * gasPerKey
  return mulDiv(gas, price, factor, 'up')
}
