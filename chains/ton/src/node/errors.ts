/** Errors of toncenter's API v2 and the wallet's contract, and what they mean for us. */
import { classOfError, type ErrorClass, type ErrorRow, type NodeError, RATE_LIMITS } from '@causeway/chain-kit'

export const ERRORS: readonly ErrorRow[] = [
  {
    class: 'known',
    text: /exitcode=36\b/i,
    origin: 'the highload wallet v3 contract: this query id has run',
    example:
      'cannot apply external message to current state : inbound external message rejected: exitcode=36, steps=22',
  },
  {
    class: 'known',
    text: /duplicate message/i,
    origin: 'ton 2024.12, validator/impl/external-message.cpp',
    example: 'LITE_SERVER_UNKNOWN: duplicate message',
  },
  {
    class: 'rate limited',
    text: /ratelimit exceed/i,
    origin: 'toncenter, documentation of its limits, 2025',
    example: 'Ratelimit exceed',
  },
  {
    class: 'unusable node',
    code: 401,
    origin: 'toncenter, documentation of its keys, 2025: the key is wrong',
    example: 'API key does not exist',
  },
  {
    class: 'unusable node',
    code: 403,
    origin: 'toncenter, documentation of its keys, 2025: the key is for another network',
    example: 'Network not allowed',
  },
  {
    class: 'behind',
    code: 502,
    origin: 'nginx before toncenter',
    example: 'Bad Gateway',
  },
  {
    class: 'behind',
    code: 503,
    origin: 'toncenter v2: no liteserver is in sync',
    example: 'Service unavailable',
  },
  {
    class: 'behind',
    code: 504,
    origin: 'toncenter v2: its liteserver is slow',
    example: 'Liteserver timeout',
  },
  ...RATE_LIMITS,
]

export function classOf(error: NodeError): ErrorClass {
  return classOfError(ERRORS, error)
}
