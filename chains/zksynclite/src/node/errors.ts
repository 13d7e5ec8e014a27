/** Errors of ZKsync Lite's API v0.2, and what they mean for us. */
import { classOfError, type ErrorClass, type ErrorRow, type NodeError, RATE_LIMITS } from '@causeway/chain-kit'

export const ERRORS: readonly ErrorRow[] = [
  {
    class: 'known',
    text: /nonce is too low|already in the mempool|already executed/i,
    origin: 'zksync 1.0, core/lib/state and tx_sender: its nonce is used, perhaps by these very bytes',
    example: 'Nonce is too low',
  },
  {
    class: 'insufficient funds',
    text: /not enough (balance|funds)/i,
    origin: 'zksync 1.0, core/lib/state handlers',
    example: 'Not enough balance',
  },
  {
    class: 'permanent',
    text: /L2 transactions are disabled/i,
    origin: 'zksync 1.0 since May 2026: the network is closed',
    example: 'L2 transactions are disabled.',
  },
  ...RATE_LIMITS,
]

export function classOf(error: NodeError): ErrorClass {
  return classOfError(ERRORS, error)
}
