/** Balances for families whose nodes have no batch read. */
import type { Balances } from './paying.ts'

/** Reads balances with concurrent single requests. They may be of different blocks, so no block is reported. */
export async function oneByOne<T>(wanted: readonly T[], ask: (one: T) => Promise<bigint>): Promise<Balances> {
  return { block: null, units: await Promise.all(wanted.map(ask)) }
}
