/** Errors of Bitcoin Core and its like, and what they mean for us. Codes are those of Core's protocol.h. */
import { classOfError, type ErrorClass, type ErrorRow, type NodeError, RATE_LIMITS } from '@causeway/chain-kit'

export const ERRORS: readonly ErrorRow[] = [
  {
    class: 'known',
    code: -27,
    origin: 'Bitcoin Core 28, rpc/protocol.h RPC_VERIFY_ALREADY_IN_UTXO_SET: a block has it',
    example: 'Transaction outputs already in utxo set',
  },
  {
    class: 'known',
    text: /already[- ]in[- ](mempool|block chain)|txn-already-known|already in utxo set/i,
    origin: 'Bitcoin Core 0.21 to 28, validation.cpp; bcoin 2 in the same words',
    example: 'txn-already-in-mempool',
  },
  {
    class: 'behind',
    code: -28,
    origin: 'Bitcoin Core 28, rpc/protocol.h RPC_IN_WARMUP',
    example: 'Loading block index…',
  },
  {
    class: 'behind',
    code: -9,
    origin: 'Bitcoin Core 28, rpc/protocol.h RPC_CLIENT_NOT_CONNECTED',
    example: 'Bitcoin is not connected!',
  },
  {
    class: 'behind',
    code: -10,
    origin: 'Bitcoin Core 28, rpc/protocol.h RPC_CLIENT_IN_INITIAL_DOWNLOAD',
    example: 'Bitcoin is downloading blocks...',
  },
  {
    class: 'retry',
    code: -25,
    origin: 'Bitcoin Core 28, rpc/protocol.h RPC_VERIFY_ERROR: inputs are missing, perhaps because it was mined itself',
    example: 'bad-txns-inputs-missingorspent',
  },
  {
    class: 'retry',
    code: -26,
    origin: 'Bitcoin Core 28, rpc/protocol.h RPC_VERIFY_REJECTED: a rule of this pool, which another one may not have',
    example: 'min relay fee not met, 100 < 141',
  },
  {
    class: 'retry',
    code: -5,
    origin: 'Bitcoin Core 28, rpc/protocol.h RPC_INVALID_ADDRESS_OR_KEY: unknown here',
    example: 'No such mempool or blockchain transaction. Use gettransaction for wallet transactions.',
  },
  ...RATE_LIMITS,
]

export function classOf(error: NodeError): ErrorClass {
  return classOfError(ERRORS, error)
}
