/**
 * Who holds an NFT, by contract and owner. Answers come from memory; what nobody knows yet is asked of the chain in the
 * background, so that no request waits for a node.
 */
import type { Logger } from 'pino'
import type { Chains } from '../catalogue/chains.ts'

export interface NftHoldings {
  /** Null where it is not known yet. */
  holds(network: string, contract: string, owner: string): boolean | null
  /** Asks for what was wanted since. */
  refresh(): Promise<void>
}

/** An answer older than the first is asked for again, one older than the second does not count. */
const FRESH_MS = 60_000
const KNOWN_MS = 600_000
/** Anybody may ask about any address: neither what is asked in one round nor what is remembered grows without bound. */
const MOST_WANTED = 200
const MOST_KNOWN = 10_000

interface Question {
  network: string
  contract: string
  owner: string
}

export function createNftHoldings(chains: Chains, log: Logger, now: () => Date): NftHoldings {
  const known = new Map<string, { holds: boolean; at: number }>()
  const wanted = new Map<string, Question>()

  async function ask(key: string, { network, contract, owner }: Question): Promise<void> {
    try {
      const holds = await chains.get(network)?.holdsNft?.(contract, owner)
      known.delete(key)
      known.set(key, { holds: holds === true, at: now().getTime() })
    } catch (error) {
      log.warn({ network, contract, err: error }, 'a chain did not say who holds an NFT')
    }
  }

  return {
    holds(network, contract, owner) {
      const key = `${network}/${contract}/${owner}`
      const answer = known.get(key)
      const ageMs = answer ? now().getTime() - answer.at : Number.POSITIVE_INFINITY
      if (ageMs > FRESH_MS && wanted.size < MOST_WANTED) wanted.set(key, { network, contract, owner })
      return answer && ageMs <= KNOWN_MS ? answer.holds : null
    },
    async refresh() {
      const questions = [...wanted]
      wanted.clear()
      await Promise.all(questions.map(([key, question]) => ask(key, question)))
      const oldest = [...known.keys()].slice(0, Math.max(0, known.size - MOST_KNOWN))
      for (const key of oldest) known.delete(key)
    },
  }
}
