/** Ethereum and chains that charge like it: only gas, 21,000 for a plain transfer. */
import { type FeeModel, nothingApart } from './model.ts'

export const plain: FeeModel = { ...nothingApart, maxLayerGas: 0 }
