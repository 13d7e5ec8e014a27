/**
 * Whether an aggregator's offer for a leg is used. Only what our own node simulates counts: the offer must give at least
 * what the pool gives now, and its promise and its price must be plausible. A refused offer costs nothing: the pool is used.
 */

import { BPS } from '../exchange/curve.ts'
import type { Address } from '../money/address.ts'
import { mulDiv, tenTo, type Usd } from '../money/money.ts'
import type { Aggregator } from '../money/network.ts'
import type { Exchange } from '../port/exchanging.ts'

/** The fields of an aggregator's answer, apart from its call data, which the family judges. */
export interface AggregatorAnswer {
  promisedUnits: bigint
  /** The call: its sender, its target, and the native units that it sends along. */
  from: Address
  to: Address
  value: bigint
  /** Absent if the answer does not repeat them. */
  chainId?: string | undefined
  sold?: Address | undefined
  bought?: Address | undefined
}

export interface Asked {
  aggregator: Aggregator
  exchange: Exchange
  chainId: string
  /** Our hot wallet. */
  account: Address
  /** How this aggregator names the two tokens. */
  path: readonly [Address, Address]
}

/** Why an answer is not what was asked for; null if it is. */
export function objectionToAnswer(asked: Asked, answer: AggregatorAnswer): string | null {
  const { aggregator, exchange, chainId, account, path } = asked
  const { sells, minUnits } = exchange
  if (answer.chainId !== undefined && answer.chainId !== chainId) return `it is for chain ${answer.chainId}`
  if (!isSame(answer.to, aggregator.router)) return `it calls ${answer.to}, which is not its listed router`
  if (!isSame(answer.from, account)) return `it is a call of ${answer.from}, not of our wallet`
  const value = sells.token.contract === null ? sells.units : 0n
  if (answer.value !== value) return `it sends ${answer.value} native base units along`
  if (answer.sold !== undefined && !isSame(answer.sold, path[0])) return `it sells another token: ${answer.sold}`
  if (answer.bought !== undefined && !isSame(answer.bought, path[1])) return `it buys another token: ${answer.bought}`
  if (answer.promisedUnits < minUnits) return `it promises ${answer.promisedUnits}, below the minimum of ${minUnits}`
  return null
}

function isSame(one: Address, other: Address): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

export interface Simulated {
  promisedUnits: bigint
  /** The recipient's output, by simulation on our own node. */
  givenUnits: bigint
  /** The pool's output, by the same simulation; 0 if it would fail. */
  poolUnits: bigint
  minUnits: bigint
  /** The output by our own prices, without any fee; null if a price is unknown. */
  fairUnits: bigint | null
  /** The largest difference between the output and the promise, and between the output and our prices. */
  deviationBps: bigint
}

export type OfferRefusal = 'below_minimum' | 'below_pool' | 'price_unknown' | 'too_good' | 'not_as_promised'

/** Why a simulated offer is not used; null if it is. Too little is refused by the minimum and by the pool's output. */
export function refusalOf(offer: Simulated): OfferRefusal | null {
  const { promisedUnits, givenUnits, poolUnits, minUnits, fairUnits, deviationBps } = offer
  if (givenUnits < minUnits || givenUnits <= 0n) return 'below_minimum'
  if (givenUnits < poolUnits) return 'below_pool'
  if (fairUnits === null || fairUnits <= 0n) return 'price_unknown'
  if (givenUnits * BPS > fairUnits * (BPS + deviationBps)) return 'too_good'
  const gap = promisedUnits > givenUnits ? promisedUnits - givenUnits : givenUnits - promisedUnits
  return gap * BPS > givenUnits * deviationBps ? 'not_as_promised' : null
}

/** The value of the sold units in the bought token, by our own prices. */
export function fairOutput({ sells, buys }: Exchange, soldPrice: Usd | null, boughtPrice: Usd | null): bigint | null {
  if (!soldPrice || !boughtPrice) return null
  const value = soldPrice * tenTo(buys.decimals)
  return mulDiv(sells.units * value, 1n, boughtPrice * tenTo(sells.token.decimals), 'down')
}

/** The slippage to ask for, so that an offer as good as `reference` enforces at least the minimum. */
export function slippageFor(reference: bigint, minUnits: bigint): bigint {
  return reference > minUnits ? ((reference - minUnits) * BPS) / reference : 0n
}
