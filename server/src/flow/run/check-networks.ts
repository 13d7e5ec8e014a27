/** Records once a minute whether each network can be read, for the public status page. Nodes are not asked for it. */
import type { NodeHealth } from '@causeway/core'
import type { Services } from '../../services.ts'
import type { NetworkState } from '../../store/db/schema-watching.ts'
import { readHeads } from '../../store/watch/cursors.ts'
import { forgetChecks, recordChecks, SHOWN_DAYS } from '../../store/watch/network-checks.ts'

export const CHECK_MS = 60_000
const DAY_MS = 24 * 3_600_000
/** Blocks arrive at random: Bitcoin may pause for an hour, and some networks make none without a transaction. */
const LATE_MS = 15 * 60_000
const LATE_BLOCKS = 12

export async function checkNetworks({ database, chains, now }: Services): Promise<void> {
  const at = now()
  const heads = await readHeads(database)
  const checks = [...chains].map(([network, chain]) => ({
    network,
    state: stateOf(chain.nodeHealth(), heads.get(network)?.at ?? null, chain.network.blockMs, at),
  }))
  await recordChecks(database, checks, at)
  await forgetChecks(database, new Date(at.getTime() - SHOWN_DAYS * DAY_MS))
}

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
