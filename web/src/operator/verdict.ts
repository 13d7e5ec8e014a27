/** The one line above everything: what waits and how much, what is paused, and whether books and chains agree. */
import { formatSeconds, formatUsd } from '../money/format.ts'
import { operator as text } from '../text/en.ts'
import type { Tone } from '../ui/notice.tsx'
import type { Overview } from './calls.ts'

export interface Verdict {
  tone: Tone
  words: string[]
}

export function verdictOf(now: Overview): Verdict {
  const at = Date.parse(now.now)
  const age = (times: string[]) => formatSeconds(Math.max(0, (at - Math.min(...times.map(Date.parse))) / 1000))
  const { waiting, paused, halted, wallets, retrying } = now
  const usd = waiting.reduce((sum, row) => sum + (row.usd ?? 0), 0)
  const compared = wallets.filter(({ agrees }) => agrees !== null)
  const differing = wallets.filter(({ agrees }) => agrees === false).length
  const words = [
    ...(waiting.length === 0 ? [] : [text.waits(waiting.length)]),
    ...(waiting.length === 0 ? [] : [text.waitsUsd(formatUsd(usd), age(waiting.map(({ since }) => since)))]),
    ...(halted.length === 0 ? [] : [text.haltedNow(halted.length)]),
    ...(paused.length === 0 ? [] : [text.pausedNow(paused.length)]),
    ...(retrying === 0 ? [] : [text.retrying(retrying)]),
  ]
  const books =
    differing > 0
      ? text.booksDiffer(differing)
      : compared.length > 0
        ? text.booksAgree(age(compared.map(seenAt)))
        : null
  const tone = halted.length > 0 ? 'bad' : waiting.length + paused.length > 0 ? 'warn' : 'good'
  return { tone, words: [...(words.length === 0 ? [text.wellWaiting] : words), ...(books === null ? [] : [books])] }
}

const seenAt = ({ seen_at }: Overview['wallets'][number]) => seen_at
