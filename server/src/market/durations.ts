/** How long swaps take, measured on the latest ones. Refreshed in the background, shown with every quote. */
import { confirmationsFor, type Network } from '@causeway/core'
import type { Database } from '../store/db/database.ts'
import { completionTimes } from '../store/swaps/swap-read.ts'

export interface Durations {
  between(source: Network, destination: Network): number
  refresh(): Promise<void>
}

/** Number of swaps per route: enough for a steady median on busy routes, few enough to read quickly. */
const SAMPLE = 1_000
/** The refresh interval: a median hardly moves within a minute. */
const REFRESH_AFTER_MS = 60_000
/** Estimate for deciding, signing and sending before any swap was measured. */
const OWN_WORK_MS = 5_000

export function createDurations(database: Database, now: () => Date): Durations {
  let measured = new Map<string, number>()
  let refreshedAt = 0
  return {
    between: (source, destination) =>
      measured.get(keyOf(source.name, destination.name)) ?? settlingMs(source) + settlingMs(destination) + OWN_WORK_MS,
    async refresh() {
      if (now().getTime() - refreshedAt < REFRESH_AFTER_MS) return
      const times = await completionTimes(database, SAMPLE)
      measured = new Map(times.map(({ source, destination, seconds }) => [keyOf(source, destination), seconds * 1000]))
      refreshedAt = now().getTime()
    },
  }
}

/** The head is polled about once per block, so `pollMs` approximates the block time. */
function settlingMs(network: Network): number {
  return confirmationsFor(network, 0) * network.pollMs
}

function keyOf(source: string, destination: string): string {
  return `${source} ${destination}`
}
