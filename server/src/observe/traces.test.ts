/** Traces over OTLP: the shape that collectors take, one trace per swap, and no collector that delays the service. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CreatedSwap } from '@causeway/sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { startDatabase } from '../../../tests/support/database/database.ts'
import { eventually } from '../../../tests/support/runner/eventually.ts'
import { keyOf } from '../../../tests/support/service/accounts.ts'
import { post } from '../../../tests/support/service/api.ts'
import { type Hand, startHand } from '../../../tests/support/service/manual-driver.ts'
import { sendWebhooks, startReceiver } from '../../../tests/support/service/receiver.ts'
import { createApi } from '../api/server.ts'
import { parseConfig } from '../config.ts'
import { readSwapView } from '../store/swaps/swap-read.ts'
import { createLog } from './log.ts'
import { createMetrics } from './metrics.ts'
import { openTraces, type TracesConfig } from './traces.ts'

const hex = (digits: number) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${digits}}$`))
    .refine((id) => /[^0]/.test(id))
const Nanos = z.string().regex(/^[0-9]{19}$/)
const Attributes = z.array(
  z.strictObject({
    key: z.string().min(1),
    value: z.union([
      z.strictObject({ stringValue: z.string() }),
      z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
    ]),
  }),
)
const Link = z.strictObject({ traceId: hex(32), spanId: hex(16) })
const Span = z
  .strictObject({
    ...{ traceId: hex(32), spanId: hex(16), parentSpanId: hex(16).optional(), name: z.string().min(1) },
    ...{ kind: z.union([z.literal(1), z.literal(2)]), startTimeUnixNano: Nanos, endTimeUnixNano: Nanos },
    ...{ attributes: Attributes, links: z.array(Link).optional() },
    status: z.strictObject({ code: z.literal(2), message: z.string() }).optional(),
  })
  .refine((span) => BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano))
/** ExportTraceServiceRequest of OTLP 1.x in its JSON form. */
const Export = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: Attributes }),
      scopeSpans: z.array(z.strictObject({ scope: z.strictObject({ name: z.string() }), spans: z.array(Span).min(1) })),
    }),
  ),
})
type Spans = z.output<typeof Span>[]

interface Collector {
  url: string
  requests: IncomingMessage[]
  bodies: string[]
  /** All valid spans. */
  spans: Spans
  problems: unknown[]
  answer(response: ServerResponse): void
  stop(): Promise<void>
}

async function startCollector(): Promise<Collector> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    collector.requests.push(request)
    collector.bodies.push(body)
    const parsed = Export.safeParse(JSON.parse(body))
    if (!parsed.success) collector.problems.push(parsed.error)
    else
      collector.spans.push(
        ...parsed.data.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      )
    collector.answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const collector: Collector = {
    ...{ requests: [], bodies: [], spans: [], problems: [] },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (response) => response.end('{}'),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return collector
}

const SWAP = '0f8fad5b-d9cb-469f-a165-70867728950e'
const TRACE = '0f8fad5bd9cb469fa16570867728950e'
const AT = new Date('2026-01-01T00:00:00Z')
const span = { name: 'x', from: AT, to: AT }

let collector: Collector
const stops: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  collector = await startCollector()
  stops.push(collector.stop)
})
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

function open(config: Partial<TracesConfig> = {}) {
  const metrics = createMetrics()
  const log = createLog('silent')
  const traces = openTraces(
    { otelExporterOtlpEndpoint: collector.url, otelServiceName: 'causeway', ...config },
    { metrics, log },
  )
  const outcomes = async () =>
    Object.fromEntries((await metrics.spans.get()).values.map(({ labels, value }) => [labels.outcome, value]))
  return { traces, outcomes }
}

test('spans have the id of their swap, and the headers and the name of the settings', async () => {
  const config = parseConfig({
    ...{ DATABASE_URL: 'postgres://localhost/x', SIGNER: 'mnemonic', MNEMONIC: 'x' },
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, OTEL_SERVICE_NAME: 'blue' },
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret,x-team=swaps',
  })
  const { traces, outcomes } = open(config)
  traces.created(SWAP, { ...span, traceparent: undefined })
  traces.add(SWAP, {
    ...span,
    name: 'y',
    from: new Date(AT.getTime() + 5),
    attributes: { a: 'b', n: 3, no: null },
    problem: 'Lost',
  })
  traces.add(null, span)
  await traces.stop()
  const [request] = collector.requests
  expect(request).toMatchObject({ method: 'POST', url: '/v1/traces' })
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    authorization: 'Bearer secret',
    'x-team': 'swaps',
  })
  expect(collector.bodies[0]).toContain('{"key":"service.name","value":{"stringValue":"blue"}}')
  expect(collector.problems).toEqual([])
  const [root, child, ...more] = collector.spans
  expect(more).toEqual([])
  expect(root).toMatchObject({ traceId: TRACE, kind: 2, startTimeUnixNano: '1767225600000000000' })
  expect(root).not.toHaveProperty('parentSpanId')
  expect(child).toMatchObject({
    traceId: TRACE,
    parentSpanId: root?.spanId,
    kind: 1,
    status: { code: 2, message: 'Lost' },
  })
  expect(child?.attributes).toEqual([
    { key: 'a', value: { stringValue: 'b' } },
    { key: 'n', value: { intValue: '3' } },
  ])
  expect(await outcomes()).toEqual({ sent: 2 })
})

