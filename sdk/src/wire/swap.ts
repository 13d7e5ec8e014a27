/** Swaps, their transactions, and the calls that create and read them. */
import { STATUSES } from '@causeway/core/vocabulary'
import { z } from 'zod'
import { DepositAction } from './deposit-action.ts'
import { Funding } from './funding.ts'
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
  REFUEL,
  SLIPPAGE,
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
  usd_price: Human.nullable().describe("The price of one token at the swap's creation, in dollars"),
  type: z
    .enum(['input', 'output', 'refuel', 'refund'])
    .describe('input: the deposit. output: the delivered amount. refuel: gas delivered with it. refund: a refund'),
  status: z
    .enum(['completed', 'initiated', 'pending', 'failed'])
    .describe(
      'pending: not in a block, or not sent. initiated: in a block or sent, with too few confirmations. completed: confirmed',
    ),
  token: Token,
  network: Network,
  fee_amount: Human.nullable(),
  fee_token: Token,
})
export type Transaction = z.infer<typeof Transaction>

/** An exchange over a swap provider, as a part of a swap. */
export const Leg = z.strictObject({
  type: z
    .enum(['sale', 'purchase'])
    .describe(
      'sale: the deposited token is sold on the source network. purchase: the destination token is bought for the recipient',
    ),
  made_by: z
    .enum(['service', 'depositor'])
    .describe('depositor: its own transaction makes the exchange, by force_user_execution'),
  provider: z.string().describe("The exchange of the quote's path, or the aggregator that executes it"),
  network: Network,
  sold_token: Token,
  sold_amount: Human,
  bought_token: Token,
  bought_amount: Human.nullable().describe('The amount that the exchange gave; null until it is confirmed'),
  min_bought_amount: Human.describe('With less the exchange reverts'),
  status: z.enum(['completed', 'initiated', 'pending']).describe('As of a transaction'),
  transaction_hash: z.string().nullable(),
  timestamp: DateTime,
})
export type Leg = z.infer<typeof Leg>

export const Swap = z.strictObject({
  id: z.uuid(),
  created_date: DateTime,
  close_date: DateTime.nullable().describe('When it reached a terminal status'),
  source_network: Network,
  source_token: Token,
  source_exchange: Exchange.nullable(),
  destination_network: Network,
  destination_token: Token,
  destination_exchange: Exchange.nullable(),
  requested_amount: Human.describe('0 if the amount is open'),
  ...Funding.shape,
  destination_address: z.string(),
  source_address: z.string().nullable(),
  refund_address: z
    .string()
    .nullable()
    .describe(
      'Where the money is sent back to if it cannot be swapped: as the swap was made, or as given later for every deposit of it',
    ),
  status: SwapStatus,
  fail_reason: z
    .string()
    .nullable()
    .describe('Why the swap did not complete, in snake_case. More reasons may be added'),
  owed: Owed.nullable().describe('Money that is held for the sender; null if there is none'),
  use_deposit_address: z.boolean(),
  metadata: z.strictObject({
    sequence_number: z.int().describe('The number by which call_data names the swap'),
    reference_id: z.string().nullable().describe('Your own reference; null for callers who may not read it'),
    exchange_account: z.string().nullable(),
  }),
  transactions: z.array(Transaction),
  legs: z
    .array(Leg)
    .describe(
      'The exchanges that the swap goes over; empty on most routes. The transaction of a purchase is also the output',
    ),
})
export type Swap = z.infer<typeof Swap>

export const CreatedSwap = Quoted.extend({
  swap: Swap,
  deposit_actions: z.array(DepositAction),
  signature: QuoteSignature.describe('Proves that the service made the quote and the deposit actions'),
})
export type CreatedSwap = z.infer<typeof CreatedSwap>

/** A swap as it is read later. Without deposit actions there is no signature over them. */
export const SwapDetails = CreatedSwap.partial({ signature: true })
export type SwapDetails = z.infer<typeof SwapDetails>

/** POST /swaps */
export const CreateSwapBody = z.object({
  source_network: NetworkName,
  source_token: TokenName,
  destination_network: NetworkName,
  destination_token: TokenName,
  destination_address: AddressText.describe('The recipient on the destination network'),
  amount: Decimal.nullish().describe(
    'In whole source tokens, as a number or as text, which stays exact. May be absent with use_deposit_address: any amount inside the limits is swapped',
  ),
  source_address: AddressText.nullish().describe(
    'Who pays. Needed with use_gasless, and on networks whose transaction is built for its payer (Solana)',
  ),
  refund_address: AddressText.nullish().describe(
    'Where the money goes back to, on the source network. Always give one with use_deposit_address: the sender may be an exchange',
  ),
  reference_id: Label.nullish().describe(
    'Your own reference for the swap. Only your secret key can read it and search by it',
  ),
  app_name: Label.nullish().describe('A label chosen by the caller, for the operator'),
  slippage: Decimal.nullish().describe(SLIPPAGE),
  refuel: Switch.describe(REFUEL),
  use_deposit_address: Switch.describe(
    'Creates a deposit address for this swap. A deposit there from any sender pays for the swap',
  ),
  use_depository: Switch.describe('Deposit through the Depository contract'),
  use_gasless: Switch.describe('Gasless deposit: source_address signs it and the service sends it'),
  use_new_deposit_address: Switch.describe(
    'With a secret key: do not use the address of an earlier swap of the same route, recipient and refund address',
  ),
  force_user_execution: Switch.describe(
    'The depositor sends the deposit: use_gasless is ignored. If the route begins with an exchange on the source network and its family can, the depositor makes that exchange, too: deposit_actions are the approval and the call, `legs` says made_by depositor, and refunds are in the token that the exchange gives. Otherwise, and with use_deposit_address or use_depository, the service makes it',
  ),
  source_exchange: Label.nullish().describe('The name of an exchange in /source_exchanges'),
  destination_exchange: Label.nullish().describe('The name of an exchange in /source_exchanges'),
})
export type CreateSwapBody = z.infer<typeof CreateSwapBody>

export const SwapParams = z.object({ swapId: z.uuid().describe('The id of the swap') })

/** GET /swaps/{swapId}/deposit_actions */
export const DepositActionsQuery = z.object({
  source_address: AddressText.optional().describe(
    'Who will pay, if the network builds the transaction for its payer and the swap names no payer',
  ),
})

/** GET /swaps/{swapId} */
export const SwapQuery = DepositActionsQuery.extend({
  exclude_deposit_actions: Flag.describe(
    'Leave the deposit actions out: the list is then empty, and the answer sooner there',
  ),
})

/** POST /swaps/{swapId}/deposit_speedup */
export const SpeedupBody = z.object({
  transaction_id: TransactionHash.describe('The hash of the deposit that was sent'),
})
