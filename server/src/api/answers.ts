/**
 * Answers about swaps, kept for the moment: clients poll a swap several times a second, and it seldom changes between.
 * Every process hears of each change and forgets the swap at once; what is never announced (confirmations, today's
 * prices) is at most as old as the times below. While changes are not heard, nothing is kept.
 */
import type { Services } from '../services.ts'
import { type Listener, listenToSwaps } from '../store/listening.ts'

export interface Answers {
  /** The answer's text: kept, being made for somebody else already, or made now. */
  get(swapId: string, variant: string, make: () => Promise<Answer>): Promise<Buffer>
  stop(): Promise<void>
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
  answers: Map<string, Promise<Buffer>>
  since: number
  isClosed: boolean
}

export function createAnswers({ config, log }: Services): Answers {
  const keepMs = config.ANSWER_CACHE_MS
  const kept = new Map<string, Kept>()
  let isHearing = false
  let listener: Listener | null = null
  const listen = () => {
    const started = listenToSwaps(config.DATABASE_URL, {
      onSwap: (swapId) => kept.delete(swapId),
      onGap: () => {
        kept.clear()
        isHearing = true
      },
      onError: (error) => {
        isHearing = false
        kept.clear()
        log.warn({ err: error }, 'changes of swaps are not heard')
      },
    })
    started.ready().then(
      () => {
        isHearing = true
      },
      () => undefined,
    )
    return started
  }

  return {
    async get(swapId, variant, make) {
      if (keepMs > 0) listener ??= listen()
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
    stop: async () => listener?.stop(),
  }

  function isYoung({ since, isClosed }: Kept): boolean {
    return performance.now() - since < (isClosed ? keepMs * CLOSED_FACTOR : keepMs)
  }

  /** A change that is announced while an answer is being made takes the whole entry away, and that answer with it. */
  function fresh(swapId: string): Kept {
    const entry = { answers: new Map(), since: performance.now(), isClosed: false }
    kept.delete(swapId)
    kept.set(swapId, entry)
    const [oldest] = kept.keys()
    if (kept.size > MAX_SWAPS && oldest !== undefined) kept.delete(oldest)
    return entry
  }
}
