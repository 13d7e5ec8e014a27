/** Whom the outputs of a transaction pay. Making an address of a script is what reading a block costs most: done once for each. */
import type { Address } from '@causeway/core'
import { addressOf } from '../address.ts'
import type { Prefixes } from '../settings.ts'
import type { Transaction } from '../transaction.ts'

const known = new WeakMap<Transaction, (Address | null)[]>()

/** In the order of the outputs; null if one has no address. */
export function addressesIn(transaction: Transaction, prefixes: Prefixes): (Address | null)[] {
  const found = known.get(transaction) ?? transaction.outputs.map(({ script }) => addressOf(script, prefixes))
  known.set(transaction, found)
  return found
}
