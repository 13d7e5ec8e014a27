/** Errors of Agave and its like, and what they mean for us. Codes are those of its rpc-client-api; a name is that of a transaction's error. */
import { classOfError, type ErrorClass, type ErrorRow, type NodeError, RATE_LIMITS } from '@causeway/chain-kit'

export const ERRORS: readonly ErrorRow[] = [
  {
    class: 'known',
    code: 'AlreadyProcessed',
    origin: 'agave 2.1, sdk/transaction-error',
    example: 'This transaction has already been processed',
  },
  {
    class: 'known',
    code: 'BlockhashNotFound',
    origin: 'agave 2.1, sdk/transaction-error: also the answer to a nonce that is used, perhaps by these very bytes',
    example: 'Blockhash not found',
  },
  {
    class: 'permanent',
    code: -32003,
    origin: 'agave 2.1, rpc-client-api/src/custom_error.rs TRANSACTION_SIGNATURE_VERIFICATION_FAILURE',
    example: 'Transaction signature verification failure',
  },
  {
    class: 'behind',
    code: -32004,
    origin: 'agave 2.1, rpc-client-api/src/custom_error.rs BLOCK_NOT_AVAILABLE',
    example: 'Block not available for slot 5',
  },
  {
    class: 'behind',
    code: -32005,
    text: /node is (behind|unhealthy)/i,
    origin: 'agave 2.1, rpc-client-api/src/custom_error.rs NODE_UNHEALTHY',
    example: 'Node is behind by 42 slots',
  },
  {
    class: 'behind',
    code: -32007,
    origin: 'agave 2.1, rpc-client-api/src/custom_error.rs SLOT_SKIPPED',
    example: 'Slot 5 was skipped, or missing due to ledger jump to recent snapshot',
  },
  {
    class: 'behind',
    code: -32009,
    origin: 'agave 2.1, rpc-client-api/src/custom_error.rs LONG_TERM_STORAGE_SLOT_SKIPPED',
    example: 'Slot 5 was skipped, or missing in long-term storage',
  },
  {
    class: 'behind',
    code: -32014,
    origin: 'agave 2.1, rpc-client-api/src/custom_error.rs BLOCK_STATUS_NOT_AVAILABLE_YET',
    example: 'Block status not yet available for slot 5',
  },
  {
    class: 'behind',
    code: -32016,
    origin: 'agave 2.1, rpc-client-api/src/custom_error.rs MIN_CONTEXT_SLOT_NOT_REACHED',
    example: 'Minimum context slot has not been reached',
  },
  {
    class: 'insufficient funds',
    code: 'InsufficientFundsForFee',
    origin: 'agave 2.1, sdk/transaction-error',
    example: 'Insufficient funds for fee',
  },
  ...RATE_LIMITS,
]

export function classOf(error: NodeError): ErrorClass {
  return classOfError(ERRORS, error)
}
