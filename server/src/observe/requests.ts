/**
 * Request durations by method, route and status, as a histogram. Counted by hand because it runs on every response: the
 * library's histogram costs as much as some handlers do.
 */
import type { Histogram, Registry } from 'prom-client'

const NAME = 'causeway_http_request_seconds'
const BUCKETS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3]

interface Series {
  labels: { method: string; route: string; status: number }
  /** Counts per bucket, not cumulative; the last entry is for all that took longer. */
  counts: number[]
  seconds: number
}

export interface RequestTimes {
  observe(method: string, route: string, status: number, seconds: number): void
}

export function createRequestTimes(registry: Registry): RequestTimes {
  const all = new Map<string, Series>()
  const values = () => [...all.values()].flatMap(samplesOf)
  const metric = { name: NAME, help: 'Requests by route and status', type: 'histogram', aggregator: 'sum' }
  // The registry needs only a name and a function that returns the samples.
  const printed = { ...metric, get: async () => ({ ...metric, values: values() }), reset: () => all.clear() }
  registry.registerMetric(printed as unknown as Histogram)
  return {
    observe(method, route, status, seconds) {
      const key = `${status} ${method} ${route}`
      let series = all.get(key)
      if (!series) {
        series = { labels: { method, route, status }, counts: [...BUCKETS, 0].map(() => 0), seconds: 0 }
        all.set(key, series)
      }
      let bucket = 0
      while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] ?? 0)) bucket++
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
      series.seconds += seconds
    },
  }
}

function samplesOf({ labels, counts, seconds }: Series) {
  let count = 0
  const buckets = counts.map((ofBucket, n) => {
    count += ofBucket
    return { metricName: `${NAME}_bucket`, labels: { le: BUCKETS[n] ?? '+Inf', ...labels }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, labels, value: seconds },
    { metricName: `${NAME}_count`, labels, value: count },
  ]
}
