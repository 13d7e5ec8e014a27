/** Loads a page of swaps, by search or filter. */
import type { Analytics, ExplorerRow } from '@causeway/sdk/light'
import { client } from '../../api/client.ts'
import { type Filtered, STATUSES } from './filters.tsx'

/** The tiles and the chart show the same period at first: it is asked for once. */
export function analytics(period: Period): Promise<Analytics> {
  const asking = asked.get(period) ?? ask(period)
  asked.set(period, asking)
  return asking
}

type Period = '24h' | '7d' | '30d' | '90d'
const asked = new Map<Period, Promise<Analytics>>()
const FRESH_MS = 5_000

async function ask(period: Period): Promise<Analytics> {
  try {
    const found = await client.analytics({ period })
    setTimeout(() => asked.delete(period), FRESH_MS)
    return found
  } catch (error) {
    asked.delete(period)
    throw error
  }
}

/** The first page. If a search finds no swap, the unmatched deposits of that transaction. */
export async function loadFirst(search: string | null, filter: Filtered) {
  const found = await load(search, filter, 1)
  const stray = search && found.length === 0 && HASH.test(search) ? await client.unmatched(search) : []
  const networks = stray.length > 0 ? await client.networks() : []
  const nameOf = (name: string) => networks.find((network) => network.name === name)?.display_name ?? name
  return { found, stray: stray.map((deposit) => ({ ...deposit, networkName: nameOf(deposit.network) })) }
}

/** Matches transaction hashes of any chain by length; most addresses are shorter. */
const HASH = /^[0-9A-Za-z+/=_:-]{40,128}$/

export function load(search: string | null, { kind, network }: Filtered, page: number): Promise<ExplorerRow[]> {
  const statuses = STATUSES[kind]
  const request = {
    page,
    ...(statuses.length > 0 ? { statuses } : {}),
    ...(network ? { networks: [network] } : {}),
  }
  return search ? client.explorerSearch(search, { ...request, include_expired: true }) : client.explorer(request)
}
