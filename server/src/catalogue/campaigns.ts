/**
 * Reward campaigns, as the operator lists them in `networks/campaigns.json`: for a time and up to a budget, the
 * recipient of a swap's output earns a share of the service fee in a token. None by default.
 */
import { existsSync } from 'node:fs'
import { CAMPAIGN_TYPES, type Catalogue, type ChainAdapter, parseDecimal, type Token } from '@causeway/core'
import { z } from 'zod'
import { readJson } from '../config/json.ts'
import { ConfigError } from '../config.ts'

const CampaignFile = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]{1,64}$/),
  display_name: z.string().min(1),
  description: z.string().optional(),
  logo_url: z.url({ protocol: /^https$/ }).optional(),
  type: z.enum(CAMPAIGN_TYPES),
  /** The NFT contract whose holders earn, on the network of the reward token. Only for `for_nft_holders`. */
  nft_contract: z.string().nullable().default(null),
  token: z.strictObject({ network: z.string(), symbol: z.string() }),
  /** The share of the service fee that is paid as a reward; 0.5 is half. */
  fee_share: z.number().positive().max(1),
  /** The budget in whole tokens. */
  budget: z.string().regex(/^\d+(\.\d+)?$/),
  /** The smallest payout in whole tokens: a smaller sum waits for the next period. */
  min_payout: z
    .string()
    .regex(/^\d+(\.\d+)?$/)
    .default('0'),
  starts_at: z.iso.datetime({ offset: true }),
  ends_at: z.iso.datetime({ offset: true }),
  period_days: z.int().min(1).default(7),
})

export interface Campaign extends Omit<z.infer<typeof CampaignFile>, 'token' | 'budget' | 'min_payout'> {
  token: Token
  budgetUnits: bigint
  minPayoutUnits: bigint
}

/** The networks against which a campaign file is checked. */
type Holding = ReadonlyMap<string, Pick<ChainAdapter, 'parseAddress' | 'nfts'>>

export function readCampaigns(file: string, catalogue: Catalogue, chains: Holding): Campaign[] {
  if (!existsSync(file)) return []
  const parsed = z.array(CampaignFile).safeParse(readJson(file))
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new ConfigError(`${file} has problems:\n  - ${problems.join('\n  - ')}`)
  }
  if (new Set(parsed.data.map(({ name }) => name)).size < parsed.data.length)
    throw new ConfigError(`${file}: the names of campaigns must be unique`)
  return parsed.data.map((campaign) => {
    const { network, symbol } = campaign.token
    const place = catalogue.networks.find(({ name }) => name === network)
    const token = place?.tokens.find((listed) => listed.symbol === symbol)
    const budgetUnits = token && parseDecimal(campaign.budget, token.decimals)
    const minPayoutUnits = token && parseDecimal(campaign.min_payout, token.decimals)
    if (!token || !budgetUnits || typeof minPayoutUnits !== 'bigint')
      throw new ConfigError(`${file}: ${campaign.name}: no ${symbol} on ${network}, or no budget`)
    const nft_contract = campaign.type === 'for_nft_holders' ? nftOf(file, campaign, chains) : null
    return { ...campaign, token, budgetUnits, minPayoutUnits, nft_contract }
  })
}

/** The contract in canonical form, on a network that can read NFT ownership. */
function nftOf(file: string, { name, nft_contract, token }: z.infer<typeof CampaignFile>, chains: Holding): string {
  const chain = chains.get(token.network)
  if (!chain?.nfts)
    throw new ConfigError(`${file}: ${name}: ${token.network} cannot tell who holds an NFT: for_nft_holders needs that`)
  const contract = nft_contract === null ? null : chain.parseAddress(nft_contract)
  if (contract === null) throw new ConfigError(`${file}: ${name}: nft_contract must be an address of ${token.network}`)
  return contract
}
