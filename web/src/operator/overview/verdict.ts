/**
 * The headline of the overview: what is paused or halted, the daily result, and whether the ledger matches the chains.
 * What needs an operator has a card of its own.
 */
import { formatUsd } from '../../money/format.ts'
import { operator as text } from '../../text/en/operator.ts'
import type { Tone } from '../../ui/notice.tsx'
import { ageOf } from '../shell/age.ts'
import type { Overview } from '../shell/answers.ts'

export interface Verdict {
  tone: Tone
  words: string[]
}

/** How many items need an operator: what waits, and wallets below their minimum. */
export function needsOf({ waiting, wallets }: Overview): number {
  return waiting.length + wallets.filter(({ is_low }) => is_low).length
}

export function verdictOf(now: Overview): Verdict {
  const { waiting, paused, halted, retrying, result } = now
  const low = now.wallets.filter(({ is_low }) => is_low).length
  const words = [
    ...(halted.length === 0 ? [] : [text.haltedNow(halted.length)]),
    ...(paused.length === 0 ? [] : [text.pausedNow(paused.length)]),
    ...(retrying === 0 ? [] : [text.retrying(retrying)]),
    ...(now.given_up === 0 ? [] : [text.givenUp(now.given_up)]),
    ...(result.usd < 0 ? [text.loses(formatUsd(-result.usd))] : []),
  ]
  const books = booksOf(now)
  const tone = halted.length > 0 ? 'bad' : waiting.length + paused.length + low > 0 ? 'warn' : 'good'
  const well = words.length === 0 && waiting.length + low === 0 ? [text.wellWaiting] : words
  return { tone, words: [...well, ...(books === null ? [] : [books])] }
}

/** Whether the ledger matches the chains, and when that was checked; null if not checked yet. */
function booksOf({ now, wallets }: Overview): string | null {
  const compared = wallets.filter(({ agrees }) => agrees !== null).map(seenAt)
  const differing = wallets.filter(({ agrees }) => agrees === false).length
  if (differing > 0) return text.booksDiffer(differing)
  if (compared.length === 0) return null
  const age = ageOf(now, compared.toSorted()[0] ?? now)
  // A balance that was not compared yet may differ.
  if (compared.length < wallets.length) return text.booksAgreePartly(compared.length, wallets.length, age)
  return text.booksAgree(age)
}

const seenAt = ({ seen_at }: Overview['wallets'][number]) => seen_at
