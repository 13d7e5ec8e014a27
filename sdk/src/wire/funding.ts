/** The received and the missing amount of a swap: part of the swap and of its progress. */
import { z } from 'zod'
import { BaseUnits, DateTime, Human } from './values.ts'

export const Funding = z.strictObject({
  received_amount: Human.describe('The sum of the deposits that are in a block, in the source token'),
  received_amount_in_base_units: BaseUnits.describe('The same, exactly'),
  remaining_amount: Human.describe(
    'The rest of the amount; the deposit action asks for it. 0 if the swap is paid or closed, or its amount is open',
  ),
  remaining_amount_in_base_units: BaseUnits.describe('The same, exactly'),
  waits_until: DateTime.nullable().describe(
    'Until when the rest is awaited; null if nothing is. Then what has arrived is swapped if it is inside the limits, else refunded',
  ),
})
export type Funding = z.infer<typeof Funding>
