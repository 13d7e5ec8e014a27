/** Reads for the console's charts and for its list of all swaps. */
import type { ExplorerRow } from '@causeway/sdk/light'
import { call } from './calls.ts'

/** A day in UTC. */
export interface ChartDay {
  day: string
  volume_usd: number
  fees_usd: number
  payouts: number
  /** The median duration; null if no swap was completed. */
  median_seconds: number | null
}

export const loadCharts = () => call<ChartDay[]>('/charts')

/** A swap of the console; `hold` says that a payout of it is on hold. */
export type ConsoleRow = ExplorerRow & { hold: 'approval' | 'other' | null }

/** How many swaps there are per status, and how many of them wait for an operator. */
export interface Counts {
  statuses: Record<string, number>
  waiting: number
}
export const countSwaps = (asked: Record<string, string>) => call<Counts>(`/swaps/counts?${new URLSearchParams(asked)}`)

export const loadSwaps = (asked: Record<string, string>) => call<ConsoleRow[]>(`/swaps?${new URLSearchParams(asked)}`)
