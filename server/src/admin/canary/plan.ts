/** The canary's swaps: a ring over the networks, so that each is once a source and once a destination. */
import type { ListedNetwork, Token } from '@causeway/sdk'

export interface CanarySwap {
  source: ListedNetwork
  destination: ListedNetwork
}

export interface CanaryPlan {
  swaps: CanarySwap[]
  /** Funding methods that the canary cannot try, with the reason. */
  untried: { network: string; method: string; reason: string }[]
}

const BY_WALLET = 'the canary pays to deposit addresses only: try it with a wallet on the pages'
const NO_ADDRESSES = 'no deposit addresses are offered there now'

/** `wanted`: the source networks; all if null. The destination is the next network of the list. */
export function planCanary(networks: readonly ListedNetwork[], wanted: ReadonlySet<string> | null): CanaryPlan {
  const chosen = networks.filter(({ name }) => wanted?.has(name) ?? true)
  // One chosen network still needs another end.
  const ring = chosen.length > 1 ? chosen : networks
  const swaps: CanarySwap[] = []
  const untried: CanaryPlan['untried'] = []
  for (const source of chosen) {
    const { name: network, deposit_methods: methods } = source
    if (methods.includes('wallet')) untried.push({ network, method: 'wallet', reason: BY_WALLET })
    const destination = ring[(ring.indexOf(source) + 1) % ring.length]
    if (methods.includes('deposit_address') && destination) swaps.push({ source, destination })
    else untried.push({ network, method: 'deposit_address', reason: NO_ADDRESSES })
  }
  return { swaps, untried }
}

/** The most pairs of tokens that are asked for a route: native coins first, then the best listed ones. */
const MOST_PAIRS = 6

export function pairsOf({ source, destination }: CanarySwap): { from: Token; to: Token }[] {
  const pairs = ordered(source, 'source_rank').flatMap((from) =>
    ordered(destination, 'destination_rank').map((to) => ({ from, to })),
  )
  const isSame = source.name === destination.name
  return pairs.filter(({ from, to }) => !isSame || from.contract !== to.contract).slice(0, MOST_PAIRS)
}

function ordered({ tokens }: ListedNetwork, rank: 'source_rank' | 'destination_rank'): Token[] {
  const weight = (token: Token) => (token.contract === null ? Number.NEGATIVE_INFINITY : token[rank])
  return tokens.toSorted((a, b) => weight(a) - weight(b)).slice(0, 3)
}
