/** Errors of a StarkEx operator's API, and what they mean for us. */
import { classOfError, type ErrorClass, type ErrorRow, type NodeError, RATE_LIMITS } from '@causeway/chain-kit'

export const ERRORS: readonly ErrorRow[] = [
  {
    class: 'known',
    code: 'nonce_already_used',
    origin: 'Immutable X API v2: another message was accepted with the nonce, perhaps one of ours',
    example: 'Nonce already used',
  },
  {
    class: 'retry',
    code: 'account_not_found',
    origin: 'Immutable X API v1: the address registered no Stark key',
    example: 'Account not found',
  },
  {
    class: 'retry',
    code: 'transfer_not_found',
    origin: 'Immutable X API v1',
    example: 'Transfer not found',
  },
  ...RATE_LIMITS,
]

export function classOf(error: NodeError): ErrorClass {
  return classOfError(ERRORS, error)
}
