/** The campaign of a run that has one: half of the fees go back, a quarter of an hour at a time. */
import type { Campaign } from '../../../server/src/catalogue/campaigns.ts'
import type { TestServices } from '../../support/service/services.ts'

/** Where rewards are paid: the network without deposit addresses. */
const HOME = 'GAMMA'
/** Hours of a run have several of these; what was earned in the last is waited for at its end. */
export const PERIOD_MS = 900_000
const DAY_MS = 86_400_000

/** One run of three has a budget that a few swaps use up. */
export function campaignOf({ catalogue, now }: TestServices, seed: number): Campaign {
  return {
    name: 'spring',
    display_name: 'Spring',
    type: 'default',
    nft_contract: null,
    token: catalogue.network(HOME).nativeToken,
    fee_share: 0.5,
    budgetUnits: isShort(seed) ? 3n * 10n ** 14n : 10n ** 21n,
    minPayoutUnits: 0n,
    starts_at: now().toISOString(),
    ends_at: new Date(now().getTime() + 100 * DAY_MS).toISOString(),
    period_days: PERIOD_MS / DAY_MS,
  }
}

/** Whether its budget may run out. */
export function isShort(seed: number): boolean {
  return seed % 3 === 0
}
