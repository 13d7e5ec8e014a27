/**
 * Reward campaigns, as the operator lists them in `networks/campaigns.json`: for a time and up to a budget, whoever swaps
 * earns a share of the service fee in a token. What is left of a budget is read in the background.
 */
import { existsSync, readFileSync } from 'node:fs'
import {
  type Catalogue,
  fromUsd,
  mulDiv,
  ONE,
  type Pricing,
  parseDecimal,
  type Quote,
  type Token,
  toGrid,
  toUsd,
  type Usd,
} from '@causeway/core'
import { z } from 'zod'
import { ConfigError } from './config.ts'
import type { Market } from './quoting.ts'
import { earnedByCampaign } from './store/campaigns.ts'
import type { Database } from './store/database.ts'

const CampaignFile = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]{1,64}$/),
  display_name: z.string().min(1),
  type: z.enum(['default', 'for_nft_holders']),
  /** Whose holders earn. Applies only where the family can say who holds one. */
  nft_contract: z.string().nullable().default(null),
  token: z.strictObject({ network: z.string(), symbol: z.string() }),
  /** Which part of the service fee is given back; 0.5 is half. */
  fee_share: z.number().positive().max(1),
  /** In whole tokens. */
  budget: z.string().regex(/^\d+(\.\d+)?$/),
  starts_at: z.iso.datetime({ offset: true }),
  ends_at: z.iso.datetime({ offset: true }),
  period_days: z.int().min(1).default(7),
})

export interface Campaign extends Omit<z.infer<typeof CampaignFile>, 'token' | 'budget'> {
  token: Token
  budgetUnits: bigint
}

/** What a swap would earn. */
export interface Earning {
  campaign: string
  units: bigint
  usd: Usd
}

export interface Campaigns {
  list: readonly Campaign[]
  find(name: string): Campaign | null
  /** What was earned so far, as it was read last. */
  earned(name: string): bigint
  earning(pricing: Pricing, quote: Quote, now: Date): Earning | null
  refresh(): Promise<void>
}

export function createCampaigns(list: readonly Campaign[], database: Database, market: Market): Campaigns {
  let earned = new Map<string, bigint>()
  const campaigns: Campaigns = {
    list,
    find: (name) => list.find((campaign) => campaign.name === name.toLowerCase()) ?? null,
    earned: (name) => earned.get(name) ?? 0n,
    earning(pricing, quote, now) {
      // No family can tell yet who holds what: such campaigns are listed and do not apply.
      const running = list.find((one) => one.type === 'default' && isRunning(one, now) && left(one) > 0n)
      const price = running && market.price(running.token)
      if (!running || !price) return null
      const fee = toUsd(quote.serviceFeeUnits, pricing.source, pricing.sourcePrice, 'down')
      const share = mulDiv(fee, parseDecimal(running.fee_share.toFixed(6), 18) ?? 0n, ONE, 'down')
      const wanted = toGrid(fromUsd(share, running.token, price, 'down'), running.token, 'down')
      const units = wanted < left(running) ? wanted : left(running)
      return units > 0n ? { campaign: running.name, units, usd: toUsd(units, running.token, price, 'down') } : null
    },
    async refresh() {
      if (list.length > 0) earned = await earnedByCampaign(database)
    },
  }
  const left = ({ name, budgetUnits }: Campaign) => budgetUnits - campaigns.earned(name)
  return campaigns
}

export function isRunning({ starts_at, ends_at }: Campaign, now: Date): boolean {
  return now.getTime() >= Date.parse(starts_at) && now.getTime() < Date.parse(ends_at)
}

const DAY_MS = 86_400_000

/** Which stretch of the campaign a moment falls into, from 0. */
export function periodOf({ starts_at, period_days }: Campaign, at: Date): number {
  return Math.max(0, Math.floor((at.getTime() - Date.parse(starts_at)) / (period_days * DAY_MS)))
}

export function readCampaigns(file: string, catalogue: Catalogue): Campaign[] {
  if (!existsSync(file)) return []
  const parsed = z.array(CampaignFile).safeParse(JSON.parse(readFileSync(file, 'utf8')))
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new ConfigError(`${file} has problems:\n  - ${problems.join('\n  - ')}`)
  }
  return parsed.data.map((campaign) => {
    const { network, symbol } = campaign.token
    const place = catalogue.networks.find(({ name }) => name === network)
    const token = place?.tokens.find((listed) => listed.symbol === symbol)
    const budgetUnits = token && parseDecimal(campaign.budget, token.decimals)
    if (!token || !budgetUnits)
      throw new ConfigError(`${file}: ${campaign.name}: no ${symbol} on ${network}, or no budget`)
    return { ...campaign, token, budgetUnits }
  })
}
