/** Records once a minute whether each network can be read, for the public status page. Nodes are not asked for it. */
import type { NodeHealth } from '@causeway/core'
import type { Services } from '../../services.ts'
import type { NetworkState } from '../../store/db/schema-watching.ts'
import { readHeads } from '../../store/watch/cursors.ts'
import { forgetChecks, lastChecks, recordChecks, recordMissed, SHOWN_DAYS } from '../../store/watch/network-checks.ts'

export const CHECK_MS = 60_000
const DAY_MS = 24 * 3_600_000
/** Blocks arrive at random: Bitcoin may pause for an hour, and some networks make none without a transaction. */
const LATE_MS = 15 * 60_000
const LATE_BLOCKS = 12
/** A loaded machine checks late; after this long the service did not run. */
const MISSED_MS = 3 * CHECK_MS

export async function checkNetworks({ database, chains, now }: Services): Promise<void> {
  const at = now()
  const heads = await readHeads(database)
  const checks = [...chains].map(([network, chain]) => ({
    network,
    state: stateOf(chain.nodeHealth(), heads.get(network)?.at ?? null, chain.network.blockMs, at),
  }))
  const last = await lastChecks(database)
  const missed = checks.flatMap(({ network }) =>
    missedSince(last.get(network) ?? null, at).map((day) => ({ ...day, network })),
  )
  await database.transaction().execute(async (queries) => {
    await recordMissed(queries, missed)
    await recordChecks(queries, checks, at)
  })
  await forgetChecks(database, new Date(at.getTime() - SHOWN_DAYS * DAY_MS))
}

/** Checks that were due since the last one, per day in UTC. A check that is only late is not missed. */
export function missedSince(last: Date | null, at: Date): { day: string; missed: number; at: Date }[] {
  if (last === null || at.getTime() - last.getTime() < MISSED_MS) return []
  const shownFrom = Math.floor(at.getTime() / DAY_MS) * DAY_MS - (SHOWN_DAYS - 1) * DAY_MS
  const found: { day: string; missed: number; at: Date }[] = []
  let from = Math.max(last.getTime(), shownFrom)
  while (from + CHECK_MS < at.getTime()) {
    const midnight = (Math.floor(from / DAY_MS) + 1) * DAY_MS
    // The check that is made now is not one of them.
    const until = Math.min(midnight, at.getTime() - CHECK_MS)
    const missed = Math.floor((until - from) / CHECK_MS)
    if (missed > 0) found.push({ day: dayOf(from), missed, at: new Date(from + missed * CHECK_MS - 1) })
    from = midnight
  }
  return found
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

/** `headAt`: when the newest block was seen. A network without a known block time is never late. */
export function stateOf(
  nodes: readonly Pick<NodeHealth, 'trouble'>[],
  headAt: Date | null,
  blockMs: number | undefined,
  now: Date,
): NetworkState {
  if (headAt === null) return 'unknown'
  if (nodes.length > 0 && nodes.every(({ trouble }) => trouble !== null)) return 'down'
  const ageMs = now.getTime() - headAt.getTime()
  return blockMs !== undefined && ageMs > Math.max(LATE_MS, LATE_BLOCKS * blockMs) ? 'behind' : 'up'
}
