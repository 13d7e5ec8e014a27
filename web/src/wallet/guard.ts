/**
 * Prevents a second deposit by mistake: the swap is marked before the wallet opens, in this browser and in every tab. A
 * marked swap without a visible deposit counts as sent until the user says otherwise.
 */
import { signal } from '@preact/signals'
import { keep, kept } from '../api/storage.ts'

export interface Mark {
  wallet: string
  at: number
}

const KEY = 'asked'
/** About a month of swaps. */
const MOST_MARKS = 200

export const marks = signal<Record<string, Mark>>(kept<Record<string, Mark>>(KEY) ?? {})

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('causeway.asked')
channel?.addEventListener('message', () => {
  marks.value = kept<Record<string, Mark>>(KEY) ?? {}
})

export function mark(swapId: string, wallet: string): void {
  save({ ...marks.value, [swapId]: { wallet, at: Date.now() } })
}

/** The wallet rejected it, or the user confirms that no transaction was sent. */
export function unmark(swapId: string): void {
  const { [swapId]: _, ...rest } = marks.value
  save(rest)
}

function save(next: Record<string, Mark>): void {
  const newest = Object.entries(next).sort(([, a], [, b]) => b.at - a.at)
  marks.value = Object.fromEntries(newest.slice(0, MOST_MARKS))
  keep(KEY, marks.value)
  channel?.postMessage(null)
}
