/**
 * What swaps earn in the campaigns of the catalogue, and when it is due. What is left of a budget, what is paused and who
 * holds an NFT is read in the background.
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

/** What decides about a reward: the fee, and who receives the swap's output where. */
export interface EarningTerms {
  source: Token
  sourcePrice: Usd
  serviceFeeUnits: bigint
  destination: Token
  /** Null where a quote does not tell the recipient. */
  address: Address | null
}

interface Promised {
  earning: Earning | null
  /** A campaign for holders comes first, and nobody knows yet whether this is one. */
  isOpen: boolean
}

/** Whether the earner holds what a campaign asks for; null where it is not known. */
type Holds = (campaign: Campaign, earner: Address) => boolean | null

export interface Campaigns {
  list: readonly Campaign[]
  /** By its name, or by its number. */
  find(name: string): Campaign | null
  /** What clients know it by; 0 until it was read. */
  number(name: string): number
  /** What was earned so far, as it was read last. */
  earned(name: string): bigint
  /** The first campaign of the list that applies decides. */
  earning(terms: EarningTerms, now: Date, holds?: Holds): Promised
  /** Where a recipient gets the reward: its own address, where that is one of the token's network and can be paid. */
  earner(campaign: Campaign, destinationNetwork: string, address: Address): Address | null
  refresh(): Promise<void>
}

/** What of the chains decides whether an address can be paid. */
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

/** The same text may be an address of two families, and is then not the same person's. */
function isSameFamily(chains: Paying, one: string, other: string): boolean {
  const type = chains.get(one)?.network.type
  return type !== undefined && type === chains.get(other)?.network.type
}

export function isRunning({ starts_at, ends_at }: Campaign, now: Date): boolean {
  return now.getTime() >= Date.parse(starts_at) && now.getTime() < Date.parse(ends_at)
}

const DAY_MS = 86_400_000

/** Which stretch of the campaign a moment falls into, from 0. */
export function periodOf({ starts_at, period_days }: Campaign, at: Date): number {
  return Math.max(0, Math.floor((at.getTime() - Date.parse(starts_at)) / (period_days * DAY_MS)))
}

/** The last stretch whose rewards can be paid: one that is over, or the one that the campaign ended in. -1 before that. */
export function settledThrough(campaign: Campaign, now: Date): number {
  const over = now.getTime() < Date.parse(campaign.starts_at) ? -1 : periodOf(campaign, now) - 1
  const end = Date.parse(campaign.ends_at)
  return now.getTime() < end ? over : Math.max(over, periodOf(campaign, new Date(end - 1)))
}

/** When the stretch that a moment falls into is over, or the campaign is; null where it is over already. */
export function nextPayoutAt(campaign: Campaign, now: Date): Date | null {
  const [start, end] = [Date.parse(campaign.starts_at), Date.parse(campaign.ends_at)]
  if (now.getTime() >= end) return null
  return new Date(Math.min(end, start + (periodOf(campaign, now) + 1) * campaign.period_days * DAY_MS))
}

/** Tells the books which campaigns there are, before anything is promised in them. */
export async function declareCampaigns(database: Database, list: readonly Campaign[]): Promise<void> {
  for (const campaign of list) {
    if (!(await declareCampaign(database, campaign)))
      throw new ConfigError(`the campaign ${campaign.name} was begun with another token: give the new one another name`)
  }
}
