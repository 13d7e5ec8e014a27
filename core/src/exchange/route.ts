/**
 * The route of a leg as text: which contract exchanges what. The quote writes it, the family reads it when it builds the
 * call. It is stored with the swap, so its fields are only ever added to.
 */
import type { Address } from '../money/address.ts'
import { Bug } from '../money/errors.ts'
import { AGGREGATOR_KINDS, type AggregatorKind } from '../money/network.ts'
import { POOL_KINDS, type PoolKind } from './pool.ts'

export type LegRoute = PoolRoute | AggregatorRoute

export interface PoolRoute {
  kind: PoolKind
  router: Address
  /** The contract that quotes exactly; null for V2, whose router does. */
  quoter: Address | null
  pool: Address
  feePpm: number
  /** The contracts of the token sold and the token bought. The native token is named by its wrapped contract. */
  path: readonly [Address, Address]
  /** Whether the native token itself is sold or bought, and the router wraps it. */
  native: 'in' | 'out' | null
}

/** A call that an HTTP aggregator has built. It is fixed before the slot is allocated, so every attempt repeats it. */
export interface AggregatorRoute {
  kind: AggregatorKind
  router: Address
  path: readonly [Address, Address]
  native: 'in' | 'out' | null
  /** The call data. Nothing of it is trusted: the family compares it with the order before it signs. */
  data: string
}

export function isAggregated(route: LegRoute): route is AggregatorRoute {
  return (AGGREGATOR_KINDS as readonly string[]).includes(route.kind)
}

export function routeText(route: LegRoute): string {
  return JSON.stringify(route)
}

/** Parses a stored route. It is our own text, so anything else is a bug. */
export function parseRoute(text: string): LegRoute {
  const route: LegRoute = JSON.parse(text)
  const kinds: readonly string[] = [...POOL_KINDS, ...AGGREGATOR_KINDS]
  if (!kinds.includes(route.kind) || route.path.length !== 2) throw new Bug('not the route of a leg', { text })
  return route
}
