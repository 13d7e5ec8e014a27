/** A watchlist for tests: only these addresses are ours. */
import type { Address, Watchlist } from '@causeway/core'

export function staticWatchlist(...ours: readonly Address[]): Watchlist {
  return {
    owned: async (addresses) => new Set(addresses.filter((address) => ours.includes(address))),
    pollCandidates: async () => ({ recent: [[...ours]], others: [] }),
  }
}
