/** Volume, fees, payouts and latency of the last days, for the console's charts. */

import { amountsOf } from '../market/amounts.ts'
import { dailyFees, dailyLatency, dailyPayouts, sumFlows } from '../store/swaps/analytics.ts'
import type { Console } from './console.ts'

const DAY_MS = 24 * 3_600_000
const SHOWN_DAYS = 14

export interface ChartDay {
  /** In UTC. */
  day: string
  volume_usd: number
  /** Fees at today's prices; tokens without a price are left out. */
  fees_usd: number
  payouts: number
  /** The median duration; null if no swap was completed. */
  median_seconds: number | null
}

export async function charts(house: Console): Promise<ChartDay[]> {
  const { reading, now, catalogue } = house
  const today = now().toISOString().slice(0, 10)
  const since = new Date(Date.parse(today) - (SHOWN_DAYS - 1) * DAY_MS)
  const [flows, fees, payouts, latency] = await Promise.all([
    sumFlows(reading, since, new Date(now().getTime() + 1), DAY_MS / 1000),
    dailyFees(reading, since),
    dailyPayouts(reading, since),
    dailyLatency(reading, since),
  ])
  const { worth } = amountsOf(house)
  const decimalsOf = (network: string, token: string): number => catalogue.token(network, token).decimals
  return Array.from({ length: SHOWN_DAYS }, (_, at) => {
    const day = new Date(since.getTime() + at * DAY_MS).toISOString().slice(0, 10)
    const volume = flows
      .filter((flow) => flow.at.toISOString().slice(0, 10) === day)
      // The sums are units times price, and a price has 18 decimals.
      .map((flow) => Number(flow.in_value) / 10 ** (decimalsOf(flow.source_network, flow.source_token) + 18))
    const earned = fees.filter((fee) => fee.day === day).map((fee) => worth(fee.network, fee.token, fee.units) ?? 0)
    return {
      day,
      volume_usd: sum(volume),
      fees_usd: sum(earned),
      payouts: payouts.find((row) => row.day === day)?.count ?? 0,
      median_seconds: latency.find((row) => row.day === day)?.median ?? null,
    }
  })
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
