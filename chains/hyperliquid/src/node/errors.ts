/** Errors of Hyperliquid's gateway, and what they mean for us. It answers an action with a text and HTTP status 200. */
import { classOfError, type ErrorClass, type ErrorRow, type NodeError, RATE_LIMITS } from '@causeway/chain-kit'

export const ERRORS: readonly ErrorRow[] = [
  {
    class: 'known',
    text: /duplicate nonce|nonce (?:was )?(?:already )?used/i,
    origin: 'Hyperliquid documentation and SDK 0.23, 2026: an action of this account used the nonce',
    example: 'Invalid nonce: duplicate nonce',
  },
  {
    class: 'insufficient funds',
    text: /insufficient .*balance|must deposit before/i,
    origin: 'measured by integrators, 2026; also the answer to a wrong digest, which names another account',
    example: 'Insufficient USDC balance for token transfer gas.',
  },
  ...RATE_LIMITS,
]

export function classOf(error: NodeError): ErrorClass {
  return classOfError(ERRORS, error)
}
