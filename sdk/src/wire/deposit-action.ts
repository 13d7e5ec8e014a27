/** What the depositor must do on the source network. */
import { DEPOSIT_ACTION_TYPES } from '@causeway/core/vocabulary'
import { z } from 'zod'
import { Network, Token } from './network.ts'
import { BaseUnits, Human } from './values.ts'

export const DepositAction = z.strictObject({
  type: z.enum(DEPOSIT_ACTION_TYPES),
  to_address: z.string(),
  amount: Human.describe('What the transaction itself carries: 0 where the amount is inside call_data, or is open'),
  amount_in_base_units: BaseUnits,
  call_data: z.string().nullable().describe('Submit it as it is: it names the swap'),
  network: Network,
  token: Token,
  fee_token: Token,
  order: z.int(),
  gas_limit: BaseUnits.nullable(),
  encoded_args: z.array(z.string()),
  valid_after: z.number().nullable(),
  valid_before: z.number().nullable(),
  nonce: z.string().nullable(),
  typed_data: z.record(z.string(), z.unknown()).nullable(),
})
export type DepositAction = z.infer<typeof DepositAction>
