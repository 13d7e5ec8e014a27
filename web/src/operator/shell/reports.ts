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

/** How many swaps there are per status. */
export const countSwaps = (asked: Record<string, string>) =>
  call<Record<string, number>>(`/swaps/counts?${new URLSearchParams(asked)}`)

export const loadSwaps = (asked: Record<string, string>) => call<ExplorerRow[]>(`/swaps?${new URLSearchParams(asked)}`)
