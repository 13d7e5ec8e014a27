/** The campaign of a run that has one: half of the fees are paid back, per quarter of an hour. */
import type { Campaign } from '../../../server/src/catalogue/campaigns.ts'
import type { TestServices } from '../../support/service/services.ts'

/** Rewards are paid on the network without deposit addresses. */
const HOME = 'GAMMA'
/** A run of some hours has several periods; at its end the last one is waited for. */
export const PERIOD_MS = 900_000
const DAY_MS = 86_400_000

/** In one run of three, a few swaps use up the budget. */
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
