/**
 * Answers about swaps, kept for the moment: clients poll a swap several times a second, and it seldom changes between.
 * Every process hears of each change and forgets the swap at once; what is never announced (confirmations, today's
 * prices) is at most as old as the times below. While changes are not heard, nothing is kept.
 */
import { boundedMap } from '@causeway/chain-kit'
import type { Services } from '../../services.ts'
import type { ChangeFeed } from './change-feed.ts'

export interface ResponseCache {
  /** The answer's text: kept, being made for somebody else already, or made now. */
  get(swapId: string, variant: string, make: () => Promise<Answer>): Promise<string>
}

interface Answer {
  text: string
  /** Nothing of it moves any more but prices. */
  isClosed: boolean
}

/** A closed swap is kept so many times longer than one that moves. */
const CLOSED_FACTOR = 10
/** Some twenty kilobytes each. The oldest are forgotten first. */
const MAX_SWAPS = 2_000
/** With and without deposit actions, under a few names of this host. */
const MAX_VARIANTS = 8

interface Kept {
  answers: Map<string, Promise<string>>
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
      if (!isHearing) return (await make()).text
      const known = kept.get(swapId)
      const entry = known && isYoung(known) ? known : fresh(swapId)
      const standing = entry.answers.get(variant)
      if (standing) return standing
      if (entry.answers.size >= MAX_VARIANTS) return (await make()).text
      const making = make().then(({ text, isClosed }) => {
        entry.isClosed = isClosed
        return text
      })
      entry.answers.set(variant, making)
      making.catch(() => kept.get(swapId) === entry && kept.delete(swapId))
      return making
    },
  }

  function isYoung({ since, isClosed }: Kept): boolean {
    return performance.now() - since < (isClosed ? keepMs * CLOSED_FACTOR : keepMs)
  }

  /** A change that is announced while an answer is being made takes the whole entry away, and that answer with it. */
  function fresh(swapId: string): Kept {
    const entry = { answers: new Map(), since: performance.now(), isClosed: false }
    kept.delete(swapId)
    kept.set(swapId, entry)
    return entry
  }
}
