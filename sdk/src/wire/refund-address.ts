/** Saying where owed money shall go: by the app whose swap it is, or by whoever sent the deposit. */
import { z } from 'zod'
import { AddressText } from './values.ts'

/** POST /swaps/{swapId}/refund_address */
export const RefundAddressBody = z.object({
  refund_address: AddressText.describe('An address of the source network'),
  signature: z
    .string()
    .trim()
    .regex(/^[!-~]{1,8192}$/, 'must be a signature')
    .nullish()
    .describe('Of the address that sent the deposit, over the text that names swap, network and address'),
})
export type RefundAddressBody = z.infer<typeof RefundAddressBody>
