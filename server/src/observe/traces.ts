/**
 * OpenTelemetry traces, from the request that creates a swap to its webhooks: OTLP over HTTP in JSON, to
 * `OTEL_EXPORTER_OTLP_ENDPOINT`. Spans wait in a bounded queue and are sent in batches. If the collector is slow or gone, spans
 * are dropped and counted: nothing ever waits for it.
 *
 * A swap's id is its trace id, so every process continues the trace without asking. No address, amount or hash is sent.
 */
import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { buildVersion } from './build-info.ts'
import type { Metrics } from './metrics.ts'

interface Span {
  name: string
  from: Date
  to: Date
  attributes?: Record<string, string | number | null>
  /** Why it failed; absent if it worked. */
  problem?: string
}

export interface Traces {
  /** Adds a span to the trace of a swap; without a swap nothing is added. */
  add(swapId: string | null, span: Span): void
  /** The request that created a swap. `traceparent`: the caller's header, as it came. */
  created(swapId: string, request: Span & { traceparent: unknown }): void
  /** Sends what is left, within a short time. */
  stop(): Promise<void>
}

export interface TracesConfig {
  otelExporterOtlpEndpoint?: string | undefined
  otelExporterOtlpHeaders?: Record<string, string> | undefined
  otelServiceName: string
}

export const NO_TRACES: Traces = {
  add: () => undefined,
  created: () => undefined,
  stop: async () => undefined,
}

/** Spans that wait. Some hundred bytes each. */
const MOST_WAITING = 4_096
const BATCH = 512
const FLUSH_MS = 1_000
const TIMEOUT_MS = 10_000
/** How long a process that stops waits for the collector. */
const STOP_MS = 2_000
const INTERNAL = 1
const SERVER = 2
const ERROR = 2

interface Link {
  traceId: string
  spanId: string
}

interface Queued extends Span, Link {
  parent: string | null
  kind: number
  links: Link[]
}

export function openTraces(
  { otelExporterOtlpEndpoint, otelExporterOtlpHeaders = {}, otelServiceName }: TracesConfig,
  { metrics, log }: { metrics: Metrics; log: Logger },
): Traces {
  if (otelExporterOtlpEndpoint === undefined) return NO_TRACES
  const resource = attributesOf({ 'service.name': otelServiceName, 'service.version': buildVersion() })
  const url = `${otelExporterOtlpEndpoint.replace(/\/+$/, '')}/v1/traces`
  let waiting: Queued[] = []
  let timer: NodeJS.Timeout | null = null
  let sending: Promise<void> | null = null
  let isSilent = false

  function put(span: Queued): void {
    if (waiting.length >= MOST_WAITING) {
      metrics.spans.inc({ outcome: 'dropped' })
      return
    }
    waiting.push(span)
    timer ??= setTimeout(flush, FLUSH_MS).unref()
  }

  function flush(): void {
    timer = null
    // One batch at a time: a slow collector fills the queue and costs nothing else.
    sending ??= sendAll(AbortSignal.timeout(TIMEOUT_MS)).finally(() => {
      sending = null
      if (waiting.length > 0) timer ??= setTimeout(flush, FLUSH_MS).unref()
    })
  }

  async function sendAll(signal: AbortSignal): Promise<void> {
    while (waiting.length > 0 && !signal.aborted) {
      const batch = waiting.slice(0, BATCH)
      waiting = waiting.slice(BATCH)
      await send(batch, signal)
    }
  }

  async function send(batch: Queued[], signal: AbortSignal): Promise<void> {
    try {
      const headers = { ...otelExporterOtlpHeaders, 'content-type': 'application/json' }
      const body = JSON.stringify(requestOf(batch, resource))
      const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' })
      await answer.body?.cancel()
      if (!answer.ok) throw new Error(`answered ${answer.status}`)
      metrics.spans.inc({ outcome: 'sent' }, batch.length)
      if (isSilent) log.info('the trace collector answers again')
      isSilent = false
    } catch (error) {
      metrics.spans.inc({ outcome: 'failed' }, batch.length)
      if (!isSilent) log.warn({ err: error }, 'the trace collector does not take spans: they are dropped')
      isSilent = true
    }
  }

  return {
    add(swapId, span) {
      if (swapId !== null) put({ ...span, ...childOf(swapId), kind: INTERNAL, links: [] })
    },
    created(swapId, { traceparent, ...span }) {
      const root = rootOf(swapId)
      const caller = callerOf(traceparent)
      put({ ...span, ...root, parent: null, kind: SERVER, links: caller ? [caller] : [] })
      // A public caller chooses its trace id, and may choose one for many swaps. So the swap keeps its own trace, and the two are linked.
      if (caller) {
        const spanId = newSpanId()
        put({ ...span, traceId: caller.traceId, spanId, parent: caller.spanId, kind: SERVER, links: [root] })
      }
    },
    async stop() {
      if (timer) clearTimeout(timer)
      timer = null
      const signal = AbortSignal.timeout(STOP_MS)
      const patience = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      await Promise.race([sending, patience])
      await sendAll(signal)
    },
  }
}

/** The root span: its id follows from the swap's, so that spans of other processes name it as their parent. */
function rootOf(swapId: string): Link {
  const traceId = swapId.replaceAll('-', '').toLowerCase()
  return { traceId, spanId: traceId.slice(-16) }
}

function childOf(swapId: string): Link & { parent: string } {
  const { traceId, spanId: parent } = rootOf(swapId)
  return { traceId, spanId: newSpanId(), parent }
}

function newSpanId(): string {
  return randomBytes(8).toString('hex')
}

/** The caller's span by W3C Trace Context; null if the header is absent or not valid. */
function callerOf(header: unknown): Link | null {
  if (typeof header !== 'string') return null
  const [, version, traceId = '', spanId = ''] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/.exec(header) ?? []
  const isValid = version !== undefined && version !== 'ff' && /[^0]/.test(traceId) && /[^0]/.test(spanId)
  return isValid ? { traceId, spanId } : null
}

/** The body of an OTLP export request. */
function requestOf(batch: Queued[], attributes: ReturnType<typeof attributesOf>) {
  return {
    resourceSpans: [
      {
        resource: { attributes },
        scopeSpans: [{ scope: { name: 'causeway' }, spans: batch.map(spanOf) }],
      },
    ],
  }
}

function spanOf({ traceId, spanId, parent, name, kind, from, to, attributes = {}, links, problem }: Queued) {
  return {
    ...{ traceId, spanId, ...(parent === null ? {} : { parentSpanId: parent }), name, kind },
    // A clock that was set back between the two must not make a span that ends before it starts.
    startTimeUnixNano: nanosOf(from < to ? from : to),
    endTimeUnixNano: nanosOf(to),
    attributes: attributesOf(attributes),
    ...(links.length > 0 ? { links } : {}),
    ...(problem === undefined ? {} : { status: { code: ERROR, message: problem } }),
  }
}

function nanosOf(at: Date): string {
  return `${at.getTime()}000000`
}

function attributesOf(given: Record<string, string | number | null>) {
  return Object.entries(given).flatMap(([key, value]) => {
    if (value === null) return []
    return [{ key, value: typeof value === 'number' ? { intValue: `${value}` } : { stringValue: value } }]
  })
}
