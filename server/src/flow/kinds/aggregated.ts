/**
 * Lets an aggregator execute a leg if its call gives at least as much as the pool. The call is judged by the family and
 * simulated on our own node, and becomes a part of the order before a slot is allocated. If anything is wrong with an
 * offer, the leg takes the pool, as if there were no aggregator.
 */
import {
  BPS,
  type ChainAdapter,
  type Exchange,
  fairOutput,
  type OfferRefusal,
  PayoutImpossible,
  refusalOf,
  slippageFor,
} from '@causeway/core'
import type { Offer } from '../../providers/aggregators.ts'
import type { Services } from '../../services.ts'
import { legsBeside } from '../../store/payouts/legs.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'

/**
 * How much less than the pool gives the aggregator's call may enforce. Its executor can tell a simulation from the chain,
 * and could keep whatever is above the enforced minimum.
 */
const MOST_KEPT_BPS = 50n

type Execution = Pick<Exchange, 'provider' | 'route'>

/** The aggregator's route for a leg without a slot; null if the pool is used. `pool`: the leg over its best pool. */
export async function aggregatedRoute(
  services: Services,
  chain: ChainAdapter,
  payout: PayoutRow,
  pool: Exchange,
): Promise<Execution | null> {
  const { exchanges, network } = chain
  if (!exchanges || (network.aggregators ?? []).length === 0) return null
  // After a failure the leg keeps to its pool, whose call is built here.
  const { isBusy, hasFailed } = await legsBeside(services.database, payout)
  if (isBusy || hasFailed || payout.reverts > 0) return null
  const poolUnits = await simulated(chain, pool)
  const [soldPrice, boughtPrice] = [pool.sells.token, pool.buys].map((token) => services.market.price(token))
  const fairUnits = fairOutput(pool, soldPrice ?? null, boughtPrice ?? null)
  const enough = (poolUnits * (BPS - MOST_KEPT_BPS)) / BPS
  const enforcedUnits = enough > pool.minUnits ? enough : pool.minUnits
  const slippageBps = slippageFor(poolUnits || fairUnits || 0n, enforcedUnits)
  const offers = await services.aggregators.ask(pool, { account: payout.account, slippageBps })
  let best: (Execution & { givenUnits: bigint }) | null = null
  for (const offer of offers) {
    const { name } = offer.aggregator
    const judged =
      'reason' in offer
        ? offer.reason
        : await judge(services, chain, { pool, poolUnits, fairUnits, enforcedUnits }, offer)
    const isTaken = typeof judged === 'bigint'
    services.metrics.aggregatorOffers.inc({ network: network.name, aggregator: name, used: isTaken ? 'yes' : 'no' })
    const fields = { network: network.name, payoutId: payout.id, aggregator: name }
    if (!isTaken) services.log.info({ ...fields, reason: judged }, 'an aggregator is not used')
    else if (!best || judged > best.givenUnits)
      best = { provider: name, route: (offer as Offer).route, givenUnits: judged }
  }
  return best && { provider: best.provider, route: best.route }
}

interface Judging {
  pool: Exchange
  /** The pool's output by simulation; 0 if it would fail. */
  poolUnits: bigint
  fairUnits: bigint | null
  /** The least that the aggregator's call must enforce. */
  enforcedUnits: bigint
}

/** The units that the recipient would get, or why the offer is not used. */
async function judge(
  { config }: Services,
  chain: ChainAdapter,
  { pool, poolUnits, fairUnits, enforcedUnits }: Judging,
  { aggregator, promisedUnits, route }: Offer,
): Promise<bigint | string> {
  const exchange = { ...pool, provider: aggregator.name, route }
  const objection = chain.exchanges?.objectionTo({ ...exchange, minUnits: enforcedUnits })
  if (objection) return objection
  // Whatever goes wrong with its call, the pool is still there.
  const givenUnits = await simulated(chain, exchange).catch(() => 0n)
  const { minUnits } = pool
  const deviationBps = BigInt(config.providerPriceDeviationBps)
  const refusal = refusalOf({ promisedUnits, givenUnits, poolUnits, minUnits, fairUnits, deviationBps })
  return refusal ? REASONS[refusal] : givenUnits
}

const REASONS: Record<OfferRefusal, string> = {
  below_minimum: 'by simulation it fails, or gives less than the minimum',
  below_pool: 'the pool gives more',
  price_unknown: 'we know no price to compare it with',
  too_good: 'it gives more than our prices can explain',
  not_as_promised: 'by simulation it gives something else than it promises',
}

/** The output by simulation; 0 if the exchange would fail. */
async function simulated({ exchanges }: ChainAdapter, exchange: Exchange): Promise<bigint> {
  try {
    return (await exchanges?.exactOut(exchange)) ?? 0n
  } catch (error) {
    if (error instanceof PayoutImpossible) return 0n
    throw error
  }
}
