/** GET /status: whether the service reads each network, now and on the last days. */
import { envelope, ServiceStatus } from '@causeway/sdk'
import type { Services } from '../../../services.ts'
import { readHeads } from '../../../store/watch/cursors.ts'
import { type CheckedDay, readChecks, SHOWN_DAYS } from '../../../store/watch/network-checks.ts'
import { createTtlCache } from '../../cache/ttl-cache.ts'
import type { Api } from '../../http/schema.ts'
import { presentNetwork } from '../../present/network.ts'
import { presentationContextOf } from '../../present/presentation-context.ts'

const KEEP_MS = 10_000
const DAY_MS = 24 * 3_600_000

export function statusRoutes(api: Api, services: Services): void {
  const { database, catalogue, safeguards, now } = services
  const kept = createTtlCache<[CheckedDay[], Awaited<ReturnType<typeof readHeads>>]>(KEEP_MS, 1)
  const read = () => {
    const since = new Date(now().getTime() - (SHOWN_DAYS - 1) * DAY_MS)
    return Promise.all([readChecks(database, since), readHeads(database)])
  }
  api.get('/status', { schema: { response: { 200: envelope(ServiceStatus) } } }, async (request) => {
    const [days, heads] = await kept.get('', read)
    const viewpoint = presentationContextOf(services, request)
    const stopped = safeguards
      .current()
      .switches.filter(({ stops_swaps }) => stops_swaps)
      .map(({ scope }) => scope)
    const networks = catalogue.networks.map((network) => {
      const { name, display_name, logo, notice } = presentNetwork(viewpoint, network)
      const own = days.filter((day) => day.network === name)
      return {
        network: name,
        display_name,
        logo,
        state: own.at(-1)?.state ?? ('unknown' as const),
        paused: stopped.includes('service') || stopped.includes(`network:${name}`),
        ...(notice !== undefined && { notice }),
        last_block_at: heads.get(name)?.at.toISOString() ?? null,
        uptime: own.length === 0 ? null : shareOf(own),
        days: own.map((day) => ({ day: day.day, uptime: shareOf([day]) })),
      }
    })
    const last = days.reduce<Date | null>((newest, { at }) => (newest && newest > at ? newest : at), null)
    return {
      data: {
        now: now().toISOString(),
        checked_at: last?.toISOString() ?? null,
        shown_days: SHOWN_DAYS,
        networks,
      },
    }
  })
}

/** Rounded down, so that a failed check is never shown as 100 %. */
function shareOf(days: readonly CheckedDay[]): number {
  const sum = (of: 'checks' | 'good') => days.reduce((total, day) => total + day[of], 0)
  return Math.floor((sum('good') / sum('checks')) * 1e5) / 1e5
}
