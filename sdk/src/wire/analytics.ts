/** The explorer's volumes: inflow and outflow per network, over time, by token and by route. */
import { ANALYTICS_PERIODS } from '@causeway/core/vocabulary'
import { z } from 'zod'
import { DateTime, Human } from './values.ts'

/** GET /explorer/analytics */
export const AnalyticsQuery = z.object({
  period: z.enum(ANALYTICS_PERIODS).default('24h').describe('The period to sum, up to now'),
})

const Volume = z.strictObject({ transfer_count: z.int(), amount_in_usd: Human })
const TokenVolume = Volume.extend({ token_amount: Human })
const Neighbour = Volume.extend({ network: z.string() })

export const NetworkVolumes = z.strictObject({
  network: z.string(),
  totals: z.strictObject({
    inflow: Volume.describe('Deposits on this network'),
    outflow: Volume.describe('Payouts on this network'),
    net_amount_in_usd: Human.describe('inflow - outflow'),
  }),
  timeline: z.array(
    z.strictObject({
      bucket_start: DateTime,
      inflow_transfer_count: z.int(),
      outflow_transfer_count: z.int(),
      inflow_amount_in_usd: Human,
      outflow_amount_in_usd: Human,
    }),
  ),
  assets: z.array(z.strictObject({ asset: z.string(), logo: z.string(), inflow: TokenVolume, outflow: TokenVolume })),
  source_chains: z.array(Neighbour).describe('The networks from which this outflow came'),
  destination_chains: z.array(Neighbour).describe('The networks to which this inflow went'),
})
export type NetworkVolumes = z.infer<typeof NetworkVolumes>

export const Analytics = z.strictObject({
  generated_at: DateTime,
  range: z.strictObject({ from: DateTime, to: DateTime, bucket_size: z.enum(['hour', 'day', 'week']) }),
  available_networks: z.array(z.strictObject({ name: z.string(), display_name: z.string(), logo: z.string() })),
  networks: z.array(NetworkVolumes),
})
export type Analytics = z.infer<typeof Analytics>
