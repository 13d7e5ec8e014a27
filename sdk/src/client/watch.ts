/** Follows a swap by its event stream, and by polling if the stream does not work. */
import { TERMINAL_STATUSES } from '@causeway/core/vocabulary'
import type { SwapDetails, SwapStatus } from '../types.ts'
import { CausewayError } from './errors.ts'
import { readEvents } from './events.ts'
import { type Http, sleep } from './http.ts'

export interface WatchOptions {
  signal?: AbortSignal
  /** The poll interval when the stream does not work. */
  pollMs?: number
}

export interface WaitOptions extends WatchOptions {
  /** Statuses to wait for; any terminal status ends the wait too. */
  until?: readonly SwapStatus[]
  timeoutMs?: number
}

const POLL_MS = 2_000
/** Three heartbeats: a stream that is silent for longer is dead. */
const SILENCE_MS = 45_000
/** After this many streams without an event, the client polls. */
const MAX_EMPTY_STREAMS = 3

export function isTerminal(status: SwapStatus): boolean {
  return TERMINAL_STATUSES.includes(status)
}

/** The swap now, and again on every change; ends after a terminal status. */
export async function* watchSwap(http: Http, swapId: string, options: WatchOptions = {}): AsyncGenerator<SwapDetails> {
  const { signal, pollMs = POLL_MS } = options
  const path = `/api/v2/swaps/${encodeURIComponent(swapId)}`
  let seen = ''
  let emptyStreams = 0
  for (;;) {
    if (emptyStreams < MAX_EMPTY_STREAMS) {
      emptyStreams += 1
      for await (const details of streamed(http, `${path}/events`, signal)) {
        emptyStreams = 0
        if (isNews(details)) yield details
        if (isTerminal(details.swap.status)) return
      }
      signal?.throwIfAborted()
    }
    const details = await http.call<SwapDetails>(path, { query: { exclude_deposit_actions: true }, signal })
    if (isNews(details)) yield details
    if (isTerminal(details.swap.status)) return
    await sleep(pollMs, signal)
  }

  function isNews({ swap }: SwapDetails): boolean {
    const before = seen
    const transactions = swap.transactions.map((tx) => [tx.type, tx.status, tx.transaction_hash, tx.confirmations])
    seen = JSON.stringify([swap.status, swap.fail_reason, transactions])
    return seen !== before
  }
}

/** Waits for a terminal status, or one of `until`. */
export async function waitForSwap(http: Http, swapId: string, options: WaitOptions = {}): Promise<SwapDetails> {
  const { until = [], timeoutMs, ...rest } = options
  const timeout = timeoutMs === undefined ? null : AbortSignal.timeout(timeoutMs)
  const signals = [rest.signal, timeout].filter((signal) => signal != null)
  const watching = signals.length > 0 ? { ...rest, signal: AbortSignal.any(signals) } : rest
  try {
    for await (const details of watchSwap(http, swapId, watching)) {
      const { status } = details.swap
      if (until.includes(status) || isTerminal(status)) return details
    }
  } catch (error) {
    if (timeout?.aborted) throw new CausewayError(`the swap ${swapId} did not come that far in ${timeoutMs} ms`)
    throw error
  }
  throw new CausewayError(`no further updates of swap ${swapId}`)
}

/**
 * Yields states from the event stream. Ends without an error if the stream is unavailable or drops: the caller polls
 * instead.
 */
async function* streamed(http: Http, path: string, signal: AbortSignal | undefined): AsyncGenerator<SwapDetails> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), SILENCE_MS)
  const onBytes = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENCE_MS)
  }
  const both = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal
  try {
    const response = await http.open(path, { accept: 'text/event-stream' }, both)
    if (!response.body) return
    for await (const { event, data } of readEvents(response.body, onBytes)) {
      if (event === 'swap') yield (JSON.parse(data) as { data: SwapDetails }).data
    }
  } catch {
    // Polling will show whether only the stream fails, or everything.
  } finally {
    clearTimeout(timer)
    silence.abort()
  }
}
