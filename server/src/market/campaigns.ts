/**
 * Rewards that swaps earn in the catalogue's campaigns, and when they are due. Remaining budgets, pauses and NFT
 * holders are read in the background.
 */
import {
  type Address,
  type ChainAdapter,
  fromUsd,
  mulDiv,
  ONE,
  parseDecimal,
  roundToDisplay,
  type Token,
  toUsd,
  type Usd,
} from '@causeway/core'
import type { Campaign } from '../catalogue/campaigns.ts'
import { ConfigError } from '../config.ts'
import type { Database } from '../store/db/database.ts'
import { listSwitches } from '../store/limits/safeguards.ts'
import { declareCampaign, readCampaigns } from '../store/rewards/campaigns.ts'
import type { Earning } from '../store/swaps/quote-view.ts'
import type { Market } from './market.ts'
import type { NftHoldings } from './nft-holdings.ts'
import { campaignScope } from './safeguards.ts'

/** The inputs of a reward: the fee, and the recipient of the output. */
export interface EarningTerms {
  source: Token
  sourcePrice: Usd
  serviceFeeUnits: bigint
  destination: Token
  /** Null if a quote does not name the recipient. */
  address: Address | null
}

interface Promised {
  earning: Earning | null
  /** Whether a campaign for NFT holders comes first and it is not known yet whether this recipient is one. */
  isOpen: boolean
}

/** Whether the earner holds the campaign's NFT; null if unknown. */
type Holds = (campaign: Campaign, earner: Address) => boolean | null

export interface Campaigns {
  list: readonly Campaign[]
  /** Finds a campaign by name or by number. */
  find(name: string): Campaign | null
  /** The number that clients use; 0 until it was read from the database. */
  number(name: string): number
  /** The amount earned so far, as last read. */
  earned(name: string): bigint
  /** The reward of a swap: by the first campaign in the list that applies. */
  earning(terms: EarningTerms, now: Date, holds?: Holds): Promised
  /** The address that receives the reward: the recipient's, if it is valid and payable on the token's network. */
  earner(campaign: Campaign, destinationNetwork: string, address: Address): Address | null
  refresh(): Promise<void>
}

/** The parts of the adapters that decide whether an address can be paid. */
type Paying = ReadonlyMap<string, Pick<ChainAdapter, 'network' | 'treasury' | 'parseAddress' | 'isUnpayable'>>

export function createCampaigns(
  list: readonly Campaign[],
  options: { database: Database; market: Pick<Market, 'price'>; chains: Paying; holdings: NftHoldings },
): Campaigns {
  const { database, market, chains, holdings } = options
  let books = new Map<string, { number: number; earned: bigint }>()
  const earnedIn = (name: string) => books.get(name)?.earned ?? 0n
  let paused = new Set<string>()
  const left = ({ name, budgetUnits }: Campaign) => budgetUnits - earnedIn(name)
  const isOffered = (one: Campaign, now: Date) =>
    isRunning(one, now) && left(one) > 0n && !paused.has(campaignScope(one.name))
  const known: Holds = ({ token, nft_contract }, owner) =>
    nft_contract !== null && holdings.holds(token.network, nft_contract, owner)

  function worthOf(campaign: Campaign, { source, sourcePrice, serviceFeeUnits }: EarningTerms): Earning | null {
    const price = market.price(campaign.token)
    if (!price) return null
    const fee = toUsd(serviceFeeUnits, source, sourcePrice, 'down')
    const share = mulDiv(fee, parseDecimal(campaign.fee_share.toFixed(6), 18) ?? 0n, ONE, 'down')
    const wanted = roundToDisplay(fromUsd(share, campaign.token, price, 'down'), campaign.token, 'down')
    const units = wanted < left(campaign) ? wanted : left(campaign)
    return units > 0n ? { campaign: campaign.name, units, usd: toUsd(units, campaign.token, price, 'down') } : null
  }

  const campaigns: Campaigns = {
    list,
    find: (text) =>
      list.find(({ name }) => name === text.toLowerCase()) ??
      list.find(({ name }) => `${books.get(name)?.number}` === text) ??
      null,
    number: (name) => books.get(name)?.number ?? 0,
    earned: earnedIn,
    earning(terms, now, holds = known) {
      let isOpen = false
      for (const campaign of list.filter((one) => isOffered(one, now))) {
        const { address, destination } = terms
        if (!isSameFamily(chains, campaign.token.network, destination.network)) continue
        const earner = address === null ? null : campaigns.earner(campaign, destination.network, address)
        if (address !== null && earner === null) continue
        if (campaign.type === 'for_nft_holders') {
          const isHolder = earner === null ? false : holds(campaign, earner)
          if (isHolder === null) isOpen = true
          if (!isHolder) continue
        }
        const earning = worthOf(campaign, terms)
        if (earning) return { earning, isOpen }
      }
      return { earning: null, isOpen }
    },
    earner(campaign, destinationNetwork, address) {
      const { network } = campaign.token
      const chain = chains.get(network)
      if (!chain || !isSameFamily(chains, network, destinationNetwork)) return null
      const earner = chain.parseAddress(address)
      return earner === null || chain.isUnpayable(earner) || earner === chain.treasury ? null : earner
    },
    async refresh() {
      if (list.length === 0) return
      books = await readCampaigns(database)
      const switches = await listSwitches(database)
      paused = new Set(switches.filter(({ stops_swaps }) => stops_swaps).map(({ scope }) => scope))
      await holdings.refresh()
    },
  }
  return campaigns
}

/**
 * Whether two networks are of the same family: the same text may be an address in two families with different owners.
 */
function isSameFamily(chains: Paying, one: string, other: string): boolean {
  const type = chains.get(one)?.network.type
  return type !== undefined && type === chains.get(other)?.network.type
}

export function isRunning({ starts_at, ends_at }: Campaign, now: Date): boolean {
  return now.getTime() >= Date.parse(starts_at) && now.getTime() < Date.parse(ends_at)
}

const DAY_MS = 86_400_000

/** The index of the payout period that contains `at`, from 0. */
export function periodOf({ starts_at, period_days }: Campaign, at: Date): number {
  return Math.max(0, Math.floor((at.getTime() - Date.parse(starts_at)) / (period_days * DAY_MS)))
}

/**
 * The last period whose rewards can be paid: one that is over, or the one that the campaign ended in. -1 before that.
 */
export function settledThrough(campaign: Campaign, now: Date): number {
  const over = now.getTime() < Date.parse(campaign.starts_at) ? -1 : periodOf(campaign, now) - 1
  const end = Date.parse(campaign.ends_at)
  return now.getTime() < end ? over : Math.max(over, periodOf(campaign, new Date(end - 1)))
}

/** When the current period or the campaign ends; null if the campaign is over. */
export function nextPayoutAt(campaign: Campaign, now: Date): Date | null {
  const [start, end] = [Date.parse(campaign.starts_at), Date.parse(campaign.ends_at)]
  if (now.getTime() >= end) return null
  return new Date(Math.min(end, start + (periodOf(campaign, now) + 1) * campaign.period_days * DAY_MS))
}

/** Registers the campaigns in the database before anything is promised in them. */
export async function declareCampaigns(database: Database, list: readonly Campaign[]): Promise<void> {
  for (const campaign of list) {
    if (!(await declareCampaign(database, campaign)))
      throw new ConfigError(`the campaign ${campaign.name} was begun with another token: give the new one another name`)
  }
}
