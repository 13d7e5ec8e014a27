/** Setting the refund address of owed money: by the swap's app, or by the sender of the deposit. */
import { z } from 'zod'
import { AddressText, BaseUnits, Human } from './values.ts'

/**
 * Money that arrived, is neither delivered nor being refunded, and that the swap no longer waits for: it belongs to its
 * owner.
 */
export const Owed = z.strictObject({
  amount: Human.describe('In the source token'),
  amount_in_base_units: BaseUnits,
  address: z
    .string()
    .nullable()
    .describe('The address to which it is refunded automatically; null if an address is needed, or there are several'),
  needs_address: z
    .boolean()
    .describe('True if all or a part of it waits until POST /swaps/{swapId}/refund_address sets an address'),
  message: z.string().describe('The owed amount and the next step, as text for the user'),
})
export type Owed = z.infer<typeof Owed>

/** POST /swaps/{swapId}/refund_address */
export const RefundAddressBody = z.object({
  refund_address: AddressText.describe('An address of the source network'),
  signature: z
    .string()
    .trim()
    .max(8192)
    .regex(/^[!-~]+$/, 'must be a signature')
    .nullish()
    .describe(
      'A signature by the address that sent the deposit, over the text that names swap, network and refund address',
    ),
})
export type RefundAddressBody = z.infer<typeof RefundAddressBody>
