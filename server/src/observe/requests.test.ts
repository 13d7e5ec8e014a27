/** A histogram in Prometheus format: cumulative buckets, and a sum and a count per series. */
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createRequestTimes } from './requests.ts'

test('each bucket counts all faster requests, for every method, route and status', async () => {
  const registry = new Registry()
  const times = createRequestTimes(registry)
  for (const seconds of [0.0005, 0.001, 0.02, 7]) times.observe('GET', '/a', 200, seconds)
  times.observe('GET', '/a', 404, 0.2)
  const text = await registry.metrics()
  const value = (line: string) =>
    text
      .split('\n')
      .find((one) => one.startsWith(line))
      ?.split(' ')
      .at(-1)
  const series = 'method="GET",route="/a",status="200"'
  const buckets = ['0.001', '0.01', '0.03', '3', '+Inf'].map((le) =>
    value(`causeway_http_request_seconds_bucket{le="${le}",${series}}`),
  )
  expect(buckets).toEqual(['2', '2', '3', '3', '4'])
  expect(value(`causeway_http_request_seconds_count{${series}}`)).toBe('4')
  expect(Number(value(`causeway_http_request_seconds_sum{${series}}`))).toBeCloseTo(7.0215)
  expect(value('causeway_http_request_seconds_count{method="GET",route="/a",status="404"}')).toBe('1')
  expect(text).toContain('# TYPE causeway_http_request_seconds histogram')
})
