/**
 * NFT holders by contract and owner. Answers come from memory; unknown ones are read from the chain in the background,
 * so no request waits for a node.
 */
import type { Logger } from 'pino'
import type { Chains } from '../catalogue/chains.ts'

export interface NftHoldings {
  /** Whether the owner holds the NFT; null if that is not known yet. */
  holds(network: string, contract: string, owner: string): boolean | null
  /** Reads the holdings that were requested since the last call. */
  refresh(): Promise<void>
}

/** Answers older than FRESH_MS are read again; those older than KNOWN_MS count as unknown. */
const FRESH_MS = 60_000
const KNOWN_MS = 600_000
/** Anyone may ask about any address, so both the pending and the cached entries are bounded. */
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
      const holds = await chains.get(network)?.nfts?.isHeldBy(contract, owner)
      known.delete(key)
      known.set(key, { holds: holds === true, at: now().getTime() })
    } catch (error) {
      log.warn({ network, contract, err: error }, 'failed to look up NFT holders')
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
