/** The data fee that a chain charges in addition to gas: reported by its fee model, bounded by the network's file. */
import { FeeAboveLimit } from '@causeway/core'
import type { Node } from '../node/node.ts'
import type { Settings } from '../settings.ts'
import { FEE_MODELS } from './feemodels/index.ts'

/** Size of an unsigned transaction without its data, in bytes, rounded up. */
export const NATIVE_BYTES = 60
/** Signature, nonce, prices and their lengths, in addition to the data. */
const FRAME_BYTES = 250n

/** The data fee of a transaction. It is not part of the signed bytes, so if it is too high, nothing is signed. */
export async function apartOf(settings: Settings, node: Node, dataBytes: number, gas: bigint): Promise<bigint> {
  const [apart = 0n] = await FEE_MODELS[settings.feeModel].apart(node, [{ size: NATIVE_BYTES + dataBytes, gas }])
  if (apart <= mostApart(settings, dataBytes)) return apart
  throw new FeeAboveLimit(`the chain charges more for data than ${settings.maxFeePerByte} wei a byte`)
}

/** The maximum data fee: per byte at the limit in the network's file. */
export function mostApart({ maxFeePerByte }: Settings, dataBytes: number): bigint {
  return (FRAME_BYTES + BigInt(dataBytes)) * maxFeePerByte
}
