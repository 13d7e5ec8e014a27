/** Errors of CometBFT and the SDK, and what they mean for us. Codes are those of the SDK for a broadcast. */
import { classOfError, type ErrorClass, type ErrorRow, type NodeError, RATE_LIMITS } from '@causeway/chain-kit'

export const ERRORS: readonly ErrorRow[] = [
  {
    class: 'known',
    code: 19,
    origin: 'cosmos-sdk 0.50, types/errors ErrTxInMempoolCache',
    example: 'tx already in mempool',
  },
  {
    class: 'known',
    text: /tx already exists in cache|already in mempool/i,
    origin: 'CometBFT 0.38, mempool/errors.go',
    example: 'tx already exists in cache',
  },
  {
    class: 'permanent',
    code: 4,
    origin: 'cosmos-sdk 0.50, types/errors ErrUnauthorized: account number, chain id or key are wrong',
    example: 'signature verification failed; please verify account number (7) and chain-id (osmosis-1): unauthorized',
  },
  {
    class: 'retry',
    code: 32,
    origin: 'cosmos-sdk 0.50, types/errors ErrWrongSequence',
    example: 'account sequence mismatch, expected 5, got 4: incorrect account sequence',
  },
  {
    class: 'insufficient funds',
    code: 5,
    origin: 'cosmos-sdk 0.50, types/errors ErrInsufficientFunds',
    example: 'spendable balance 10uosmo is smaller than 20uosmo: insufficient funds',
  },
  {
    class: 'recipient refuses',
    text: /not allowed to receive|can ?not receive/i,
    origin: 'cosmos-sdk 0.50, x/bank; Noble fiattokenfactory 2 in other words',
    example: 'osmo1xyz is not allowed to receive funds: unauthorized',
  },
  {
    class: 'unusable node',
    text: /^(Method not found|Invalid params)/i,
    origin: 'CometBFT 0.38, rpc/jsonrpc: a node or proxy without this call',
    example: 'Method not found',
  },
  {
    class: 'behind',
    text: /must be less than or equal to the current blockchain height|is not available, lowest height|failed to load state at height|version does not exist/i,
    origin: 'CometBFT 0.38, rpc/core/env.go; cosmos-sdk 0.50, iavl',
    example: 'height 1 is not available, lowest height is 100',
  },
  ...RATE_LIMITS,
]

export function classOf(error: NodeError): ErrorClass {
  return classOfError(ERRORS, error)
}
