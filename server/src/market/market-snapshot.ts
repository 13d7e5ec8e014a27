/**
 * What chains are asked for quotes: fees, what the treasury holds, what stands there. One process a network asks, under a
 * lease, and stores it for all; so a second process costs nodes next to nothing.
 */
import { randomUUID } from 'node:crypto'
import { type ChainAdapter, type Network, tokenKey } from '@causeway/core'
import type { Chains } from '../catalogue/chains.ts'
import type { Database } from '../store/db/database.ts'
import { takeLease } from '../store/db/leases.ts'
import { type MarketReading, readReadings, saveReading } from '../store/market/market-snapshots.ts'

/** Whoever asks goes on asking, and is replaced when it has missed its turn. */
const LEASE_MS = { quick: 6_000, usual: 90_000 }
/** What stands on a chain changes when somebody deploys or pauses something. */
const SURVEY_EVERY_MS = 2 * 60_000
/** Local chains and tests are asked at every turn: their blocks come within a moment, and so do changes. */
const QUICK_POLL_MS = 300

/** Clocks of processes differ by less. */
export const AHEAD_MS = 10_000

export interface MarketSnapshots {
  /** Asks the chain and stores it. */
  ask(chain: ChainAdapter, at: Date): Promise<MarketReading>
  /** Whether nobody has asked for so long, and this process is the one that does. */
  due(network: Network, paceMs: number, now: Date): Promise<boolean>
  /** As `read` found it last. */
  stored(network: Network): MarketReading | null
  read(): Promise<void>
}

export function createMarketSnapshots(database: Database, chains: Chains): MarketSnapshots {
  const holder = randomUUID()
  const surveyedAt = new Map<string, number>()
  const stored = new Map<string, MarketReading>()

  function take(reading: MarketReading): void {
    const known = stored.get(reading.network)
    stored.set(reading.network, reading)
    if (reading.survey !== null && reading.survey !== known?.survey)
      chains.get(reading.network)?.recall?.(reading.survey)
  }

  async function survey(chain: ChainAdapter, at: Date): Promise<string | null> {
    const { name, pollMs } = chain.network
    const isDue = at.getTime() - (surveyedAt.get(name) ?? Number.NEGATIVE_INFINITY) >= SURVEY_EVERY_MS
    if (!chain.survey || (!isDue && pollMs >= QUICK_POLL_MS)) return stored.get(name)?.survey ?? null
    const seen = await chain.survey()
    surveyedAt.set(name, at.getTime())
    return seen
  }

  return {
    async ask(chain, at) {
      const { network } = chain
      const [surveyed] = await Promise.allSettled([survey(chain, at)])
      const fees = await chain.fees()
      const held = await Promise.all(
        network.tokens.map(async (token) => {
          const balance = chain.balance(chain.treasury, token)
          // A token may have left the list because its contract does not answer any more.
          const amount = await (token.unlisted ? balance.catch(() => null) : balance)
          return amount && ([tokenKey(token), amount.units] as const)
        }),
      )
      const reading = {
        network: network.name,
        fees,
        balances: new Map(held.filter((one) => one !== null)),
        survey: surveyed.status === 'fulfilled' ? surveyed.value : (stored.get(network.name)?.survey ?? null),
        at,
      }
      await saveReading(database, reading)
      take(reading)
      // What else could not be looked at must not cost the network its fees and balances.
      if (surveyed.status === 'rejected') throw surveyed.reason
      return reading
    },
    async due(network, paceMs, now) {
      const known = stored.get(network.name)
      const ageMs = known ? now.getTime() - known.at.getTime() : Number.POSITIVE_INFINITY
      if (ageMs < paceMs && ageMs >= -AHEAD_MS) return false
      const ttlMs = network.pollMs < QUICK_POLL_MS ? LEASE_MS.quick : LEASE_MS.usual
      return (await takeLease(database, `market:${network.name}`, holder, ttlMs)) !== null
    },
    stored: (network) => stored.get(network.name) ?? null,
    async read() {
      for (const reading of await readReadings(database)) {
        // What this process has asked meanwhile is newer.
        const known = stored.get(reading.network)
        if (!known || known.at <= reading.at) take(reading)
      }
    },
  }
}
