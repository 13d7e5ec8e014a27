/** The `Idempotency-Key` of a request, in the scope of whoever uses it. */
import { createHash } from 'node:crypto'
import { ApiError } from '@causeway/core'
import { canonicalJson } from '@causeway/sdk'
import type { FastifyRequest } from 'fastify'
import type { IdempotentRequest } from '../store/idempotency.ts'
import { appOf } from './auth.ts'

const HEADER = 'idempotency-key'
/** Room for a uuid and a name; nothing that would bloat an index. */
const KEY = /^[!-~]{1,255}$/

/** Null where the caller did not ask for it. Bodies are the same when they mean the same, whatever their order. */
export function repeatedOf(request: FastifyRequest): IdempotentRequest | null {
  const key = request.headers[HEADER]
  if (key === undefined) return null
  if (typeof key !== 'string' || !KEY.test(key)) {
    const problem = 'must be 1 to 255 visible characters'
    throw new ApiError('VALIDATION_ERROR', `Idempotency-Key ${problem}.`, { [HEADER]: problem })
  }
  return {
    scope: appOf(request) ?? 'anonymous',
    key,
    bodyHash: createHash('sha256').update(canonicalJson(request.body)).digest('hex'),
  }
}
