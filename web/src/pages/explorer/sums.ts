/** Totals over all networks, from the API's volumes per network. A swap has one inflow and one outflow. */
import type { Analytics } from '@causeway/sdk/light'

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
