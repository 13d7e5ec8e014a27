/** One call to the service: unwraps the envelope, throws typed errors, and retries what is safe to retry. */
import type { ApiErrorCode } from '@causeway/core/vocabulary'
import { CausewayError, errorFor, NoAnswerError, type Refusal, RequestError } from './errors.ts'

export interface ClientOptions {
  /** The service's URL, for example `https://swap.example`. A path in it is kept. */
  baseUrl: string
  apiKey?: string
  /** Another `fetch`, for tests or for runtimes without one. */
  fetch?: typeof fetch
  /** Timeout of one attempt. */
  timeoutMs?: number
  /** How often a call that is safe to retry is retried. */
  retries?: number
  /** The longest wait that the service may ask for; a longer one fails at once. */
  maxWaitMs?: number
}

export type Query = Record<string, string | number | boolean | readonly (string | number)[] | null | undefined>

interface Call {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  query?: Query
  body?: unknown
  /** Makes a POST safe to retry. */
  idempotencyKey?: string
  signal?: AbortSignal | undefined
}

export interface Http {
  call<Data>(path: string, call?: Call): Promise<Data>
  /** Opens a response whose body is streamed. Not retried; only the signal ends it. */
  open(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response>
}

const TIMEOUT_MS = 30_000
const RETRIES = 3
const MAX_WAIT_MS = 30_000
const FIRST_PAUSE_MS = 300
/** HTTP statuses of temporary failures of the service or of a proxy. */
const PASSING = [429, 500, 502, 503, 504]

export function createHttp(options: ClientOptions): Http {
  const send = options.fetch ?? globalThis.fetch.bind(globalThis)
  const base = options.baseUrl.replace(/\/+$/, '')
  const retries = options.retries ?? RETRIES
  const maxWaitMs = options.maxWaitMs ?? MAX_WAIT_MS

  function request(path: string, init: RequestInit, query?: Query): Promise<Response> {
    const headers = new Headers(init.headers)
    if (options.apiKey) headers.set('x-ls-apikey', options.apiKey)
    return send(`${base}${path}${queryText(query)}`, { ...init, headers, redirect: 'manual' })
  }

  async function attempt<Data>(
    path: string,
    { method = 'GET', query, body, idempotencyKey, signal }: Call,
  ): Promise<Data> {
    const headers = new Headers()
    if (body !== undefined) headers.set('content-type', 'application/json')
    if (idempotencyKey) headers.set('idempotency-key', idempotencyKey)
    const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS)
    try {
      const response = await request(
        path,
        {
          method,
          headers,
          signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        },
        query,
      )
      const text = await response.text()
      if (!response.ok) throw errorFor(refusalOf(response, text))
      return dataOf<Data>(text)
    } catch (error) {
      if (error instanceof CausewayError) throw error
      signal?.throwIfAborted()
      throw new NoAnswerError(timeout.aborted ? 'no answer in time' : 'no connection', { cause: error })
    }
  }

  return {
    async call<Data>(path: string, call: Call = {}): Promise<Data> {
      const mayRepeat = (call.method ?? 'GET') !== 'POST' || call.idempotencyKey !== undefined
      for (let done = 0; ; done++) {
        try {
          return await attempt<Data>(path, call)
        } catch (error) {
          const waitMs = waitFor(error, done)
          if (!mayRepeat || done >= retries || waitMs === null || waitMs > maxWaitMs) throw error
          await sleep(waitMs, call.signal)
        }
      }
    },
    async open(path, headers, signal) {
      const response = await request(path, { headers, signal })
      if (!response.ok) throw errorFor(refusalOf(response, await response.text()))
      return response
    },
  }
}

/** How long to wait before a retry; null if a retry would not help. */
function waitFor(error: unknown, done: number): number | null {
  // Random jitter, so that clients that failed together do not retry together.
  const pause = FIRST_PAUSE_MS * 2 ** done * (0.5 + Math.random() / 2)
  if (error instanceof NoAnswerError) return pause
  if (!(error instanceof RequestError) || !PASSING.includes(error.status)) return null
  return error.retryAfterMs ?? pause
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const timer = setTimeout(finish, ms)
    signal?.addEventListener('abort', give, { once: true })
    function finish(): void {
      signal?.removeEventListener('abort', give)
      resolve()
    }
    function give(): void {
      clearTimeout(timer)
      reject(signal?.reason)
    }
  })
}

function queryText(query: Query = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue
    for (const item of Array.isArray(value) ? value : [value]) parameters.append(name, String(item))
  }
  const text = parameters.toString()
  return text && `?${text}`
}

function refusalOf(response: Response, text: string): Refusal {
  const { error } = (parse(text) ?? {}) as { error?: Partial<Refusal> }
  return {
    status: response.status,
    code: error?.code ?? ('UNEXPECTED_ERROR' satisfies ApiErrorCode),
    message: error?.message ?? `answered ${response.status}`,
    metadata: error?.metadata ?? {},
    correlationId: response.headers.get('x-ls-correlation-id'),
    retryAfterMs: retryAfter(response.headers.get('retry-after')),
  }
}

/** Parses `Retry-After`: seconds, or a date. */
function retryAfter(text: string | null): number | null {
  if (!text) return null
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

/** The data of a response; an empty body is valid (`/health`). */
function dataOf<Data>(text: string): Data {
  if (text === '') return undefined as Data
  const parsed = parse(text)
  if (typeof parsed !== 'object' || parsed === null) throw new CausewayError('the answer is no JSON')
  return ('data' in parsed ? parsed.data : parsed) as Data
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
