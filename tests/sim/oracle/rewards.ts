/** The reward of a swap: promised at creation from its fee and the prices of that moment, exact to the unit. */
import type { Services } from '../../../server/src/services.ts'
import { isShort } from '../people/rewards.ts'
import { type OracleState, reportViolation } from './oracle-state.ts'
import { type Terms, usdOf, worthOf } from './terms.ts'

/** The current price of the campaign's token; null without a campaign or a price. */
export function rewardPriceOf({ campaigns, market }: Services): bigint | null {
  const [campaign] = campaigns.list
  return campaign ? market.price(campaign.token) : null
}

/**
 * `prices`: at the request and at the creation, since the process may have been paused in between. By a clock that is
 * behind, the campaign may not have begun.
 */
export function judgeReward(
  oracle: OracleState,
  terms: Terms,
  prices: readonly (bigint | null)[],
  view: string,
  now: Date,
): void {
  const { world } = oracle
  const [campaign] = world.base.campaigns.list
  const { reward } = JSON.parse(view) as { reward?: { campaign: string; units: string } | null }
  const promised = BigInt(reward?.units ?? 0)
  const hasBegun = campaign !== undefined && now.getTime() >= Date.parse(campaign.starts_at)
  const wanted = prices.map((price) =>
    campaign && hasBegun && price ? earnedFor(oracle, terms, price, campaign.token) : 0n,
  )
  const isRight = wanted.some((units) => promised === units || (isShort(world.seed) && promised < units))
  if (!isRight) reportViolation(oracle, `it is promised a reward of ${promised}, it earns ${wanted[0]}`, terms.number)
}

/** Half of the fee, rounded down at each step: to dollars, back to the token, and to the shown digits. */
function earnedFor(
  { world }: OracleState,
  terms: Terms,
  price: bigint,
  { decimals, precision }: { decimals: number; precision: number },
): bigint {
  const { facts, requestedUnits } = terms
  const worth = facts && requestedUnits !== null ? worthOf(terms, facts, world.base.config, requestedUnits) : null
  if (!facts || !worth) return 0n
  const usd = usdOf(terms.source, worth.serviceFeeUnits, facts.sourcePrice) / 2n
  const step = 10n ** BigInt(Math.max(0, decimals - precision))
  return ((usd * 10n ** BigInt(decimals)) / price / step) * step
}
