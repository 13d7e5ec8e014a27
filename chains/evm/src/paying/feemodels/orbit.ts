/**
 * Arbitrum and other Orbit chains: the layer below is paid in gas, so that estimates hold it and a plain transfer takes more than
 * 21,000. How much more follows the price below: in a spike of blobs it is a hundredfold.
 */
import { type FeeModel, nothingApart } from './model.ts'

/** At the usual tenth of a gwei this is a fraction of a dollar; above it payouts wait. */
export const orbit: FeeModel = { ...nothingApart, maxLayerGas: 2_000_000 }
