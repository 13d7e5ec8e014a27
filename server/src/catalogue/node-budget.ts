/**
 * What each network's nodes are asked: counted by method for the metrics, and kept inside the budget that the network's file
 * names. Watchers wait for a moment when it is short; quotes and callers are told to come back.
 */
import { createTokenBucket, type PriorityTokenBucket, type Purpose } from '@causeway/chain-kit'
import { type ChainAdapter, type Network, RetryLater } from '@causeway/core'
import type { Metrics } from '../observe/metrics.ts'
import type { Chains } from './chains.ts'

interface Traffic {
  /** A request by this method was made; it counts for so many where nodes weigh what they are asked. */
  spent(method: string, weight?: number): void
  budget: PriorityTokenBucket
}

/** By network; the same for all who ask its nodes in this process. */
export type NodeBudgets = (network: Network) => Traffic

/** How long those wait who may not be turned away, and how often they look. */
const PATIENCE_MS = 10_000
const LOOK_MS = 250

export function createNodeBudgets({ nodeRequests }: Pick<Metrics, 'nodeRequests'>, now: () => Date): NodeBudgets {
  const known = new Map<string, Traffic>()
  return ({ name, maxRequestsPerMinute = null }) => {
    const traffic =
      known.get(name) ??
      trafficOf(
        name,
        createTokenBucket(maxRequestsPerMinute, () => now().getTime()),
      )
    known.set(name, traffic)
    return traffic
  }

  function trafficOf(network: string, budget: PriorityTokenBucket): Traffic {
    return {
      budget,
      spent(method, weight = 1) {
        nodeRequests.inc({ network, method })
        budget.spend(weight)
      },
    }
  }
}

/** What of the port answers later, and so may ask a node. */
type Asked = {
  [Name in keyof ChainAdapter]-?: NonNullable<ChainAdapter[Name]> extends (...given: never) => Promise<unknown>
    ? Name
    : never
}[keyof ChainAdapter]

/** What each part of the port is asked for; null where it is not held back. None may be missing. */
const PURPOSE_OF: Readonly<Record<Asked, Purpose | null>> = {
  status: 'landing',
  prepare: 'paying',
  nextSlot: 'paying',
  broadcast: 'paying',
  effortOf: 'paying',
  // For a signer, which lets go of slots whose time is over.
  isOver: 'paying',
  inspect: 'confirming',
  blockTime: 'confirming',
  canNameSwap: 'confirming',
  scan: 'scanning',
  fees: 'market',
  balance: 'market',
  // Before a payout our own wallets' past is looked at, and where a sweep landed its addresses.
  balances: 'paying',
  movements: 'paying',
  waiting: 'paying',
  survey: 'market',
  // It asks nobody.
  sign: null,
  // Counted, and not held back: who asks is bounded where the question comes in.
  depositAction: null,
  verifyMessage: null,
  isContract: null,
  holdsNft: null,
}

/** The chains with a budget, asked for what they are for, or all for callers. */
export function budgeted(chains: Chains, traffics: NodeBudgets, all?: Purpose): Chains {
  return new Map([...chains].map(([name, chain]) => [name, admitted(chain, traffics(chain.network).budget, all)]))
}

function admitted(chain: ChainAdapter, budget: PriorityTokenBucket, all?: Purpose): ChainAdapter {
  if (chain.network.maxRequestsPerMinute === undefined) return chain
  const within: Record<string, unknown> = {}
  for (const [method, purpose] of Object.entries(PURPOSE_OF)) {
    const ask: unknown = Reflect.get(chain, method)
    if (purpose === null || typeof ask !== 'function') continue
    within[method] = async (...given: unknown[]) => {
      await admit(chain.network.name, budget, all ?? purpose)
      return Reflect.apply(ask, chain, given)
    }
  }
  return { ...chain, ...within }
}

async function admit(network: string, budget: PriorityTokenBucket, purpose: Purpose): Promise<void> {
  const waits = purpose === 'scanning' || purpose === 'confirming'
  const until = performance.now() + (waits ? PATIENCE_MS : 0)
  while (!budget.admits(purpose)) {
    if (performance.now() >= until) throw new RetryLater(`${network}: its requests of this minute are used up`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}
