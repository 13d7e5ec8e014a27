/** Which receivers of a scan are treasuries. */
import type { Address, Watchlist } from '@causeway/core'

/** The present treasury and all former ones. A memo counts at each of them, and at no deposit address. */
export async function treasuriesIn(present: Address, ours: Watchlist): Promise<ReadonlySet<Address>> {
  return new Set([present, ...((await ours.formerTreasuries?.()) ?? [])])
}
