/**
 * Chains for API requests: opened separately from those that watch and pay. A request that a caller makes slow or
 * expensive then neither discredits a node that watchers need nor exceeds a network's share.
 */
import { type ChainAdapter, RetryLater } from '@causeway/core'
import type { Chains } from './chains.ts'
import { type CallTable, wrapCalls } from './wrap-calls.ts'

/** Concurrent API requests to one network's nodes; the others queue. */
const AT_ONCE = 32
/** Beyond this queue length callers are told to retry. */
const MOST_WAITING = 256
/** The maximum wait of a request for a node: several nodes may each hang for seconds. */
const PATIENCE_MS = 10_000

export interface CallerBudget {
  atOnce: number
  mostWaiting: number
  patienceMs: number
}

export function forCallers(
  chains: Chains,
  share: CallerBudget = { atOnce: AT_ONCE, mostWaiting: MOST_WAITING, patienceMs: PATIENCE_MS },
): Chains {
  return new Map([...chains].map(([name, chain]) => [name, shared(chain, share)]))
}

/** Calls that an API request waits for. All others run in the background, or are bounded by their caller. */
const IS_LIMITED: CallTable<true> = {
  depositAction: true,
  inspect: true,
  messages: { verify: true },
  nfts: { isHeldBy: true },
  depository: { depositAction: true, report: null, change: null },
  gasless: { depositAction: true, authorize: true },
  scan: null,
  status: null,
  sweptBy: null,
  prepare: null,
  nextSlot: null,
  sign: null,
  broadcast: null,
  fees: null,
  balance: null,
  agreedBalance: null,
  balances: null,
  depositAddresses: { derive: null },
  blockTimes: { timeOf: null },
  setup: { missing: null },
  contractSurvey: { surveyContracts: null },
  tokenContracts: { describe: null },
  slotExpiry: { hasExpired: null },
  audit: { movements: null },
  lateTransactions: { mempoolTransactions: null },
  // These calls have their own timeout, and their callers continue without an answer.
  accounts: { isContract: null },
  references: { canNameSwap: null },
  recipientGas: { extraGas: null },
  exchanges: { readPools: null, allowance: null, exactOut: null, received: null },
}

function shared(chain: ChainAdapter, share: CallerBudget): ChainAdapter {
  const take = placesFor(chain.network.name, share)
  return wrapCalls(
    chain,
    IS_LIMITED,
    (call) =>
      (...given) =>
        take(() => call(...given)),
  )
}

function placesFor(network: string, { atOnce, mostWaiting, patienceMs }: CallerBudget) {
  let taken = 0
  const waiting: (() => void)[] = []
  return async (work: () => Promise<unknown>): Promise<unknown> => {
    if (taken >= atOnce) {
      if (waiting.length >= mostWaiting) throw new RetryLater(`${network}: too many callers ask its nodes`)
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else taken += 1
    const done = () => {
      const next = waiting.shift()
      if (next) next()
      else taken -= 1
    }
    const working = work().finally(done)
    return patiently(network, working, patienceMs)
  }
}

/** The place is freed when the call itself ends, not when its caller times out: a busy node gets no further calls. */
async function patiently(network: string, working: Promise<unknown>, patienceMs: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new RetryLater(`${network}: no node answered in time`)), patienceMs)
  })
  try {
    return await Promise.race([working, late])
  } finally {
    clearTimeout(timer)
  }
}
