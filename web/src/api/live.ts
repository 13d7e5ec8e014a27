/**
 * Follows a swap: by the event stream, by polling if there is none, and at once when the page returns from the wallet,
 * from sleep or from being offline.
 */
import { RequestError, type SwapDetails, TERMINAL_STATUSES } from '@causeway/sdk/light'
import { client } from './client.ts'

export interface Following {
  onSwap(details: SwapDetails): void
  onGone(): void
  /** Whether updates are pushed. */
  onLive(isLive: boolean): void
}

/** Confirmations need polling: the stream sends only state changes. */
const COUNTING_MS = 2_000
const QUIET_MS = 5_000
/** Poll interval with a live stream and no confirmations to count. */
const IDLE_MS = 20_000

export function follow(id: string, { onSwap, onGone, onLive }: Following): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStopped = false
  let isLive = false
  let failures = 0
  let asking: Promise<void> | null = null
  const stream = new EventSource(`/api/v2/swaps/${encodeURIComponent(id)}/events`)
  stream.addEventListener('swap', (event) => {
    setLive(true)
    const { data }: { data: SwapDetails } = JSON.parse((event as MessageEvent<string>).data)
    take(data)
  })
  stream.addEventListener('error', () => setLive(false))

  const setLive = (now: boolean) => {
    isLive = now
    onLive(now)
  }
  const take = (details: SwapDetails) => {
    if (isStopped) return
    failures = 0
    onSwap(details)
    if (isOver(details)) return stop()
    again(isCounting(details) ? COUNTING_MS : isLive && hasNews(details) ? IDLE_MS : QUIET_MS)
  }
  const again = (ms: number) => {
    clearTimeout(timer)
    if (!isStopped) timer = setTimeout(() => void askNow(), ms)
  }
  const look = async () => {
    try {
      take(await client.swap(id, { exclude_deposit_actions: true }))
    } catch (error) {
      // 400: the text in the URL is not an id.
      if (error instanceof RequestError && (error.status === 404 || error.status === 400)) {
        onGone()
        return stop()
      }
      failures += 1
      again(failures < 3 ? COUNTING_MS : QUIET_MS)
    }
  }
  const askNow = () => {
    asking ??= look().finally(() => {
      asking = null
    })
    return asking
  }
  const wake = () => {
    if (document.visibilityState === 'visible') void askNow()
  }
  const stop = () => {
    isStopped = true
    clearTimeout(timer)
    stream.close()
    for (const event of WAKING) removeEventListener(event, wake)
    document.removeEventListener('visibilitychange', wake)
  }
  for (const event of WAKING) addEventListener(event, wake)
  document.addEventListener('visibilitychange', wake)
  void askNow()
  return stop
}

const WAKING = ['online', 'pageshow', 'focus'] as const

/**
 * Whether nothing more can change. An owed refund can still be sent and an expired swap can still be paid, so these are
 * still followed.
 */
function isOver({ swap }: SwapDetails): boolean {
  return TERMINAL_STATUSES.includes(swap.status) && !['pending_refund', 'expired', 'failed'].includes(swap.status)
}

/** Whether the stream still sends changes: it ends at a terminal status, and later changes need polling. */
function hasNews({ swap }: SwapDetails): boolean {
  return !TERMINAL_STATUSES.includes(swap.status)
}

function isCounting({ swap }: SwapDetails): boolean {
  return swap.transactions.some(({ status }) => status !== 'completed') || swap.status === 'ls_transfer_pending'
}
