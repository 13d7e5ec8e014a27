/** Swaps, their transactions, and the calls that make and read them. */
import { STATUSES } from '@causeway/core/vocabulary'
import { z } from 'zod'
import { DepositAction } from './deposit-action.ts'
import { Exchange, Network, Token } from './network.ts'
import { Quoted } from './quote.ts'
import { Owed } from './refund-address.ts'
import { QuoteSignature } from './signature.ts'
import {
  AddressText,
  DateTime,
  Decimal,
  Flag,
  Human,
  Label,
  NetworkName,
  Switch,
  TokenName,
  TransactionHash,
} from './values.ts'

export const SwapStatus = z.enum(STATUSES)
export type SwapStatus = z.infer<typeof SwapStatus>

export const Transaction = z.strictObject({
  from: z.string().nullable(),
  to: z.string().nullable(),
  timestamp: DateTime,
  created_date: DateTime.describe('The same as timestamp, under the name that older clients read'),
  transaction_hash: z.string().nullable(),
  confirmations: z.int(),
  max_confirmations: z.int(),
  amount: Human,
  amount_in_usd: Human.nullable(),
  usd_value: Human.nullable().describe('The same as amount_in_usd'),
  usd_price: Human.nullable().describe('What one token was worth'),
  type: z.enum(['input', 'output', 'refuel', 'refund']),
  status: z.enum(['completed', 'initiated', 'pending', 'failed']),
  token: Token,
  network: Network,
  fee_amount: Human.nullable(),
  fee_token: Token,
})
export type Transaction = z.infer<typeof Transaction>

export const Swap = z.strictObject({
  id: z.uuid(),
  created_date: DateTime,
  close_date: DateTime.nullable(),
  source_network: Network,
  source_token: Token,
  source_exchange: Exchange.nullable(),
  destination_network: Network,
  destination_token: Token,
  destination_exchange: Exchange.nullable(),
  requested_amount: Human.describe('0 while the amount is open'),
  destination_address: z.string(),
  source_address: z.string().nullable(),
  refund_address: z.string().nullable().describe('Where the money is sent back to if it cannot be swapped'),
  status: SwapStatus,
  fail_reason: z.string().nullable(),
  owed: Owed.nullable().describe('What is held for the sender; null where nothing is'),
  use_deposit_address: z.boolean(),
  metadata: z.strictObject({
    sequence_number: z.int(),
    reference_id: z.string().nullable(),
    exchange_account: z.string().nullable(),
  }),
  transactions: z.array(Transaction),
})
export type Swap = z.infer<typeof Swap>

export const CreatedSwap = Quoted.extend({
  swap: Swap,
  deposit_actions: z.array(DepositAction),
  signature: QuoteSignature.describe('Proves that quote and deposit actions are ours'),
})
export type CreatedSwap = z.infer<typeof CreatedSwap>

/** The same; where the deposit actions were not wanted there are none, and no signature over them. */
export const SwapDetails = CreatedSwap.partial({ signature: true })
export type SwapDetails = z.infer<typeof SwapDetails>

/** POST /swaps */
export const CreateSwapBody = z.object({
  source_network: NetworkName,
  source_token: TokenName,
  destination_network: NetworkName,
  destination_token: TokenName,
  destination_address: AddressText,
  amount: Decimal.nullish().describe('May be absent with use_deposit_address: whatever arrives is swapped'),
  source_address: AddressText.nullish(),
  refund_address: AddressText.nullish(),
  reference_id: Label.nullish(),
  app_name: Label.nullish(),
  slippage: Decimal.nullish().describe('A fraction: 0.01 is one percent'),
  refuel: Switch,
  use_deposit_address: Switch,
  use_depository: Switch,
  use_gasless: Switch,
  use_new_deposit_address: Switch,
  force_user_execution: Switch.describe('The depositor sends the deposit themselves: use_gasless is not followed'),
  source_exchange: Label.nullish(),
  destination_exchange: Label.nullish(),
})
export type CreateSwapBody = z.infer<typeof CreateSwapBody>

export const SwapParams = z.object({ swapId: z.uuid() })

/** GET /swaps/{swapId}/deposit_actions */
export const DepositActionsQuery = z.object({ source_address: AddressText.optional() })

/** GET /swaps/{swapId} */
export const SwapQuery = DepositActionsQuery.extend({ exclude_deposit_actions: Flag })

/** POST /swaps/{swapId}/deposit_speedup */
export const SpeedupBody = z.object({
  transaction_id: TransactionHash,
})
