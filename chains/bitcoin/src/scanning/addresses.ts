/**
 * The addresses that a transaction's outputs pay. Deriving an address from a script is the slowest part of reading a
 * block, so it is done once per output.
 */
import type { Address } from '@causeway/core'
import { addressOf } from '../address.ts'
import type { Prefixes } from '../settings.ts'
import type { Transaction } from '../transaction.ts'

const known = new WeakMap<Transaction, (Address | null)[]>()

/** The addresses in the order of the outputs; null for an output without one. */
export function addressesIn(transaction: Transaction, prefixes: Prefixes): (Address | null)[] {
  const found = known.get(transaction) ?? transaction.outputs.map(({ script }) => addressOf(script, prefixes))
  known.set(transaction, found)
  return found
}
