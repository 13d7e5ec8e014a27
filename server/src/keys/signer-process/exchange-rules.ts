/**
 * The policy on exchanges: which routers and tokens, and how much an exchange may lose against the price that the signer
 * itself knows. The family builds the call from the order, and refuses an aggregator's call that differs from the order. So
 * judging the order judges the bytes.
 */
import {
  type Exchange,
  ONE,
  parseDecimal,
  parseRoute,
  type RouterApproval,
  type Token,
  tenTo,
  tokenKey,
  type Usd,
} from '@causeway/core'
import { z } from 'zod'

const Decimal = z.string().regex(/^\d+(\.\d+)?$/, 'must be a plain decimal in quotes, such as "2.5"')

export const ExchangesFile = z.strictObject({
  /** The only contracts that may exchange, and that may be approved to take a token. */
  routers: z.array(z.string()).min(1),
  /** The largest part of an exchange's value that its minimum may give up; 0.1 is ten percent. */
  max_loss: Decimal.default('0.1'),
  /** Dollars per whole token, by symbol or contract. A token without one has the price of the signer's price sources. */
  prices: z.record(z.string(), Decimal).default({}),
})

export interface ExchangeRules {
  routers: ReadonlySet<string>
  /** A fraction of `ONE`. */
  maxLoss: bigint
  /** By token key. */
  prices: ReadonlyMap<string, Usd>
}

/** The present price of a token by the signer's own sources; null if none is recent. */
export type PriceOf = (token: Token) => Usd | null

/** A stored transaction with a far deadline could be sent when the price has moved. */
const MAX_TERM_MS = 60 * 60_000

const MAX_LOSS = ONE / 2n

export function exchangeRulesOf(
  file: z.infer<typeof ExchangesFile>,
  find: { token(label: string): Token | null; address(text: string): string },
  complain: (problem: string) => void,
): ExchangeRules {
  const maxLoss = parseDecimal(file.max_loss, 18) ?? ONE
  if (maxLoss > MAX_LOSS) complain('exchanges.max_loss: must be at most 0.5, with at most 18 decimals')
  const prices = new Map<string, Usd>()
  for (const [label, text] of Object.entries(file.prices)) {
    const token = find.token(label)
    const price = parseDecimal(text, 18)
    if (!token) complain(`exchanges.prices: there is no token ${label}`)
    else if (!price) complain(`exchanges.prices.${label}: must be above 0, with at most 18 decimals`)
    else prices.set(tokenKey(token), price)
  }
  return { routers: new Set(file.routers.map(find.address)), maxLoss, prices }
}

interface Judging {
  network: string
  rules: ExchangeRules | null
  /** The limit of one transaction, by token key. Only these tokens may be sold and bought. */
  tokens: ReadonlyMap<string, { max: bigint }>
}

/** Why the policy never allows an exchange; null if it does. The recipient is judged like that of a transfer. */
export function judgeExchange({ network, rules, tokens }: Judging, exchange: Exchange): string | null {
  if (!rules) return `the policy allows no exchange on ${network}`
  const { sells, buys, minUnits } = exchange
  const router = routerOf(exchange)
  if (router === null) return 'the route of the exchange is not understood'
  if (!rules.routers.has(router)) return `the policy does not list the router ${router}`
  const ceilings = tokens.get(tokenKey(sells.token))
  if (!ceilings) return `the policy does not list the token ${tokenKey(sells.token)}`
  if (!tokens.has(tokenKey(buys))) return `the policy does not list the token ${tokenKey(buys)}`
  if (sells.units <= 0n || minUnits <= 0n) return 'an exchange needs amounts'
  if (sells.units > ceilings.max)
    return `${sells.units} base units of ${tokenKey(sells.token)} are above the ceiling of ${ceilings.max}`
  return null
}

/**
 * Why a new exchange may lose too much at the present prices; null if it does not. A fee bump is not judged again: it
 * repeats an exchange that may be mined anyway.
 */
export function judgeLoss(
  rules: ExchangeRules,
  { sells, buys, minUnits, deadline }: Exchange,
  priceOf: PriceOf,
  now: Date,
): string | null {
  const term = deadline.getTime() - now.getTime()
  if (!(term <= MAX_TERM_MS)) return 'the deadline of the exchange is too far away'
  const [soldPrice, boughtPrice] = [sells.token, buys].map(
    (token) => rules.prices.get(tokenKey(token)) ?? priceOf(token),
  )
  if (!soldPrice || !boughtPrice) return `the signer knows no price of ${soldPrice ? buys.symbol : sells.token.symbol}`
  const least = minUnits * boughtPrice * tenTo(sells.token.decimals) * ONE
  const value = sells.units * soldPrice * tenTo(buys.decimals) * (ONE - rules.maxLoss)
  return least < value ? 'the exchange may lose more than the policy allows' : null
}

/** Why the policy refuses an approval; null if it allows it. Zero takes an approval back. */
export function judgeApproval(
  { network, rules, tokens }: Judging,
  { router, token, units }: RouterApproval,
): string | null {
  if (!rules) return `the policy allows no exchange on ${network}`
  if (!rules.routers.has(router)) return `the policy does not list the router ${router}`
  const ceilings = tokens.get(token)
  if (!ceilings) return `the policy does not list the token ${token}`
  return units > ceilings.max
    ? `an approval of ${units} base units of ${token} is above the ceiling of ${ceilings.max}`
    : null
}

/** The router in an exchange's route; null for a route that this signer cannot check. */
function routerOf({ route }: Exchange): string | null {
  try {
    return parseRoute(route).router
  } catch {
    return null
  }
}
