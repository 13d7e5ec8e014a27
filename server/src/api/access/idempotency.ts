/**
 * The `Idempotency-Key` of a request, in the scope of whoever uses it: the app, or without a secret key the address that asks. By
 * the body instead, the same key with another body could not be told; by nothing, a stranger could take a key before its
 * owner. Who repeats a request from another address makes a second swap, which costs nobody anything until it is paid for.
 */
import { createHash } from 'node:crypto'
import { ApiError } from '@causeway/core'
import { canonicalJson } from '@causeway/sdk'
import type { FastifyRequest } from 'fastify'
import type { IdempotentRequest } from '../../store/swaps/idempotency.ts'
import { secretAppOf } from './auth.ts'
import { addressOf } from './rate-limit.ts'

const HEADER = 'idempotency-key'
/** Room for a uuid and a name; nothing that would bloat an index. */
const KEY = /^[!-~]{1,255}$/

/** Null where the caller did not ask for it. Bodies are the same when they mean the same, whatever their order. */
export function idempotencyKeyOf(request: FastifyRequest): IdempotentRequest | null {
  const key = request.headers[HEADER]
  if (key === undefined) return null
  if (typeof key !== 'string' || !KEY.test(key)) {
    const problem = 'must be 1 to 255 visible characters'
    throw new ApiError('VALIDATION_ERROR', `Idempotency-Key ${problem}.`, { [HEADER]: problem })
  }
  return {
    scope: secretAppOf(request) ?? `anonymous ${addressOf(request)}`,
    key,
    bodyHash: createHash('sha256').update(canonicalJson(request.body)).digest('hex'),
  }
}
