/** Calls for web pages besides the swaps themselves: progress, route health, address checks, balances. */
import { z } from 'zod'
import { Funding } from './funding.ts'
import { AddressText, BaseUnits, DateTime, Human, NetworkName, TokenName } from './values.ts'

/** GET /site */
export const Site = z.strictObject({
  name: z.string(),
  environment: z.string(),
  sandbox: z.boolean().describe('True for a sandbox: local chains, worthless money, and the calls under /sandbox'),
  operator: z.string().nullable().describe('The name of the operator, as shown on the pages'),
  contact: z.string().nullable().describe('How to reach the operator'),
  terms: z.string().nullable(),
  privacy: z.string().nullable(),
  imprint: z.string().nullable(),
  build: z.string(),
  now: DateTime.describe("The service's clock"),
  paused: z.array(z.string()).describe('Scopes in which no new swaps are accepted, such as network:BASE_MAINNET'),
})
export type Site = z.infer<typeof Site>

/** GET /status: whether the service reads each network, now and on the last days. */
export const NetworkStatus = z.strictObject({
  network: z.string(),
  display_name: z.string(),
  logo: z.string(),
  state: z
    .enum(['up', 'behind', 'down', 'unknown'])
    .describe('behind: its newest block is old. down: none of its nodes answers. unknown: not checked yet'),
  paused: z.boolean().describe('True if no new swaps from or to the network are accepted'),
  notice: z.string().optional().describe('As in the list of networks, such as that it is no public network'),
  last_block_at: DateTime.nullable().describe('When its newest block was seen'),
  uptime: z.number().nullable().describe('The share of checks at which it was up, over all days below'),
  days: z.array(z.strictObject({ day: z.string().describe('The day in UTC'), uptime: z.number() })),
})
export const ServiceStatus = z.strictObject({
  now: DateTime.describe("The service's clock"),
  checked_at: DateTime.nullable().describe('The last check, normally less than a minute ago'),
  shown_days: z.int(),
  networks: z.array(NetworkStatus),
})
export type ServiceStatus = z.infer<typeof ServiceStatus>

/** GET /balance */
export const BalanceQuery = z.object({
  network: NetworkName,
  token: TokenName,
  address: AddressText.describe('The address whose balance is read'),
})
export const Balance = z.strictObject({
  amount: Human,
  amount_in_base_units: BaseUnits,
  native_amount_in_base_units: BaseUnits.describe("The owner's balance of the token that pays network fees"),
  transfer_cost_in_base_units: BaseUnits.describe('The approximate cost of sending the token, in the native token'),
})
export type Balance = z.infer<typeof Balance>

/** GET /address */
export const AddressQuery = z.object({ network: NetworkName, address: AddressText.describe('The text to check') })
export const CheckedAddress = z.strictObject({
  valid: z.boolean(),
  address: z.string().nullable().describe('The address in the canonical form of its network'),
  blocked: z
    .boolean()
    .describe(
      'True if the service does not pay to this address: the money would be lost, the address is ours, or it is screened',
    ),
  contract: z.boolean().nullable().describe('Whether the address is a contract; null if unknown'),
  activated: z
    .boolean()
    .nullable()
    .describe('Whether the account is activated; null if unknown, or if this network has no activation'),
})
export type CheckedAddress = z.infer<typeof CheckedAddress>

/** GET /routes/health: the latest funded swaps of each pair of networks. */
export const RouteHealth = z.strictObject({
  source_network: z.string(),
  destination_network: z.string(),
  swaps: z.int().describe('The number of swaps that were considered'),
  completed: z.int(),
  median_seconds: Human.nullable().describe(
    'Measured from the first sighting of the deposit; null if no swap completed',
  ),
  p95_seconds: Human.nullable(),
})
export type RouteHealth = z.infer<typeof RouteHealth>

/**
 * GET /unmatched/{transactionHash}: deposits that match no swap. Without amounts and addresses, because anyone may ask.
 */
export const UnmatchedDeposit = z.strictObject({
  network: z.string(),
  transaction_hash: z.string(),
  seen_at: DateTime,
  state: z
    .enum(['confirming', 'waiting', 'returned', 'kept'])
    .describe('waiting: an operator will assign it to a swap or refund it. kept: the operator has set it aside'),
})
export type UnmatchedDeposit = z.infer<typeof UnmatchedDeposit>

/** GET /swaps/{swapId}/progress */
export const SwapProgress = z.strictObject({
  now: DateTime.describe("The service's clock"),
  quote_expires_at: DateTime,
  expires_at: DateTime,
  deposit_seen_at: DateTime.nullable(),
  ...Funding.shape,
  usual_seconds: Human,
  p95_seconds: Human.nullable(),
  gives_up_at: DateTime.nullable().describe(
    'When the swap is refunded if its payout still cannot be started; null if no payout waits',
  ),
  held: z.enum(['review', 'paused', 'liquidity', 'node', 'deposit']).nullable().describe('Why a payout waits'),
  history: z.array(z.strictObject({ at: DateTime, type: z.string(), status: z.string() })),
  refund: z.strictObject({
    address: z.string().nullable().describe('The address to which it is refunded automatically'),
    owed: Human.describe(
      'The amount that was received and is neither delivered nor being refunded, in the source token',
    ),
    needs_address: z.boolean(),
    text_to_sign: z.string().describe('A URL with {address} in place of the address'),
  }),
})
export type SwapProgress = z.infer<typeof SwapProgress>
