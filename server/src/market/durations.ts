/** How long swaps take, by what the newest ones took. Read in the background, shown with every quote. */
import { confirmationsFor, type Network } from '@causeway/core'
import type { Database } from '../store/db/database.ts'
import { completionTimes } from '../store/swaps/swap-read.ts'

export interface Durations {
  between(source: Network, destination: Network): number
  refresh(): Promise<void>
}

/** Enough for a steady median on busy routes, few enough to be read in a moment. */
const SAMPLE = 1_000
/** A median hardly moves within a minute. */
const REFRESH_AFTER_MS = 60_000
/** Deciding, signing and sending, where no swap was measured yet. */
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

/** A head is asked for about once a block, so that is a block's time roughly. */
function settlingMs(network: Network): number {
  return confirmationsFor(network, 0) * network.pollMs
}

function keyOf(source: string, destination: string): string {
  return `${source} ${destination}`
}
