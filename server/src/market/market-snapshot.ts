/**
 * Reads from chains what quotes need: fees, treasury balances, and the family's survey of contracts. One process per
 * network reads, under a lease, and stores the result for all, so more processes cost the nodes almost nothing.
 */
import { randomUUID } from 'node:crypto'
import { noteSample } from '@causeway/chain-kit'
import { type ChainAdapter, type Network, tokenKey } from '@causeway/core'
import type { Chains } from '../catalogue/chains.ts'
import type { Database } from '../store/db/database.ts'
import { takeLease } from '../store/db/leases.ts'
import { type MarketReading, readReadings, saveReading } from '../store/market/market-snapshots.ts'

/** The lease holder renews by reading; another process takes over when it misses its turn. */
const LEASE_MS = { quick: 6_000, usual: 90_000 }
/** Surveyed contracts change only when they are deployed or paused. */
const SURVEY_EVERY_MS = 2 * 60_000
/** Local chains and tests have fast blocks, so they are surveyed every time. */
const QUICK_POLL_MS = 300

/** Allowed clock difference between processes, in milliseconds. */
export const AHEAD_MS = 10_000

export interface MarketSnapshots {
  /** Reads the chain and stores the result. */
  ask(chain: ChainAdapter, at: Date): Promise<MarketReading>
  /** Whether the last reading is older than `paceMs` and this process holds the lease. */
  due(network: Network, paceMs: number, now: Date): Promise<boolean>
  /** The latest reading known to this process. */
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
      chains.get(reading.network)?.contractSurvey?.restoreSurvey(reading.survey)
  }

  async function survey(chain: ChainAdapter, at: Date): Promise<string | null> {
    const { name, pollMs } = chain.network
    const isDue = at.getTime() - (surveyedAt.get(name) ?? Number.NEGATIVE_INFINITY) >= SURVEY_EVERY_MS
    if (!chain.contractSurvey || (!isDue && pollMs >= QUICK_POLL_MS)) return stored.get(name)?.survey ?? null
    const seen = await chain.contractSurvey.surveyContracts()
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
          // A delisted token's contract may no longer respond.
          const amount = await (token.unlisted ? balance.catch(() => null) : balance)
          return amount && ([tokenKey(token), amount.units] as const)
        }),
      )
      const recent = [...(stored.get(network.name)?.recent ?? [])]
      noteSample(recent, {
        at: at.getTime(),
        nativeTransfer: fees.nativeTransfer,
        tokenTransfer: fees.tokenTransfer,
      })
      const reading = {
        network: network.name,
        fees,
        recent,
        balances: new Map(held.filter((one) => one !== null)),
        survey: surveyed.status === 'fulfilled' ? surveyed.value : (stored.get(network.name)?.survey ?? null),
        at,
      }
      await saveReading(database, reading)
      take(reading)
      // A failed survey must not discard the network's fees and balances.
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
        // This process may have stored a newer reading meanwhile.
        const known = stored.get(reading.network)
        if (!known || known.at <= reading.at) take(reading)
      }
    },
  }
}
