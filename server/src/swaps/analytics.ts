/**
 * Volumes per network: inflow and outflow over time, by token and by the network on the other side. The database
 * computes the sums, and they are cached for a minute. Longer periods are summed from days, which `days` caches.
 */
import { type AnalyticsPeriod, type Token, toUsd, type Usd } from '@causeway/core'
import type { Services } from '../services.ts'
import { type Flow, sumFlows } from '../store/swaps/analytics.ts'
import { createDays, DAY_MS, type Days } from './days.ts'

export interface Volume {
  transfers: number
  usd: Usd
}

export interface Both<Kind extends Volume = Volume> {
  inflow: Kind
  outflow: Kind
}

export interface TokenVolume extends Volume {
  units: bigint
}

export interface NetworkVolumes {
  network: string
  totals: Both
  /** Volumes by the start of each time step. */
  timeline: ReadonlyMap<number, Both>
  assets: ReadonlyMap<Token, Both<TokenVolume>>
  /** Networks from which this network's outflow came, and to which its inflow went. */
  sources: ReadonlyMap<string, Volume>
  destinations: ReadonlyMap<string, Volume>
}

export interface AnalyticsView {
  madeAt: Date
  from: Date
  to: Date
  step: 'hour' | 'day' | 'week'
  networks: NetworkVolumes[]
}

const HOUR_MS = 3_600_000
/** How far back, and in which steps: seven to thirty points each. */
const PERIODS: Record<AnalyticsPeriod, { backMs: number; step: AnalyticsView['step'] }> = {
  '24h': { backMs: DAY_MS, step: 'hour' },
  '7d': { backMs: 7 * DAY_MS, step: 'day' },
  '30d': { backMs: 30 * DAY_MS, step: 'day' },
  '90d': { backMs: 90 * DAY_MS, step: 'week' },
}
const STEP_MS = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS }
/** Sums over months are expensive, and their last minute does not matter. */
const KEEP_MS = 60_000

export function createAnalytics(services: Services): (period: AnalyticsPeriod) => Promise<AnalyticsView> {
  const kept = new Map<AnalyticsPeriod, { view: Promise<AnalyticsView>; at: number }>()
  const days = createDays(services.reading)
  return (period) => {
    const now = services.now().getTime()
    const last = kept.get(period)
    if (last && now - last.at < KEEP_MS) return last.view
    const view = analyse(services, days, period, now)
    kept.set(period, { view, at: now })
    view.catch(() => kept.delete(period))
    return view
  }
}

async function analyse(services: Services, days: Days, period: AnalyticsPeriod, now: number): Promise<AnalyticsView> {
  const { backMs, step } = PERIODS[period]
  const stepMs = STEP_MS[step]
  const from = new Date(Math.floor((now - backMs) / stepMs) * stepMs)
  const to = new Date(now)
  // The end is exclusive: add 1 ms to include swaps completed right now.
  const flows =
    step === 'hour'
      ? await sumFlows(services.reading, from, new Date(now + 1), stepMs / 1000)
      : await days.flows(from.getTime(), now)
  const networks = new Map<string, ReturnType<typeof emptyVolumes>>()
  const volumesOf = (name: string) => entryOf(networks, name, () => emptyVolumes(name, from.getTime(), now, stepMs))
  for (const flow of flows) {
    const tokens = tokensOf(services, flow)
    if (!tokens) continue
    // The sums are already units times price.
    const [inUsd, outUsd] = [
      toUsd(flow.in_value, tokens.source, 1n, 'down'),
      toUsd(flow.out_value, tokens.destination, 1n, 'down'),
    ]
    const [source, destination] = [volumesOf(flow.source_network), volumesOf(flow.destination_network)]
    const at = flow.at.getTime() - ((flow.at.getTime() - from.getTime()) % stepMs)
    for (const { inflow } of [source.totals, entryOf(source.timeline, at, emptyBoth)]) add(inflow, flow.swaps, inUsd)
    for (const { outflow } of [destination.totals, entryOf(destination.timeline, at, emptyBoth)])
      add(outflow, flow.swaps, outUsd)
    const [given, got] = [
      entryOf(source.assets, tokens.source, emptyTokens).inflow,
      entryOf(destination.assets, tokens.destination, emptyTokens).outflow,
    ]
    add(given, flow.swaps, inUsd)
    given.units += flow.in_units
    add(got, flow.swaps, outUsd)
    got.units += flow.out_units
    add(entryOf(source.destinations, flow.destination_network, emptyVolume), flow.swaps, inUsd)
    add(entryOf(destination.sources, flow.source_network, emptyVolume), flow.swaps, outUsd)
  }
  return { madeAt: to, from, to, step, networks: [...networks.values()] }
}

/** The two tokens of a flow; null if the catalogue no longer lists one. */
function tokensOf({ catalogue }: Services, flow: Flow): { source: Token; destination: Token } | null {
  const tokenOf = (network: string, key: string): Token | undefined =>
    catalogue.networks.some(({ name }) => name === network) ? catalogue.token(network, key) : undefined
  const source = tokenOf(flow.source_network, flow.source_token)
  const destination = tokenOf(flow.destination_network, flow.destination_token)
  return source && destination ? { source, destination } : null
}

function emptyVolumes(network: string, from: number, now: number, stepMs: number) {
  const timeline = new Map<number, Both>()
  for (let at = from; at <= now; at += stepMs) timeline.set(at, emptyBoth())
  return {
    network,
    totals: emptyBoth(),
    timeline,
    assets: new Map<Token, Both<TokenVolume>>(),
    sources: new Map<string, Volume>(),
    destinations: new Map<string, Volume>(),
  }
}

const emptyVolume = (): Volume => ({ transfers: 0, usd: 0n })
const emptyBoth = (): Both => ({ inflow: emptyVolume(), outflow: emptyVolume() })
const emptyTokens = (): Both<TokenVolume> => ({
  inflow: { ...emptyVolume(), units: 0n },
  outflow: { ...emptyVolume(), units: 0n },
})

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}

function add(volume: Volume, transfers: number, usd: Usd): void {
  volume.transfers += transfers
  volume.usd += usd
}
