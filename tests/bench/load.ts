/** Runs in its own process: sends requests as fast as they are answered, and prints the measurements as JSON. */
import { readFileSync } from 'node:fs'
import autocannon from 'autocannon'

const { url, method, paths, body, connections, seconds, asManyClients } = JSON.parse(readFileSync(0, 'utf8'))
const requestTo = (path: string, client = 0) => ({
  method,
  path,
  ...(body && { body: JSON.stringify(body) }),
  headers: {
    ...(body && { 'content-type': 'application/json' }),
    // The lists of one client run one after the other: each connection is a client of its own.
    ...(asManyClients && { 'x-forwarded-for': `10.0.0.${client + 1}` }),
  },
})
/** Each connection has its own share of the paths, so that no two request the same at once. */
let connected = 0
const shareOf = (n: number): string[] => paths.filter((_: string, index: number) => index % connections === n)
const result = await autocannon({
  url,
  connections,
  duration: seconds,
  requests: [requestTo(paths[0])],
  setupClient(client) {
    const number = connected++ % connections
    const share = asManyClients ? paths : shareOf(number)
    if (share.length > 0) client.setRequests(share.map((path: string) => requestTo(path, number)))
  },
})
console.log(
  JSON.stringify({
    perSecond: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failed: result.non2xx + result.errors,
    bytes: result.throughput.total / Math.max(1, result.requests.total),
  }),
)
