/** zkSync's stack: gas is counted in its own way, and what is published below is in it. A plain transfer takes hundreds of thousands. */
import { type FeeModel, nothingApart } from './model.ts'

export const zkSync: FeeModel = { ...nothingApart, maxLayerGas: 3_000_000 }
