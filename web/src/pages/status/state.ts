/** The state of the status page: the swap, its progress, and the verified payment details. */
import type { SwapDetails, SwapProgress } from '@causeway/sdk/light'
import { batch, signal } from '@preact/signals'
import type { Terms } from '../../api/agreed.ts'
import { client } from '../../api/client.ts'
import { follow } from '../../api/live.ts'
import { kept } from '../../api/storage.ts'
import { type Verdict, verify } from '../../api/verified.ts'
import { setServerTime } from '../../ui/clock.tsx'

export const details = signal<SwapDetails | null>(null)
export const progress = signal<SwapProgress | null>(null)
export const isGone = signal(false)
export const isLive = signal(true)
/** The verified payment details; null until verified. Without them the page shows no payment details. */
export const verdict = signal<Verdict | null>(null)
/** The whole signed response, for the user to keep. */
const signed = signal<SwapDetails | null>(null)
/** The swap that the page shows. */
let shown: string | null = null

export function open(id: string): () => void {
  shown = id
  batch(() => {
    details.value = null
    progress.value = null
    isGone.value = false
    isLive.value = true
    verdict.value = null
    signed.value = null
  })
  let seen: string | null = null
  let isStopped = false
  const readProgress = () =>
    client
      .progress(id)
      .then((told) => {
        if (isStopped) return
        setServerTime(told.now)
        progress.value = told
      })
      .catch(() => undefined)
  const stop = follow(id, {
    onSwap: (now) => {
      details.value = now
      const news = JSON.stringify([now.swap.status, now.swap.transactions.map(({ type, status }) => [type, status])])
      // The first one comes with the page, whose progress is being read.
      if (seen !== null && news !== seen) void readProgress()
      seen = news
    },
    onGone: () => (isGone.value = true),
    onLive: (live) => (isLive.value = live),
  })
  const timer = setInterval(() => void readProgress(), PROGRESS_MS)
  void check(id)
  // The time to send by is shown from the start.
  void readProgress()
  return () => {
    isStopped = true
    clearInterval(timer)
    stop()
  }
}

const PROGRESS_MS = 15_000

/** Fetches the payment details, and shows only what the service signed. */
export async function check(id: string, sender?: string): Promise<void> {
  try {
    const answer = await client.swap(id, sender ? { source_address: sender } : {})
    const judged = await verify(answer, kept<Terms>(`terms.${id}`), id)
    // A late answer for the swap of the page before: its address is signed, too, and may be another person's.
    if (shown !== id) return
    batch(() => {
      verdict.value = judged
      signed.value = judged.state === 'verified' ? answer : null
    })
  } catch {
    // Offline, or the swap is unknown: the page shows that elsewhere.
  }
}

/** The whole response as the service signed it: proof that needs no trust in us later. */
export function downloadSigned(): void {
  if (!signed.value) return
  const url = URL.createObjectURL(new Blob([JSON.stringify(signed.value, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `causeway-${signed.value.swap.id}.json`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
