/** Runs in a process of its own: sends requests as fast as they are answered, and prints what it measured as JSON. */
import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'

const { url, method, paths, body, connections, seconds } = JSON.parse(readFileSync(0, 'utf8'))
const result = await autocannon({
  url,
  connections,
  duration: seconds,
  requests: paths.map((path: string) => ({
    method,
    path,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })),
})
console.log(
  JSON.stringify({
    perSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failed: result.non2xx + result.errors,
    bytes: result.throughput.total / Math.max(1, result.requests.total),
  }),
)
