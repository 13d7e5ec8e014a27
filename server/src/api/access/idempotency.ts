/**
 * The `Idempotency-Key` of a request, scoped to the app, or to the caller's address without a secret key. A scope by
 * body could not detect the same key with another body. Without a scope, a third party could take a key before its
 * owner. A repeat from another address creates a second swap, which is harmless until it is paid.
 */
import { createHash } from 'node:crypto'
import { ApiError } from '@causeway/core'
import { canonicalJson } from '@causeway/sdk'
import type { FastifyRequest } from 'fastify'
import type { IdempotentRequest } from '../../store/swaps/idempotency.ts'
import { secretAppOf } from './auth.ts'
import { addressOf } from './rate-limit.ts'

const HEADER = 'idempotency-key'
/** The key's characters and length: enough for a uuid and a name, without bloating an index. */
const KEY = /^[!-~]{1,255}$/

/** Null without the header. The body hash ignores the order of fields. */
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
