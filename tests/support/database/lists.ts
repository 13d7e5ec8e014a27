/** Typical list requests of users and apps, by name: the first page of each must cost the same after years. */
import { STATUSES } from '@causeway/core'
import type { Database } from '../../../server/src/store/db/database.ts'
import { listSwaps, type SwapFilter } from '../../../server/src/store/swaps/swap-list.ts'
import { filterOf, type ListRequest } from '../../../server/src/swaps/listing.ts'
import type { Hand } from '../service/manual-driver.ts'

const ANY: ListRequest = {
  addresses: [],
  referenceId: null,
  owner: null,
  statuses: [],
  includeExpired: false,
  networks: [],
  page: 1,
}
/** An unused address: searched among all swaps. */
const NOBODY = '0x00000000000000000000000000000000000000aa'

/** `from` and `to`: the route of nearly all swaps; `quiet`: a network without swaps. */
export function listQueries(
  { services }: Hand,
  books: Database,
  { from, to, quiet }: { from: string; to: string; quiet: string },
): Record<string, () => Promise<unknown>> {
  const ask = (asked: Partial<ListRequest>, more: Partial<SwapFilter> = {}) => {
    const filter = filterOf(services, { ...ANY, ...asked })
    return () => listSwaps(books, services.catalogue, { ...filter, ...more })
  }
  return {
    'a list of all swaps': ask({}),
    'a list of all swaps, page 5': ask({ page: 5 }),
    'a list with those that nobody paid for': ask({ includeExpired: true }),
    'a list of a status that none has': ask({ statuses: ['failed'] }),
    'a list of a status that nearly all have': ask({ statuses: ['completed'] }),
    'a list of statuses that none has': ask({ statuses: ['failed', 'refunded', 'pending_refund'] }),
    'a list of a network': ask({ networks: [from] }),
    'a list of two networks': ask({ networks: [to, quiet] }),
    'a list of a network where nothing happened': ask({ networks: [quiet] }),
    'a list of a network and a status that none has': ask({ networks: [to], statuses: ['failed'] }),
    'a list of an address that nobody has': ask({ addresses: [NOBODY] }),
    'a list of a reference that nobody gave': ask({ referenceId: NOBODY, owner: { appId: null } }),
    'a list of an app that made none': ask({ owner: { appId: crypto.randomUUID() } }),
    'a list of what a search found': ask({ addresses: [NOBODY] }, { ids: [crypto.randomUUID()] }),
    'a list of swaps that there are not': ask({}, { ids: [crypto.randomUUID()], statuses: [...STATUSES] }),
  }
}
