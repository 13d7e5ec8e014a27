/** Starknet: its main network and Sepolia. README.md says what counts as a deposit here. */
import type { Family } from '@causeway/core'
import { familyOf } from './family.ts'
import { starknet } from './starknet.ts'

export const family: Family = familyOf(starknet)
