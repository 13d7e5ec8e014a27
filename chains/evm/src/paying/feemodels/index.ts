/** The fee models by their name in `fee_model` of a network's file. */
import { mantle } from './mantle.ts'
import type { FeeModel } from './model.ts'
import { opStack } from './opstack.ts'
import { orbit } from './orbit.ts'
import { plain } from './plain.ts'
import { morph, scroll } from './scroll.ts'
import { zkSync } from './zksync.ts'

export const FEE_MODELS = { plain, op_stack: opStack, scroll, morph, orbit, zksync: zkSync, mantle } satisfies Record<
  string,
  FeeModel
>

export type FeeModelName = keyof typeof FEE_MODELS
