/**
 * Requests to each network's nodes: counted by method for the metrics, and limited by the budget in the network file.
 * If the budget runs short, watchers wait for a moment, and quotes and API callers must retry.
 */
import { createTokenBucket, type PriorityTokenBucket, type Purpose } from '@causeway/chain-kit'
import { type ChainAdapter, type Network, RetryLater } from '@causeway/core'
import type { Metrics } from '../observe/metrics.ts'
import type { Chains } from './chains.ts'
import { type CallTable, wrapCalls } from './wrap-calls.ts'

interface Traffic {
  /** Counts a request of this method, with its weight if nodes weigh requests. */
  spent(method: string, weight?: number): void
  budget: PriorityTokenBucket
}

/** One budget per network, shared by all callers in this process. */
export type NodeBudgets = (network: Network) => Traffic

/** How long urgent calls wait for the budget, and how often they check it. */
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

/** The priority of each call of the port; null if it is counted but never delayed. */
const PURPOSE_OF: CallTable<Purpose> = {
  status: 'landing',
  sweptBy: 'landing',
  prepare: 'paying',
  nextSlot: 'paying',
  broadcast: 'paying',
  recipientGas: { extraGas: 'paying' },
  exchanges: { readPools: 'market', allowance: 'paying', exactOut: 'paying', received: 'landing' },
  // Used by a signer, which releases expired slots.
  slotExpiry: { hasExpired: 'paying' },
  inspect: 'confirming',
  blockTimes: { timeOf: 'confirming' },
  references: { canNameSwap: 'confirming' },
  scan: 'scanning',
  fees: 'market',
  balance: 'market',
  // A payout waits until the wallet's history is checked, and a landed sweep until its addresses are read.
  balances: 'paying',
  agreedBalance: 'paying',
  audit: { movements: 'paying' },
  lateTransactions: { mempoolTransactions: 'paying' },
  setup: { missing: 'market' },
  contractSurvey: { surveyContracts: 'market' },
  // These calls ask no node.
  sign: null,
  depositAddresses: { derive: null },
  // The API limits these calls at its own entrance.
  depositAction: null,
  messages: { verify: null },
  accounts: { isContract: null },
  nfts: { isHeldBy: null },
  gasless: { depositAction: null, authorize: null },
  // These are an operator's commands.
  tokenContracts: { describe: null },
  depository: { depositAction: null, report: null, change: null },
}

/** The chains with a budget: each call with its own priority, or all calls as API requests. */
export function budgeted(chains: Chains, traffics: NodeBudgets, all?: Purpose): Chains {
  return new Map([...chains].map(([name, chain]) => [name, admitted(chain, traffics(chain.network).budget, all)]))
}

const asCallers = new WeakMap<ChainAdapter, ChainAdapter>()

/** The chain for work that strangers cause: it may use no more of the budget than their API requests. */
export function forStrangers(chain: ChainAdapter): ChainAdapter {
  return asCallers.get(chain) ?? chain
}

function admitted(chain: ChainAdapter, budget: PriorityTokenBucket, all?: Purpose): ChainAdapter {
  if (chain.network.maxRequestsPerMinute === undefined) return chain
  const own = wrapCalls(chain, PURPOSE_OF, (call, purpose) => async (...given) => {
    await admit(chain.network.name, budget, all ?? purpose)
    return call(...given)
  })
  if (all === undefined) asCallers.set(own, admitted(chain, budget, 'callers'))
  return own
}

async function admit(network: string, budget: PriorityTokenBucket, purpose: Purpose): Promise<void> {
  const waits = purpose === 'scanning' || purpose === 'confirming'
  const until = performance.now() + (waits ? PATIENCE_MS : 0)
  while (!budget.admits(purpose)) {
    if (performance.now() >= until) throw new RetryLater(`${network}: its requests of this minute are used up`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}
