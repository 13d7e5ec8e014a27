/** The steps that the depositor must take on the source network. */
import { DEPOSIT_ACTION_TYPES } from '@causeway/core/vocabulary'
import { z } from 'zod'
import { Network, Token } from './network.ts'
import { BaseUnits, Human } from './values.ts'

export const DepositAction = z.strictObject({
  type: z
    .enum(DEPOSIT_ACTION_TYPES)
    .describe(
      'transfer: submit the transaction. manual_transfer: pay to the address. sign: sign typed_data, then POST …/authorize',
    ),
  to_address: z.string().describe('Read it for every swap: it may differ between swaps'),
  amount: Human.describe('The value of the transaction itself: 0 if the amount is inside call_data, or is open'),
  amount_in_base_units: BaseUnits.describe('The same, exactly. Send this'),
  call_data: z.string().nullable().describe('The call data, to be submitted unchanged: it names the swap'),
  network: Network,
  token: Token,
  fee_token: Token,
  order: z.int().describe('If there are several actions, carry them out in ascending order'),
  gas_limit: BaseUnits.nullable().describe('The suggested gas limit; Depository only'),
  encoded_args: z
    .array(z.string())
    .describe(
      'Depository: the arguments id and receiver, or id, token, receiver and amount. Cosmos, if source_address was given: denomination, account number, sequence, gas, fee, denomination of the fee, and key type',
    ),
  valid_after: z.number().nullable().describe('Gasless only: Unix seconds'),
  valid_before: z.number().nullable().describe('Gasless only: submit the signature before this time'),
  nonce: z.string().nullable().describe('Gasless only'),
  typed_data: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('Gasless only: EIP-712 typed data, to be signed unchanged'),
})
export type DepositAction = z.infer<typeof DepositAction>
