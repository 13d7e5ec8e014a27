/** Balances for families whose nodes answer one question at a time. */
import type { Balances } from './chain.ts'

/** All at once, each by a question of its own: nobody can say of which block they tell together. */
export async function oneByOne<T>(wanted: readonly T[], ask: (one: T) => Promise<bigint>): Promise<Balances> {
  return { block: null, units: await Promise.all(wanted.map(ask)) }
}
