/**
 * The pools of swap providers in memory: their curves at the newest block that was read, for quotes. Each network's pools
 * are read together in the background, so that no quote asks a node. Stale pools are not offered.
 */
import {
  type Catalogue,
  type ExchangeScope,
  type Exchanges,
  type Network,
  type Pool,
  type PoolCurve,
  type PoolState,
  type Provider,
  poolCurve,
  routeText,
  type Token,
  tokenKey,
} from '@causeway/core'
import type { ScopeReader } from './scope.ts'

/** The part of a chain that reads pools. */
type PoolReader = Pick<Exchanges, 'readPools'>

type LegSide = 'sale' | 'purchase'

/** One way to exchange between a token and a hub token. */
export interface LegOption {
  provider: string
  hub: Token
  curve: PoolCurve
  route: string
}

export interface Providers {
  /** The ways to sell a token for a hub token, or to buy it for one, as far as the pools' states are known now. */
  options(token: Token, side: LegSide): LegOption[]
  /** Reads all pools of a network. */
  refresh(network: Network): Promise<void>
}

/** A pool that was not read for this long is not quoted, or for three blocks if they take longer. */
const STALE_AFTER_MS = 15_000
const STALE_BLOCKS = 3

export function createProviders(options: {
  catalogue: Catalogue
  readerOf: (network: string) => PoolReader | undefined
  /** The exchanges that can be signed. */
  scopeOf: ScopeReader
  now: () => Date
}): Providers {
  const { catalogue, readerOf, scopeOf, now } = options
  const listed = new Map(catalogue.networks.map((network) => [network.name, poolsOf(network)]))
  const known = new Map<string, { at: number; legs: Map<string, LegOption[]> }>()
  return {
    options(token, side) {
      const entry = known.get(token.network)
      if (!entry || now().getTime() - entry.at > staleAfterMs(catalogue.network(token.network))) return []
      return entry.legs.get(keyOf(side, token)) ?? []
    },
    async refresh({ name }) {
      const pools = listed.get(name) ?? []
      const reader = readerOf(name)
      if (!reader || pools.length === 0) return
      // The age counts from before the request: a slow node must not make old pools look fresh.
      const at = now().getTime()
      const scope = await scopeOf()
      const { states } = await reader.readPools(pools.map(({ pool }) => pool))
      const legs = new Map<string, LegOption[]>()
      for (const [index, listing] of pools.entries()) {
        const state = states[index]
        if (state && isAllowed(scope, listing)) addLegs(legs, listing, state)
      }
      known.set(name, { at, legs })
    },
  }
}

interface ListedPool {
  provider: Provider
  pool: Pool
  token: Token
}

function poolsOf({ providers = [], tokens }: Network): ListedPool[] {
  return providers.flatMap((provider) =>
    provider.pools.flatMap((pool) => {
      const hub = contractOf(provider, provider.hub)
      const other = pool.token0 === hub ? pool.token1 : pool.token0
      const token = tokens.find((one) => one !== provider.hub && contractOf(provider, one) === other)
      return token && !token.unlisted ? [{ provider, pool, token }] : []
    }),
  )
}

/** Whether the signer allows the router and both tokens. Null allows all, a network that it does not name nothing. */
function isAllowed(scope: ExchangeScope | null, { provider, token }: ListedPool): boolean {
  if (!scope) return true
  const { routers = [], tokens = [] } = scope[token.network] ?? {}
  return routers.includes(provider.router) && [token, provider.hub].every((one) => tokens.includes(tokenKey(one)))
}

function addLegs(legs: Map<string, LegOption[]>, { provider, pool, token }: ListedPool, state: PoolState): void {
  const { hub } = provider
  for (const [side, sells, buys] of [
    ['sale', token, hub],
    ['purchase', hub, token],
  ] as const) {
    const path = [contractOf(provider, sells), contractOf(provider, buys)] as const
    const curve = poolCurve(pool, state, path[0])
    if (!curve) continue
    const native = sells.contract === null ? 'in' : buys.contract === null ? 'out' : null
    const { kind, address, feePpm } = pool
    const { router, quoter } = provider
    const route = routeText({ kind, router, quoter, pool: address, feePpm, path, native })
    const key = keyOf(side, token)
    legs.set(key, [...(legs.get(key) ?? []), { provider: provider.name, hub, curve, route }])
  }
}

/** The contract by which pools name a token. */
function contractOf({ wrappedNative }: Provider, token: Token): string {
  return token.contract ?? wrappedNative ?? ''
}

function staleAfterMs({ blockMs = 0 }: Network): number {
  return Math.max(STALE_AFTER_MS, STALE_BLOCKS * blockMs)
}

function keyOf(side: LegSide, { contract }: Token): string {
  return `${side} ${contract ?? 'native'}`
}
