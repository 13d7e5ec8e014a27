/**
 * Pays rewards. When a period of a campaign ends, each address that earned something gets one payout, which takes the
 * normal path: gate, slot, signature, storage, broadcast. A reward is in one payout at a time. The payout, its postings
 * and its job are stored in one transaction, so a crash neither loses nor repeats a reward.
 */
import {
  RetryLater,
  reversed,
  rewardPaid,
  rewardPromised,
  roundToTransferable,
  type Token,
  tokenKey,
  transferableStep,
} from '@causeway/core'
import type { Campaign } from '../../catalogue/campaigns.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { settledThrough } from '../../market/campaigns.ts'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { addJob, laneOf } from '../../store/db/jobs.ts'
import { lockInventory, reservedSince } from '../../store/payouts/liquidity-reservations.ts'
import {
  closeRewardPayout,
  countOpenRewardPayouts,
  dueRewards,
  insertRewardPayout,
  lockCampaign,
  releaseRewards,
  takeOrderBack,
} from '../../store/rewards/rewards.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'

/**
 * Rewards share the wallet's queue with swaps, for which users wait. Only this many rewards of a campaign are in the
 * queue at once.
 */
const MOST_OPEN = 20

export async function payRewards(services: Services): Promise<void> {
  for (const campaign of services.campaigns.list) {
    try {
      await disburse(services, campaign)
    } catch (error) {
      services.log.warn({ campaign: campaign.name, err: error }, 'rewards could not be ordered')
    }
  }
}

async function disburse(services: Services, campaign: Campaign): Promise<void> {
  const { name, token, minPayoutUnits } = campaign
  const { database, chains, market, log, now } = services
  const period = settledThrough(campaign, now())
  if (period < 0) return
  const fee = market.sendingFee(token)
  if (fee === null) throw new RetryLater(`what sending ${token.symbol} costs is not known now`)
  // A reward worth less than the gas of sending it waits until there is more.
  const leastUnits = [transferableStep(token), fee, minPayoutUnits].reduce((most, units) =>
    units > most ? units : most,
  )
  const account = chainOf(chains, token.network).treasury
  await database.transaction().execute(async (queries) => {
    // The lock order is the same everywhere: the token, then the campaign.
    let free = await freeUnits(services, queries, token)
    const row = await lockCampaign(queries, name)
    if (row?.network !== token.network || row.token !== tokenKey(token)) return
    const limit = MOST_OPEN - (await countOpenRewardPayouts(queries, name))
    if (limit <= 0) return
    for (const due of await dueRewards(queries, { campaign: name, period, leastUnits, limit })) {
      // The part below the chain's precision stays with the campaign.
      const units = roundToTransferable(due.units, token)
      const fields = { campaign: name, period, address: due.address, units: `${units}` }
      if (units > free) {
        // Liquidity that is reserved for swaps comes first.
        log.warn(fields, 'a reward waits: the wallet holds too little')
        continue
      }
      free -= units
      const order = { campaign: name, period, due, units, token, account, now: now() }
      const payout = await insertRewardPayout(queries, order)
      await insertPosting(queries, rewardPromised(name, token, units), null)
      await addJob(queries, { task: 'pay', payload: { payoutId: payout.id }, lane: laneOf(token.network, account) })
      log.info({ ...fields, payoutId: payout.id }, 'reward ordered')
    }
  })
}

/** The wallet's balance beyond all reservations. */
async function freeUnits({ market }: Services, queries: Queries, token: Token): Promise<bigint> {
  await lockInventory(queries, token)
  const balance = market.balance(token)
  return balance ? balance.units - (await reservedSince(queries, token, balance.at)) : 0n
}

/** Completes a reward whose payout has the confirmations that its value needs. */
export async function closeReward(services: Services, queries: Queries, payout: PayoutRow): Promise<void> {
  if (!(await closeRewardPayout(queries, payout.id, 'open', 'confirmed', services.now()))) return
  await insertPosting(queries, paidBy(services, payout), null)
}

/** Reopens a reward whose confirmed payout was removed by a deep reorg. */
export async function undoReward(services: Services, queries: Queries, payout: PayoutRow): Promise<void> {
  if (!(await closeRewardPayout(queries, payout.id, 'confirmed', 'open', services.now()))) return
  await insertPosting(queries, reversed(paidBy(services, payout), 'payout undone'), null)
}

/**
 * The payout was not sent. After a temporary failure the reward is ordered again. If the chain or an operator refused
 * it, it waits for an operator's decision. The update fails if a slot was allocated meanwhile.
 */
export async function abandonReward(services: Services, payout: PayoutRow, isRefused: boolean): Promise<void> {
  const { database, catalogue, now } = services
  const { id, campaign, units } = payout
  if (campaign === null) return
  const token = catalogue.token(payout.network, payout.token)
  await database.transaction().execute(async (queries) => {
    await lockCampaign(queries, campaign)
    if (!(await closeRewardPayout(queries, id, 'open', 'abandoned', now()))) return
    await takeOrderBack(queries, payout)
    await insertPosting(queries, reversed(rewardPromised(campaign, token, units), 'reward taken back'), null)
    if (!isRefused) await releaseRewards(queries, id)
  })
}

function paidBy({ catalogue }: Services, { campaign, account, network, token, units }: PayoutRow) {
  return rewardPaid(campaign ?? '', account, catalogue.token(network, token), units)
}
