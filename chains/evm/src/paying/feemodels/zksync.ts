/**
 * zkSync's stack has its own gas units, which include the published data. A plain transfer takes hundreds of thousands.
 */
import { type FeeModel, nothingApart } from './model.ts'

export const zkSync: FeeModel = { ...nothingApart, maxLayerGas: 3_000_000 }
