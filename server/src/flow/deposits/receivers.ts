/** Our addresses on a network: the treasury, every former treasury, and every deposit address ever given out. */
import type { Address, ChainAdapter, Watchlist } from '@causeway/core'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { formerTreasuries } from '../../store/ledger/treasuries.ts'
import { allAddresses, expectedAddresses, expectingAddresses, ourAddresses } from '../../store/watch/addresses.ts'

export function watchlistOf(services: Services, chain: ChainAdapter, queries: Queries = services.database): Watchlist {
  const { treasury, network } = chain
  const former = () => formerTreasuries(queries, network.name, treasury)
  return {
    async owned(addresses) {
      const found = await ourAddresses(queries, network.name, addresses)
      return new Set(addresses.includes(treasury) ? [treasury, ...found] : found)
    },
    async listUpTo(most) {
      const all = await allAddresses(queries, network.name, most)
      return all && [...(await former()), ...all]
    },
    activeAddresses: async () => [
      ...(await former()),
      ...(await expectingAddresses(queries, network.name, services.now())),
    ],
    async pollCandidates() {
      const { recent, others } = await expectedAddresses(queries, network.name, services.now())
      return { recent: [await former(), ...recent], others }
    },
    formerTreasuries: former,
  }
}

/** Whether deposits at this address are matched by reference: true for the present and every former treasury. */
export async function isTreasury(
  queries: Queries,
  { network, treasury }: ChainAdapter,
  address: Address,
): Promise<boolean> {
  return address === treasury || (await formerTreasuries(queries, network.name, treasury)).includes(address)
}
