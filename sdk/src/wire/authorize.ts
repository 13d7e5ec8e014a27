/** The authorization of a gasless deposit: how it is submitted, and its status. */
import { z } from 'zod'
import { Transaction } from './swap.ts'
import { AddressText } from './values.ts'

/** POST /swaps/{swapId}/authorize */
export const AuthorizeBody = z.object({
  signature: z
    .string()
    .trim()
    .max(2 + 2 * 4096)
    .regex(/^0x(?:[0-9a-fA-F]{2})+$/, 'must be a signature in hex')
    .describe('The signature of typed_data, in hex'),
  signer_address: AddressText.describe("The signer: the swap's source_address"),
})
export type AuthorizeBody = z.infer<typeof AuthorizeBody>

export const Authorization = z.strictObject({
  status: z.enum(['awaiting_signature', 'initiated', 'published', 'completed', 'expired', 'insufficient', 'rejected']),
  transaction: Transaction.nullable().describe('Null until the authorization is on chain'),
})
export type Authorization = z.infer<typeof Authorization>
