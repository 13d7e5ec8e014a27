/** What was swapped in a period, by network and over time. The sums are made by the database and kept for a minute. */
import { type AnalyticsPeriod, type Token, toUsd, type Usd } from '@causeway/core'
import type { Services } from '../services.ts'
import { type Flow, sumFlows } from '../store/analytics.ts'

export interface Volumes {
  swaps: number
  inUsd: Usd
  outUsd: Usd
}

export interface AnalyticsView {
  period: AnalyticsPeriod
  from: Date
  to: Date
  networks: { network: string; swapsIn: number; inUsd: Usd; swapsOut: number; outUsd: Usd }[]
  series: (Volumes & { at: Date })[]
  total: Volumes
}

const HOUR_MS = 3_600_000
/** How far back, and in which steps: some two dozen to ninety points each. */
const PERIODS: Record<AnalyticsPeriod, { backMs: number; stepMs: number }> = {
  '24h': { backMs: 24 * HOUR_MS, stepMs: HOUR_MS },
  '7d': { backMs: 7 * 24 * HOUR_MS, stepMs: 6 * HOUR_MS },
  '30d': { backMs: 30 * 24 * HOUR_MS, stepMs: 24 * HOUR_MS },
  '90d': { backMs: 90 * 24 * HOUR_MS, stepMs: 24 * HOUR_MS },
}
/** Sums over months are dear, and nobody looks at them for their last minute. */
const KEEP_MS = 60_000

export function createAnalytics(services: Services): (period: AnalyticsPeriod) => Promise<AnalyticsView> {
  const kept = new Map<AnalyticsPeriod, { view: Promise<AnalyticsView>; at: number }>()
  return (period) => {
    const now = services.now().getTime()
    const last = kept.get(period)
    if (last && now - last.at < KEEP_MS) return last.view
    const view = analyse(services, period, now)
    kept.set(period, { view, at: now })
    view.catch(() => kept.delete(period))
    return view
  }
}

async function analyse(services: Services, period: AnalyticsPeriod, now: number): Promise<AnalyticsView> {
  const { backMs, stepMs } = PERIODS[period]
  const from = new Date(Math.floor((now - backMs) / stepMs) * stepMs)
  const to = new Date(now)
  const flows = await sumFlows(services.reading, from, to, stepMs / 1000)
  const series = new Map<number, Volumes>()
  for (let at = from.getTime(); at <= now; at += stepMs) series.set(at, { swaps: 0, inUsd: 0n, outUsd: 0n })
  const networks = new Map<string, AnalyticsView['networks'][number]>()
  const total = { swaps: 0, inUsd: 0n, outUsd: 0n }
  for (const flow of flows) {
    const sums = worthOf(services, flow)
    if (!sums) continue
    for (const point of [series.get(flow.at.getTime()), total]) if (point) addTo(point, flow.swaps, sums)
    const source = networkOf(networks, flow.source_network)
    source.swapsIn += flow.swaps
    source.inUsd += sums.inUsd
    const destination = networkOf(networks, flow.destination_network)
    destination.swapsOut += flow.swaps
    destination.outUsd += sums.outUsd
  }
  return {
    period,
    from,
    to,
    total,
    networks: [...networks.values()],
    series: [...series].map(([at, volumes]) => ({ ...volumes, at: new Date(at) })),
  }
}

/** Null for tokens that the catalogue does not list any more. */
function worthOf({ catalogue }: Services, flow: Flow): { inUsd: Usd; outUsd: Usd } | null {
  const tokenOf = (network: string, key: string): Token | undefined =>
    catalogue.networks.some(({ name }) => name === network) ? catalogue.token(network, key) : undefined
  const source = tokenOf(flow.source_network, flow.source_token)
  const destination = tokenOf(flow.destination_network, flow.destination_token)
  if (!source || !destination) return null
  // The sums are units times price already.
  return { inUsd: toUsd(flow.in_value, source, 1n, 'down'), outUsd: toUsd(flow.out_value, destination, 1n, 'down') }
}

function addTo(point: Volumes, swaps: number, { inUsd, outUsd }: { inUsd: Usd; outUsd: Usd }): void {
  point.swaps += swaps
  point.inUsd += inUsd
  point.outUsd += outUsd
}

function networkOf(networks: Map<string, AnalyticsView['networks'][number]>, network: string) {
  const entry = networks.get(network) ?? { network, swapsIn: 0, inUsd: 0n, swapsOut: 0, outUsd: 0n }
  networks.set(network, entry)
  return entry
}
