/** Every swap, for operators: found by id, address, transaction or reference, filtered, with a cursor. */
import type { Status } from '@causeway/core'
import type { FastifyRequest } from 'fastify'
import { presentationContextOf } from '../api/present/presentation-context.ts'
import { presentSwapDetails } from '../api/present/swap.ts'
import { readShownHolds } from '../store/payouts/holds.ts'
import { countByStatus, listSwaps } from '../store/swaps/swap-list.ts'
import type { SwapView } from '../store/swaps/swap-read.ts'
import { filterOf, type ListRequest, searchFilter } from '../swaps/listing.ts'
import type { Console } from './console.ts'

export interface SwapSearch {
  /** The search text; empty for all swaps. */
  search: string
  /** Wanted statuses; empty for every status. */
  statuses: Status[]
  network: string
  /** The last swap of the page before; null for the first page. */
  cursor: string | null
  /** Only swaps created from this time on; null for all. */
  from: Date | null
  /** Only swaps that wait for an operator. */
  isWaiting: boolean
}

/** Why an operator sees the swap as on hold; null if no payout is. */
type SwapHold = 'approval' | 'other' | null

const DAY_MS = 86_400_000

/** The start of a period that ends now. */
export function startOf({ now }: Console, days: number | undefined): Date | null {
  return days === undefined ? null : new Date(now().getTime() - days * DAY_MS)
}

/** How many swaps of a network and a period have each status, and how many of them wait for an operator. */
export function countSwaps(house: Console, network: string, from: Date | null) {
  return countByStatus(house.reading, { network: network === '' ? null : network, from })
}

export async function findSwaps(house: Console, request: FastifyRequest, asked: SwapSearch) {
  const context = presentationContextOf(house, request)
  const views = await viewsOf(house, asked)
  const holds = await holdsOf(house, views)
  return views.map((view) => {
    const { swap, quote, refuel } = presentSwapDetails(context, view, true)
    return { swap, quote, refuel, hold: holds.get(swap.id) ?? null }
  })
}

/** A payout that is only tried again is not on hold. An approved one is not held for approval any more. */
async function holdsOf(house: Console, views: SwapView[]): Promise<Map<string, SwapHold>> {
  const payouts = views
    .flatMap((view) => view.payouts)
    .filter(({ state, held_by: by }) => state === 'open' && by !== null && by !== 'trouble')
  const open = await readShownHolds(house.reading, payouts)
  const holds = new Map<string, SwapHold>()
  for (const { id, swap_id: swapId } of payouts) {
    if (swapId === null) continue
    const shown = open.get(id)
    const isApproval = shown?.hold.code === 'approval_needed' && !shown.isAnswered
    if (isApproval || !holds.has(swapId)) holds.set(swapId, isApproval ? 'approval' : 'other')
  }
  return holds
}

async function viewsOf(
  house: Console,
  { search, statuses, network, cursor, from, isWaiting }: SwapSearch,
): Promise<SwapView[]> {
  const all: ListRequest = {
    ...{ addresses: [], referenceId: null, owner: null, statuses, includeExpired: statuses.length === 0 },
    ...{ networks: network === '' ? [] : [network], cursor, createdFrom: from, page: 1 },
  }
  const list = (filter: Parameters<typeof listSwaps>[2]) =>
    listSwaps(house.reading, house.catalogue, { ...filter, isWaiting })
  if (search === '') return list(filterOf(house, all))
  const found = await list({ ...(await searchFilter(house, search, all)), statuses: filterOf(house, all).statuses })
  // An app's reference may be any text, so it is tried only if nothing else matches the search.
  return found.length > 0 ? found : list(filterOf(house, { ...all, referenceId: search }))
}
