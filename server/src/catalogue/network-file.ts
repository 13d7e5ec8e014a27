/** The schema of a file in `networks/`: the one place that defines its shape. */
import { NETWORK_TYPES } from '@causeway/core'
import { z } from 'zod'
import { AggregatorFile, ProviderFile } from './network-providers.ts'

const TokenFile = z.strictObject({
  symbol: z.string().min(1),
  display_asset: z.string().min(1),
  contract: z.string().nullable(),
  decimals: z.int().min(0).max(36),
  precision: z.int().min(0).max(18),
  /** How many decimals an amount that we send may have; all decimals of the token if absent. */
  sent_decimals: z.int().min(0).max(36).optional(),
  group: z.string().nullable(),
  listing_date: z.iso.datetime({ offset: true }),
  source_rank: z.int(),
  destination_rank: z.int(),
  /** Packages that list this address for this chain: `npm run networks -- check` compares with them. */
  confirmed_by: z.array(z.string()).optional(),
  /** Where the address is published, if no package of `confirmed_by` covers the network. */
  source: z.url().optional(),
  /** False: no new swaps of this token; existing ones finish. */
  listed: z.boolean().default(true),
  /** True: the treasury does not hold it; swaps of it go through the pools of a provider. */
  pool_only: z.literal(true).optional(),
})

export const NetworkFile = z.strictObject({
  name: z.string().regex(/^[A-Z0-9_]+$/),
  /** Names of the network in published clients. Responses use `name`. */
  aliases: z.array(z.string().regex(/^[A-Z0-9_]+$/)).optional(),
  display_name: z.string().min(1),
  type: z.enum(NETWORK_TYPES),
  chain_id: z.string().nullable(),
  nodes: z.array(z.url()),
  transaction_explorer: z.string().includes('{0}'),
  account_explorer: z.string().includes('{0}'),
  listing_date: z.iso.datetime({ offset: true }),
  source_rank: z.int(),
  destination_rank: z.int(),
  confirmations: z
    .array(z.strictObject({ up_to_usd: z.number().positive().nullable(), confirmations: z.int().min(1) }))
    .min(1)
    .refine((tiers) => tiers.at(-1)?.up_to_usd === null, 'the last tier must have no bound (up_to_usd: null)'),
  final_depth: z.int().min(1),
  poll_ms: z.int().min(20),
  /** The poll interval while no swap waits; a late deposit must still be seen within a minute. */
  idle_poll_ms: z.int().min(20).max(45_000).optional(),
  max_requests_per_minute: z.int().min(30).optional(),
  quorum: z.int().min(1).max(9).optional(),
  stuck_after_seconds: z.number().positive().optional(),
  top_up_seconds: z.number().positive().optional(),
  /** The block time: a quote is valid for at least two blocks. */
  block_seconds: z.number().positive().optional(),
  tokens: z
    .array(TokenFile)
    .refine((tokens) => tokens.filter(({ contract }) => contract === null).length === 1, 'exactly one token is native'),
  /** The swap providers: exchanges on this network whose listed pools may be used. */
  providers: z.array(ProviderFile).optional(),
  /** Aggregators that may execute an exchange whose pair those pools quote. */
  aggregators: z.array(AggregatorFile).optional(),
  settings: z.record(z.string(), z.unknown()),
  /** Why fewer than two nodes are listed. Nothing reads it but people and the test of the shipped files. */
  fewer_nodes: z.string().min(1).optional(),
  /** Why the network is out of service. It is listed but takes no new swaps; its existing swaps stay readable. */
  inactive: z.string().min(1).optional(),
  /** What clients show beside the network's name, such as that it has no public network; `inactive` if absent. */
  notice: z.string().min(1).optional(),
})

export type NetworkFile = z.infer<typeof NetworkFile>