test('a caller’s traceparent gets a span of its own, linked in both directions; a bad one is ignored', async () => {
  const { traces } = open()
  const [caller, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  traces.created(SWAP, { ...span, traceparent: `00-${caller}-${parent}-01` })
  for (const traceparent of [
    '',
    'x',
    `ff-${caller}-${parent}-01`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    ['a', 'b'],
    null,
  ])
    traces.created(SWAP, { ...span, name: 'alone', traceparent })
  await traces.stop()
  const [root, theirs] = collector.spans.filter(({ name }) => name === 'x')
  expect(root).toMatchObject({ traceId: TRACE, links: [{ traceId: caller, spanId: parent }] })
  expect(theirs).toMatchObject({
    traceId: caller,
    parentSpanId: parent,
    links: [{ traceId: TRACE, spanId: root?.spanId }],
  })
  const alone = collector.spans.filter(({ name }) => name === 'alone')
  expect(alone.map(({ traceId, links }) => [traceId, links])).toEqual(Array(6).fill([TRACE, undefined]))
})

test('a collector that hangs or is gone delays nothing: spans are dropped and counted', async () => {
  const { traces, outcomes } = open()
  collector.answer = () => undefined
  traces.add(SWAP, span)
  await eventually(async () => collector.requests.length === 1, 'the first batch')
  const began = process.hrtime.bigint()
  for (let made = 0; made < 100_000; made++) traces.add(SWAP, span)
  expect(Number(process.hrtime.bigint() - began) / 100_000, 'nanoseconds per span').toBeLessThan(1_000_000)
  expect(await outcomes()).toEqual({ dropped: 100_000 - 4_096 })
  await collector.stop()
  await traces.stop()
  const { failed = 0 } = await outcomes()
  expect(failed).toBeGreaterThan(512)
})

test('without an endpoint nothing is made, and a bad setting is named without its value', () => {
  const { traces } = open({ otelExporterOtlpEndpoint: undefined })
  traces.add(SWAP, span)
  const bare = { DATABASE_URL: 'postgres://localhost/x', SIGNER: 'mnemonic', MNEMONIC: 'x' }
  for (const OTEL_EXPORTER_OTLP_HEADERS of ['a secret', 'a=%zz', 'a b=c', 'a=secret%0A'])
    expect(() => parseConfig({ ...bare, OTEL_EXPORTER_OTLP_HEADERS })).toThrow(
      /OTEL_EXPORTER_OTLP_HEADERS: must be name=value, with commas between pairs$/m,
    )
  expect(() => parseConfig({ ...bare, OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://x' })).toThrow('OTEL_EXPORTER_OTLP_ENDPOINT')
  // Each request would fail, and the logged error would show the password.
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://causeway:secret@127.0.0.1:4318'
  expect(() => parseConfig({ ...bare, OTEL_EXPORTER_OTLP_ENDPOINT })).toThrow(
    /OTEL_EXPORTER_OTLP_ENDPOINT: must hold no name and no password: use OTEL_EXPORTER_OTLP_HEADERS$/m,
  )
})

/** A hand-driven service with traces, and an API over it. */
async function startTraced(): Promise<{ hand: Hand; api: Awaited<ReturnType<typeof createApi>> }> {
  const database = await startDatabase()
  stops.push(database.stop)
  const hand = await startHand(database.url, { ALLOW_PRIVATE_WEBHOOKS: 'true' })
  stops.push(hand.stop)
  const { metrics, log } = hand.services
  hand.services.traces = openTraces(
    { otelExporterOtlpEndpoint: collector.url, otelServiceName: 'causeway' },
    { metrics, log },
  )
  const api = await createApi(hand.services)
  stops.push(() => api.close())
  return { hand, api }
}

test('one trace follows a swap from the request to the webhook, without addresses, amounts and hashes', async () => {
  const { hand, api } = await startTraced()
  const { services } = hand
  const receiver = await startReceiver()
  stops.push(receiver.stop)
  const headers = { 'x-ls-apikey': await keyOf(services, 'app') }
  const webhook = await api.inject({ ...post('/api/v2/webhooks', { url: receiver.url }), headers })
  const { id: endpointId } = webhook.json().data
  await services.refresh()
  const to = (await services.chains.get('BETA')?.depositAddresses?.derive(900_001)) ?? ''
  const route = {
    source_network: 'ALPHA',
    source_token: 'USDC',
    destination_network: 'BETA',
    destination_token: 'USDC',
  }
  const answer = await api.inject({
    ...post('/api/v2/swaps', { ...route, destination_address: to, amount: 50 }),
    headers: {
      ...headers,
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    },
  })
  const { swap } = CreatedSwap.parse(answer.json().data)
  const view = await readSwapView(services.database, services.catalogue, swap.id)
  if (!view) throw new Error('the swap is gone')
  const hash = hand.deposit({ view, actions: [] })
  hand.chain('ALPHA').mine(10)
  await hand.watch('ALPHA')
  for (let round = 0; round < 3; round++) {
    await hand.runJobs()
    hand.chain('BETA').mine(10)
    await hand.watch('BETA')
  }
  await sendWebhooks(services, endpointId)
  await services.traces.stop()
  expect(collector.problems).toEqual([])
  const own = collector.spans.filter(({ traceId }) => traceId === swap.id.replaceAll('-', ''))
  expect(new Set(own.map(({ name }) => name))).toEqual(
    new Set([
      ...['swap created', 'deposit seen', 'deposit credited', 'payout planned', 'payout signed', 'payout sent'],
      ...['payout confirmed', 'webhook delivered'],
    ]),
  )
  const root = own.find(({ name }) => name === 'swap created')
  expect(own.filter((one) => one !== root && one.parentSpanId !== root?.spanId)).toEqual([])
  expect(own.filter(({ status }) => status !== undefined)).toEqual([])
  const sent = await services.database.selectFrom('payout').select(['tx_hash', 'units']).executeTakeFirstOrThrow()
  for (const secret of [to, hash, sent.tx_hash ?? '', `${sent.units}`, receiver.url, headers['x-ls-apikey']])
    expect(collector.bodies.join(), secret).not.toContain(secret)
})
