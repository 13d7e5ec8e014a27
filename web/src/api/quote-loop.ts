/**
 * Keeps the quote fresh: requested shortly after typing stops, then every few seconds while the page is visible. The
 * old quote stays until the new one arrives.
 */
import { type Limits, type Quoted, RequestError } from '@causeway/sdk/light'
import { effect, type ReadonlySignal, type Signal } from '@preact/signals'
import { client } from './client.ts'

export interface QuoteWanted {
  source_network: string
  source_token: string
  destination_network: string
  destination_token: string
  amount: string
  refuel: boolean
  slippage?: string
  use_deposit_address: boolean
  use_depository: boolean
  use_gasless: boolean
}

export interface QuoteState {
  /** The request that the quote answers; null if there is none. */
  wanted: QuoteWanted | null
  quoted: Quoted | null
  limits: Limits | null
  /** When the quote was received, by this machine's clock. */
  at: number
  /** The request that `quoted` was the answer to. */
  pricedFor: string | null
  isAsking: boolean
  error: unknown
}

const NO_PRICE = { quoted: null, at: 0, pricedFor: null }
export const NO_QUOTE: QuoteState = { wanted: null, ...NO_PRICE, limits: null, isAsking: false, error: null }

const TYPING_MS = 250
const FRESH_MS = 15_000
const FAILED_MS = 10_000

export function keepQuoted(wanted: ReadonlySignal<QuoteWanted | null>, out: Signal<QuoteState>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let current = new AbortController()
  const ask = async (want: QuoteWanted) => {
    current.abort()
    current = new AbortController()
    const { signal } = current
    try {
      const [quoted, limits] = await Promise.allSettled([
        client.quote(want, { signal }),
        client.limits(want, { signal }),
      ])
      if (signal.aborted) return
      const error = quoted.status === 'rejected' ? quoted.reason : null
      const { quoted: last, at, pricedFor } = out.peek()
      // A price of another request is not shown for this one.
      const before = pricedFor === JSON.stringify(want) ? { quoted: last, at, pricedFor } : NO_PRICE
      out.value = {
        wanted: want,
        ...(isPassing(error)
          ? before
          : quoted.status === 'fulfilled'
            ? { quoted: quoted.value, at: Date.now(), pricedFor: JSON.stringify(want) }
            : NO_PRICE),
        limits: limits.status === 'fulfilled' ? limits.value : null,
        isAsking: false,
        error,
      }
      later(want, error ? FAILED_MS : FRESH_MS)
    } catch {
      later(want, FAILED_MS)
    }
  }
  const later = (want: QuoteWanted, ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (document.visibilityState === 'visible' && navigator.onLine) void ask(want)
      else later(want, ms)
    }, ms)
  }
  const stopEffect = effect(() => {
    const want = wanted.value
    clearTimeout(timer)
    current.abort()
    if (want === null) {
      if (out.peek() !== NO_QUOTE) out.value = NO_QUOTE
      return
    }
    const before = out.peek()
    const isSameRoute = before.wanted !== null && routeOf(before.wanted) === routeOf(want)
    out.value = { ...(isSameRoute ? before : NO_QUOTE), isAsking: true, error: null }
    later(want, TYPING_MS)
  })
  return () => {
    stopEffect()
    clearTimeout(timer)
    current.abort()
  }
}

/** Whether the error is temporary and says nothing about the price: the old quote stays, with its age. */
function isPassing(error: unknown): boolean {
  if (error instanceof RequestError) return error.status === 429 || error.status >= 500
  return error !== null
}

function routeOf({ source_network: a, source_token: b, destination_network: c, destination_token: d }: QuoteWanted) {
  return [a, b, c, d].join(' ')
}
