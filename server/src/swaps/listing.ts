/** Turns what a caller asks a list of swaps for into the filter that the store understands. */
import { findNetwork, STATUSES, type Status } from '@causeway/core'
import type { Services } from '../services.ts'
import { findByTransaction, type SwapFilter } from '../store/listing.ts'

export interface ListRequest {
  addresses: string[]
  referenceId: string | null
  appId: string | null
  /** Empty where every status but `expired` is wanted. */
  statuses: Status[]
  includeExpired: boolean
  networks: string[]
  page: number
}

export function filterOf(services: Services, request: ListRequest): SwapFilter {
  const { addresses, referenceId, appId, networks, page } = request
  return {
    ids: null,
    addresses: addresses.length > 0 ? everyForm(services, addresses) : null,
    referenceId,
    appId,
    statuses: statusesOf(services, request),
    // A name that is not known stays: it matches nothing, as it should.
    networks:
      networks.length > 0 ? networks.map((name) => findNetwork(services.catalogue.networks, name)?.name ?? name) : null,
    page,
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** What a person types into a search box: a swap's id, any of its transactions, or an address. */
export async function searchFilter(services: Services, search: string, request: ListRequest): Promise<SwapFilter> {
  const filter = filterOf(services, { ...request, includeExpired: true })
  if (UUID.test(search)) return { ...filter, ids: [search] }
  const ids = await findByTransaction(services.database, search)
  return { ...filter, ids, addresses: everyForm(services, [search]) }
}

function statusesOf({ config }: Services, { statuses, includeExpired }: ListRequest): Status[] {
  if (statuses.length === 0) return STATUSES.filter((status) => includeExpired || status !== 'expired')
  const asked = includeExpired ? [...statuses, 'expired' as const] : statuses
  const both = config.ONE_REFUND_STATUS && asked.includes('pending_refund') ? ['refund_pending' as const] : []
  return [...new Set([...asked, ...both])]
}

/** Families write one address in several ways; stored is the canonical one. */
function everyForm({ chains }: Services, addresses: string[]): string[] {
  const forms = addresses.flatMap((text) => [
    text,
    ...[...chains.values()].map((chain) => chain.parseAddress(text) ?? text),
  ])
  return [...new Set(forms.map((form) => form.toLowerCase()))]
}
