/**
 * Accrues the reward of a swap, in the transaction that completes the swap; `disburse` pays it later. If the chain has
 * not yet answered whether the recipient holds an NFT, a job records the reward afterwards.
 */
import type { Swap } from '@causeway/core'
import { chainOf } from '../../catalogue/chains.ts'
import { type EarningTerms, periodOf } from '../../market/campaigns.ts'
import type { Services } from '../../services.ts'
import type { Queries } from '../../store/db/database.ts'
import { addJob } from '../../store/db/jobs.ts'
import { declareCampaign, hasReward, insertReward, setPromise } from '../../store/rewards/campaigns.ts'
import { announceSwap } from '../../store/swaps/announce.ts'
import { type Earning, parseView } from '../../store/swaps/quote-view.ts'
import { lockSwap, readSwap, type SwapRow, toSwap } from '../../store/swaps/swaps.ts'
import { ownedAddresses } from '../../store/watch/addresses.ts'

/** How soon a chain that did not answer is asked again, and for how long. */
const ASK_AGAIN_MS = 5_000
const ASK_FOR_MS = 24 * 3_600_000

export async function accrueReward(services: Services, queries: Queries, row: SwapRow, swap: Swap): Promise<void> {
  if (row.status === 'completed' || swap.status !== 'completed' || services.campaigns.list.length === 0) return
  const { reward } = parseView(row.quote_view)
  if (reward) await note(services, queries, row, reward)
}

/** No reward is recorded for an address that could not be paid. */
async function note(services: Services, queries: Queries, row: SwapRow, earning: Earning): Promise<void> {
  const { campaigns, log, now } = services
  const campaign = campaigns.find(earning.campaign)
  if (!campaign) return
  const { name, token } = campaign
  const address = campaigns.earner(campaign, row.destination_network, row.destination_address)
  if (address === null || (await ownedAddresses(queries, token.network, [address])).length > 0) return
  const declared = await declareCampaign(queries, campaign)
  if (!declared) {
    services.metrics.alerts.inc()
    log.error({ campaign: name, swapId: row.id }, 'a reward was not recorded: its campaign has another token now')
    return
  }
  const { units, usd } = earning
  const period = periodOf(campaign, row.created_at)
  await insertReward(queries, { campaign: name, swap_id: row.id, address, period, units, usd, at: now() }, declared)
}

/** Asks the chain whether the recipient of a new swap holds an NFT, and records the reward that this earns. */
export async function promiseReward(services: Services, swapId: string): Promise<void> {
  const { database, campaigns, catalogue, log, now } = services
  const record = await readSwap(database, swapId)
  if (!record) return
  const { row } = record
  const swap = toSwap(record, catalogue)
  if (!swap.quote) return
  const { sourcePrice, reward } = parseView(row.quote_view)
  const { source, destination, destinationAddress: address, quote } = swap
  const terms = { source, sourcePrice, serviceFeeUnits: quote.serviceFeeUnits, destination, address }
  try {
    const holders = await heldFor(services, terms)
    const { earning } = campaigns.earning(terms, row.created_at, ({ name }) => holders.has(name))
    if (earning && earning.campaign !== reward?.campaign) await keepPromise(services, swapId, earning)
  } catch (error) {
    if (now().getTime() - row.created_at.getTime() > ASK_FOR_MS) throw error
    log.warn({ swapId, err: error }, 'failed to look up NFT holders')
    await addJob(database, { task: 'promise', payload: { swapId } }, { inMs: ASK_AGAIN_MS })
  }
}

/** The campaigns whose NFT the recipient holds. */
async function heldFor({ campaigns, chains }: Services, { destination, address }: EarningTerms): Promise<Set<string>> {
  const held = new Set<string>()
  for (const campaign of campaigns.list) {
    const { nft_contract: contract, token } = campaign
    const owner = address && campaigns.earner(campaign, destination.network, address)
    if (contract === null || !owner) continue
    if (await chainOf(chains, token.network).nfts?.isHeldBy(contract, owner)) held.add(campaign.name)
  }
  return held
}

/** If the swap completed before the chain answered, its reward is recorded now, unless it already has one. */
async function keepPromise(services: Services, swapId: string, earning: Earning): Promise<void> {
  await services.database.transaction().execute(async (queries) => {
    const record = await lockSwap(queries, swapId)
    if (!record || (await hasReward(queries, swapId))) return
    await setPromise(queries, swapId, earning)
    if (record.row.status === 'completed') await note(services, queries, record.row, earning)
    await announceSwap(queries, swapId)
  })
}
