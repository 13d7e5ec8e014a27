/** Paradex: an exchange's own chain on Starknet's code. See README.md for what is paid, and why it is a destination only. */
import type { Family } from '@causeway/core'
import { familyOf } from '@causeway/starknet/kit'
import { paradex } from './paradex.ts'

export const family: Family = familyOf(paradex)
