/**
 * Prevents a second deposit by mistake: the swap is marked before the wallet opens, in this browser and in every tab. A
 * marked swap without a visible deposit counts as sent until the user says otherwise.
 */
import { signal } from '@preact/signals'
import { keep, kept } from '../api/storage.ts'

export interface Mark {
  wallet: string
  at: number
  /** Whether the wallet reported that the deposit was sent. Otherwise it may have been sent or not. */
  isSent?: boolean
  hash?: string | null
}

const KEY = 'asked'
/** Limit of stored marks: about a month of swaps. */
const MOST_MARKS = 200

export const marks = signal<Record<string, Mark>>(kept<Record<string, Mark>>(KEY) ?? {})

/** The swap whose wallet window is open in this tab: its mark is not an answer yet. */
export const asking = signal<string | null>(null)

/** The mark of a swap, unless its wallet is being asked right now. */
export function markOf(swapId: string): Mark | null {
  return asking.value === swapId ? null : (marks.value[swapId] ?? null)
}

const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('causeway.asked')
channel?.addEventListener('message', () => {
  marks.value = kept<Record<string, Mark>>(KEY) ?? {}
})

export function mark(swapId: string, wallet: string): void {
  save({ ...marks.value, [swapId]: { wallet, at: Date.now() } })
}

/** Marks the deposit as sent: the wallet, or the service for a gasless deposit, reported it. */
export function markSent(swapId: string, wallet: string, hash: string | null): void {
  const at = marks.value[swapId]?.at ?? Date.now()
  save({ ...marks.value, [swapId]: { wallet, at, isSent: true, hash } })
}

/** Removes the mark: the wallet rejected the deposit, or the user confirms that no transaction was sent. */
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
