/** Ethereum and whatever charges as it does: gas and nothing else, 21,000 of it for a plain transfer. */
import { type FeeModel, nothingApart } from './model.ts'

export const plain: FeeModel = { ...nothingApart, maxLayerGas: 0 }
