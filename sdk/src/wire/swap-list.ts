/** Lists of swaps: by address, by reference, by transaction, and the public explorer. */
import { z } from 'zod'
import { Quoted } from './quote.ts'
import { SwapStatus as Statuses, Swap, type SwapStatus } from './swap.ts'
import { AddressText, DateTime, Flag, Label, listOf, NetworkName, TransactionHash } from './values.ts'

export const ListedSwap = Quoted.extend({ swap: Swap })
export type ListedSwap = z.infer<typeof ListedSwap>

/** A row of the public explorer, without the reward, which is private to the depositor. */
export const ExplorerRow = ListedSwap.omit({ reward: true })
export type ExplorerRow = z.infer<typeof ExplorerRow>

/** Every status name that clients use, in lower case. 1 and 4 come from the oldest clients. */
const STATUS_WORDS: Record<string, SwapStatus[]> = {
  ...Object.fromEntries(Statuses.options.map((status) => [status, [status]])),
  pendingdeposit: ['user_transfer_pending'],
  pendingwithdrawal: ['ls_transfer_pending'],
  pendingrefund: ['refund_pending', 'pending_refund'],
  completed: ['completed'],
  failed: ['failed'],
  expired: ['expired'],
  refunded: ['refunded'],
  '1': ['completed'],
  '4': ['user_transfer_pending', 'ls_transfer_pending', 'refund_pending'],
}

const StatusWord = z
  .string()
  .refine((word) => Object.hasOwn(STATUS_WORDS, word.toLowerCase()), 'must be statuses, or the integers 1 and 4')
  .transform((word) => STATUS_WORDS[word.toLowerCase()] ?? [])

/** More addresses than a wallet has at once; each costs an index lookup. */
const MOST_ADDRESSES = 20
/** The last page: the newest ten thousand swaps. Each deeper page costs as much as all before it. */
export const LAST_PAGE = 500

const Addresses = listOf(AddressText).pipe(z.array(z.string()).max(MOST_ADDRESSES))

const ListFilters = z.object({
  page: z.coerce
    .number()
    .int()
    .transform((page) => Math.max(1, page))
    .default(1)
    .describe(`20 per page, newest first. Below 1 is page 1; after page ${LAST_PAGE} every page is empty`),
  statuses: listOf(StatusWord)
    .transform((found) => [...new Set(found.flat())])
    .optional()
    .describe(
      'PendingDeposit, PendingWithdrawal, PendingRefund, Completed, Failed, Expired, Refunded in any case; the status names; 1 (completed) or 4 (in progress)',
    ),
  networks: listOf(Label).optional().describe('Only swaps from or to one of these networks'),
  cursor: z
    .uuid()
    .optional()
    .describe('The id of the last swap of a page: the list continues after it. Unlike `page`, it has no limit'),
  created_from: DateTime.optional().describe('Only swaps created at this time or later'),
  created_before: DateTime.optional().describe('Only swaps created before this time'),
  source_network: NetworkName.optional().describe('Only swaps from this network'),
  destination_network: NetworkName.optional().describe('Only swaps to this network'),
  include_expired: Flag.describe('Includes swaps that were never paid'),
})

/** GET /swaps and /explorer */
export const SwapsQuery = ListFilters.extend({
  address: Addresses.optional().describe('Source, destination, refund or deposit address; repeatable'),
  addresses: Addresses.optional().describe('The same'),
  reference_id: Label.optional().describe('Your own reference, as given at creation'),
})
export type SwapsQuery = z.infer<typeof SwapsQuery>

/** GET /explorer/{search} */
export const ExplorerParams = z.object({
  search: AddressText.describe('An address, a transaction hash or a swap id'),
})

/** GET /swaps/by_transaction_hash/{transactionHash} */
export const TransactionHashParams = z.object({
  transactionHash: TransactionHash.describe('Any transaction of the swap'),
})
