/** Errors of Starknet nodes, and what they mean for us. Codes are those of starknet-specs 0.9. */
import { classOfError, type ErrorClass, type ErrorRow, type NodeError, RATE_LIMITS } from '@causeway/chain-kit'

export const ERRORS: readonly ErrorRow[] = [
  {
    class: 'known',
    code: 59,
    origin: 'starknet-specs 0.9, starknet_write_api.json DUPLICATE_TX',
    example: 'A transaction with the same hash already exists in the mempool',
  },
  {
    class: 'retry',
    code: 52,
    origin: 'starknet-specs 0.9, INVALID_TRANSACTION_NONCE: used, too far ahead, or an underpriced replacement',
    example: 'Invalid transaction nonce',
  },
  {
    class: 'recipient refuses',
    code: 40,
    origin: 'NethermindEth/starknet.go, rpc/testData, 15cbbdd1, and starknet-specs 0.9 CONTRACT_ERROR: a call reverted',
    example: 'Contract error',
  },
  {
    class: 'recipient refuses',
    code: 41,
    origin: 'starknet-specs 0.9, TRANSACTION_EXECUTION_ERROR',
    example: 'Transaction execution error',
  },
  {
    class: 'insufficient funds',
    code: 54,
    origin: 'starknet-specs 0.9, INSUFFICIENT_ACCOUNT_BALANCE',
    example: "Account balance is smaller than the transaction's max_fee",
  },
  {
    class: 'insufficient funds',
    text: /u256_sub Overflow|insufficient balance|exceeds balance|nonce/i,
    origin: 'OpenZeppelin Cairo ERC-20 0.8 to 1.0; a lagging node may say it of a treasury that was just funded',
    example: 'u256_sub Overflow',
  },
  {
    class: 'retry',
    code: 20,
    origin: 'starknet-specs 0.9, CONTRACT_NOT_FOUND',
    example: 'Contract not found',
  },
  {
    class: 'retry',
    code: 24,
    origin: 'starknet-specs 0.9, BLOCK_NOT_FOUND',
    example: 'Block not found',
  },
  {
    class: 'retry',
    code: 29,
    origin: 'starknet-specs 0.9, TXN_HASH_NOT_FOUND',
    example: 'Transaction hash not found',
  },
  ...RATE_LIMITS,
]

export function classOf(error: NodeError): ErrorClass {
  return classOfError(ERRORS, error)
}
