/**
 * Caches responses about swaps: clients poll a swap several times per second, and it seldom changes in between. Every
 * process drops a swap as soon as its change is announced. Values that are never announced (confirmations, today's
 * prices) are at most as old as the times below. Without a live change feed nothing is cached.
 */
import { boundedMap } from '@causeway/chain-kit'
import type { Services } from '../../services.ts'
import type { ChangeFeed } from './change-feed.ts'

export interface ResponseCache {
  /** The response in UTF-8: cached, already being made for another caller, or made now. */
  get(swapId: string, variant: string, make: () => Promise<Answer>): Promise<Buffer>
}

interface Answer {
  text: string
  /** Whether the swap is closed, so that nothing in the response changes any more except prices. */
  isClosed: boolean
}

/** How much longer a closed swap is cached than an open one. */
const CLOSED_FACTOR = 10
/** Limit of cached swaps, about 20 KB each. The oldest are dropped first. */
const MAX_SWAPS = 2_000
/** Limit of cached variants per swap: with and without deposit actions, under a few host names. */
const MAX_VARIANTS = 8

interface Kept {
  answers: Map<string, Promise<Buffer>>
  since: number
  isClosed: boolean
}

export function createResponseCache({ config }: Services, news: ChangeFeed): ResponseCache {
  const keepMs = config.answerCacheMs
  const kept = boundedMap<string, Kept>(MAX_SWAPS)
  let isHearing = false
  let isListening = false
  const setHearing = (isHeard: boolean) => {
    kept.clear()
    isHearing = isHeard
  }
  const listen = () => {
    isListening = true
    news
      .hear({
        onSwap: (swapId) => kept.delete(swapId),
        onGap: () => setHearing(true),
        onError: () => setHearing(false),
      })
      .then(
        () => setHearing(true),
        () => undefined,
      )
  }

  return {
    async get(swapId, variant, make) {
      if (keepMs > 0 && !isListening) listen()
      if (!isHearing) return Buffer.from((await make()).text)
      const known = kept.get(swapId)
      const entry = known && isYoung(known) ? known : fresh(swapId)
      const standing = entry.answers.get(variant)
      if (standing) return standing
      if (entry.answers.size >= MAX_VARIANTS) return Buffer.from((await make()).text)
      const making = make().then(({ text, isClosed }) => {
        entry.isClosed = isClosed
        return Buffer.from(text)
      })
      entry.answers.set(variant, making)
      making.catch(() => kept.get(swapId) === entry && kept.delete(swapId))
      return making
    },
  }

  function isYoung({ since, isClosed }: Kept): boolean {
    return performance.now() - since < (isClosed ? keepMs * CLOSED_FACTOR : keepMs)
  }

  /** A change that is announced while a response is being made removes the entry together with that response. */
  function fresh(swapId: string): Kept {
    const entry = { answers: new Map(), since: performance.now(), isClosed: false }
    kept.delete(swapId)
    kept.set(swapId, entry)
    return entry
  }
}
