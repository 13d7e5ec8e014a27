/** Totals over all networks, from the API's volumes per network. A swap has one inflow and one outflow. */
import type { Analytics, RouteHealth } from '@causeway/sdk/light'

export interface Point {
  time: string
  usd: number
  swaps: number
}

export interface Sums {
  usd: number
  swaps: number
  /** Delivered amounts, oldest first. */
  series: Point[]
}

export function sumsOf({ networks }: Analytics): Sums {
  const points = new Map<string, Point>()
  for (const { bucket_start, outflow_amount_in_usd, outflow_transfer_count } of networks.flatMap(
    (one) => one.timeline,
  )) {
    const point = points.get(bucket_start) ?? { time: bucket_start, usd: 0, swaps: 0 }
    point.usd += outflow_amount_in_usd
    point.swaps += outflow_transfer_count
    points.set(bucket_start, point)
  }
  const total = (of: (totals: Analytics['networks'][number]['totals']) => number) =>
    networks.reduce((sum, { totals }) => sum + of(totals), 0)
  return {
    usd: total(({ inflow }) => inflow.amount_in_usd),
    swaps: total(({ inflow }) => inflow.transfer_count),
    series: [...points.values()].sort((a, b) => Date.parse(a.time) - Date.parse(b.time)),
  }
}

export interface Health {
  swaps: number
  completed: number
  /** The median over all routes, each weighted by its swaps; null if none completed. */
  median: number | null
  p95: number | null
}

export function healthOf(routes: readonly RouteHealth[]): Health {
  const sum = (of: (route: RouteHealth) => number) => routes.reduce((total, route) => total + of(route), 0)
  const timed = routes.filter(({ median_seconds }) => median_seconds !== null)
  const weight = timed.reduce((total, { completed }) => total + completed, 0)
  const weighted = timed.reduce((total, { median_seconds, completed }) => total + (median_seconds ?? 0) * completed, 0)
  const slow = timed.flatMap(({ p95_seconds }) => (p95_seconds === null ? [] : [p95_seconds]))
  return {
    swaps: sum(({ swaps }) => swaps),
    completed: sum(({ completed }) => completed),
    median: weight === 0 ? null : weighted / weight,
    p95: slow.length === 0 ? null : Math.max(...slow),
  }
}
