/**
 * Arbitrum and other Orbit chains charge the L1 fee as gas, so estimates include it and a plain transfer takes more
 * than 21,000. How much more follows the L1 price: in a blob price spike it is a hundredfold.
 */
import { type FeeModel, nothingApart } from './model.ts'

/** The limit: at the usual tenth of a gwei it is a fraction of a dollar; above it payouts wait. */
export const orbit: FeeModel = { ...nothingApart, maxLayerGas: 2_000_000 }
