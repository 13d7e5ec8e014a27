/** Turns a request for a list of swaps into the store's filter. */
import { findNetwork, STATUSES, type Status } from '@causeway/core'
import type { Services } from '../services.ts'
import { findByTransaction, type SwapFilter } from '../store/swaps/swap-list.ts'

export interface ListRequest {
  addresses: string[]
  referenceId: string | null
  owner: SwapFilter['owner']
  /** Wanted statuses; empty for every status except `expired`. */
  statuses: Status[]
  includeExpired: boolean
  networks: string[]
  source?: string | null
  destination?: string | null
  createdFrom?: Date | null
  createdBefore?: Date | null
  cursor?: string | null
  page: number
}

export function filterOf(services: Services, request: ListRequest): SwapFilter {
  const {
    addresses,
    referenceId,
    owner,
    networks,
    page,
    createdFrom = null,
    createdBefore = null,
    cursor = null,
  } = request
  return {
    ids: null,
    addresses: addresses.length > 0 ? everyForm(services, addresses) : null,
    referenceId,
    owner,
    statuses: statusesOf(services, request),
    networks: networks.length > 0 ? listedAmong(services, networks) : null,
    source: endOf(services, request.source),
    destination: endOf(services, request.destination),
    createdFrom,
    createdBefore,
    cursor,
    page: cursor === null ? page : 1,
  }
}

/** An unknown network matches nothing. */
function endOf({ catalogue: { networks } }: Services, name: string | null | undefined): string | null {
  return name == null ? null : (findNetwork(networks, name)?.name ?? '')
}

/** Known networks, without duplicates. Unknown names match nothing. Naming all networks is the same as no filter. */
function listedAmong({ catalogue: { networks } }: Services, asked: string[]): string[] | null {
  const found = new Set([...new Set(asked)].map((name) => findNetwork(networks, name)?.name))
  const known = networks.map(({ name }) => name).filter((name) => found.has(name))
  return known.length === networks.length ? null : known
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Text of a search box: a swap's id, any of its transactions, or an address. */
export async function searchFilter(services: Services, search: string, request: ListRequest): Promise<SwapFilter> {
  const filter = filterOf(services, { ...request, includeExpired: true })
  if (UUID.test(search)) return { ...filter, ids: [search] }
  const ids = await findByTransaction(services.reading, search)
  return { ...filter, ids, addresses: everyForm(services, [search]) }
}

function statusesOf({ config }: Services, { statuses, includeExpired }: ListRequest): Status[] {
  if (statuses.length === 0) return STATUSES.filter((status) => includeExpired || status !== 'expired')
  const asked = includeExpired ? [...statuses, 'expired' as const] : statuses
  const both = config.oneRefundStatus && asked.includes('pending_refund') ? ['refund_pending' as const] : []
  return [...new Set([...asked, ...both])]
}

/** Families accept several spellings of an address; the database has the canonical one. */
function everyForm({ chains }: Services, addresses: string[]): string[] {
  const forms = addresses.flatMap((text) => [
    text,
    ...[...chains.values()].map((chain) => chain.parseAddress(text) ?? text),
  ])
  return [...new Set(forms.map((form) => form.toLowerCase()))]
}
