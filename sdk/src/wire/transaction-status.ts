/** GET /transaction_status: the status of a transaction on chain. */
import { z } from 'zod'
import { NetworkName, TransactionHash } from './values.ts'

export const TransactionStatus = z.strictObject({
  status: z.enum(['completed', 'failed', 'pending']),
  network: z.string(),
  transaction_id: z.string(),
  is_found: z.boolean(),
  is_completed: z.boolean(),
  confirmations: z.int(),
  max_confirmations: z.int(),
})
export type TransactionStatus = z.infer<typeof TransactionStatus>

export const TransactionStatusQuery = z.object({
  network: NetworkName,
  transaction_id: TransactionHash.describe('The hash of the transaction'),
})
export type TransactionStatusQuery = z.infer<typeof TransactionStatusQuery>
