/** The meaning and metadata of each error code, and the error responses of an operation. */
import { API_ERRORS, type ApiErrorCode } from '@causeway/core'
import type { Example, Examples } from './examples.ts'
import type { JsonSchema } from './shapes.ts'

const FIELDS = { type: 'object', additionalProperties: { type: 'string' } }
const ANYTHING = { type: 'object', additionalProperties: true }
const with_ = (name: string, type: string, description: string) => ({
  type: 'object',
  properties: { [name]: { type, description } },
  required: [name],
})

interface Meaning {
  /** One sentence: what it is and what to do. */
  text: string
  /** A message of the service, for an example that was not recorded. */
  example?: string
  metadata: JsonSchema
}

export const MEANINGS: Record<ApiErrorCode, Meaning> = {
  API_KEY_FORBIDDEN: {
    text: 'The key is not known here, was revoked or has expired, or the call needs a secret key of the app.',
    metadata: ANYTHING,
  },
  BLACKLISTED_ADDRESS: {
    text: 'The operator does not deal with this address.',
    metadata: with_('address', 'string', 'Which one'),
  },
  CONFLICTING_FUNDING_METHODS: {
    text: '`use_deposit_address` was set together with `use_depository` or `use_gasless`: choose one.',
    metadata: ANYTHING,
  },
  GREATER_THAN_MAX_ERROR: {
    text: 'The amount is above the largest of this route now: take `AmountLimit`, or ask `/limits`.',
    metadata: with_('AmountLimit', 'number', 'The largest amount, in the source token'),
  },
  IDEMPOTENCY_KEY_REUSED: {
    text: 'The `Idempotency-Key` was used with another body: a new order needs a new key.',
    example: 'The idempotency key order-1234 was used with another body.',
    metadata: FIELDS,
  },
  INVALID_ADDRESS_ERROR: {
    text: 'It is no address of that network, or none that can be paid; `metadata` names the field.',
    metadata: FIELDS,
  },
  LESS_THAN_MIN_ERROR: {
    text: 'The amount is below the smallest of this route now: take `AmountLimit`, or ask `/limits`.',
    metadata: with_('AmountLimit', 'number', 'The smallest amount, in the source token'),
  },
  METHOD_NOT_ALLOWED: {
    text: 'The path exists, but not with this method: the header `Allow` lists the methods that it takes.',
    metadata: ANYTHING,
  },
  NETWORK_CURRENCY_DAILY_LIMIT_REACHED: {
    text: 'The outflow limit of the operator is nearly reached: swap at most `AvailableTransactionAmount`, or retry later.',
    example: 'Only about 0.75 ETH can be swapped this way for now.',
    metadata: with_('AvailableTransactionAmount', 'number', 'What can be swapped now, in the source token'),
  },
  NOT_FOUND: { text: 'There is no such thing, or no such call.', metadata: ANYTHING },
  PRICE_IMPACT_TOO_HIGH: {
    text: 'The amount would move the price of an exchange on the route too far: swap at most `AmountLimit`.',
    example: '900 UNI would move the price of the exchange too far. At most 250 UNI can be swapped now.',
    metadata: with_('AmountLimit', 'number', 'The largest amount, in the source token'),
  },
  PRICE_UNAVAILABLE: {
    text: 'There is no reliable price of one of the tokens at this moment: wait `Retry-After` seconds.',
    metadata: ANYTHING,
  },
  QUOTE_REQUIRES_NO_DEPOSIT_ADDRESS: {
    text: 'The source network has no deposit addresses: leave `use_deposit_address` out.',
    example: 'STARKNET_MAINNET has no deposit addresses.',
    metadata: ANYTHING,
  },
  RATE_LIMIT_EXCEEDED: {
    text: 'Too many requests: wait `Retry-After` seconds.',
    metadata: with_('retry_after_seconds', 'integer', 'As Retry-After'),
  },
  REFUND_ADDRESS_REQUIRED: { text: 'A swap provider is on the route: give a `refund_address`.', metadata: FIELDS },
  ROUTE_NOT_FOUND_ERROR: {
    text: 'The network, the token or the route is not offered now; `/destinations` lists what is.',
    metadata: ANYTHING,
  },
  SERVICE_BUSY: {
    text: 'The database or a node did not answer in time. The request may be made again after `Retry-After` seconds.',
    example: 'This could not be answered in time. Try again in a moment.',
    metadata: with_('correlation_id', 'string', 'Stands in the logs of the service'),
  },
  SERVICE_STARTING: {
    text: 'The service has not read this network yet, or its node does not answer: wait `Retry-After` seconds.',
    metadata: ANYTHING,
  },
  UNACTIVATED_ADDRESS_ERROR: { text: 'Reserved: this service does not give it.', metadata: ANYTHING },
  UNEXPECTED_ERROR: {
    text: 'Ours. Tell the operator the `correlation_id`.',
    example: 'Something went wrong on our side. Nothing you sent is known to be wrong.',
    metadata: with_('correlation_id', 'string', 'Stands in the logs of the service'),
  },
  UNSUPPORTED_DEPOSITORY: {
    text: 'There is no Depository for this token on this network: leave `use_depository` out.',
    example: 'There is no Depository for ETH on BASE_MAINNET.',
    metadata: ANYTHING,
  },
  VALIDATION_ERROR: {
    text: 'The request is not valid; `metadata` names each field and what is wrong with it.',
    metadata: FIELDS,
  },
}

/** In the specification, but never thrown. */
export const RESERVED: readonly ApiErrorCode[] = ['UNACTIVATED_ADDRESS_ERROR']

/** Codes that belong to no operation, because no operation has such a method. */
export const OF_NO_OPERATION: readonly ApiErrorCode[] = ['METHOD_NOT_ALLOWED']

const CODES = Object.keys(API_ERRORS) as ApiErrorCode[]
const GIVEN = CODES.filter((code) => !RESERVED.includes(code) && !OF_NO_OPERATION.includes(code))

/** The schema's name of a code: `LESS_THAN_MIN_ERROR` becomes `LessThanMinError`. */
function failureName(code: ApiErrorCode): string {
  const words = code.toLowerCase().split('_')
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** One schema per code, and the union of all codes. */
export function failureSchemas(): Record<string, JsonSchema> {
  const entries = GIVEN.map((code): [string, JsonSchema] => {
    const { text, metadata } = MEANINGS[code]
    const properties = { code: { type: 'string', const: code }, message: { type: 'string' }, metadata }
    const required = ['code', 'message', 'metadata']
    return [failureName(code), { description: text, type: 'object', properties, required, additionalProperties: false }]
  })
  const union = { type: 'string', enum: CODES, description: 'Every code that there is today. Be ready for others.' }
  return { ...Object.fromEntries(entries), ErrorCode: union }
}

/** Responses that every operation shares: those with one code. */
export function failureResponses(examples: Examples): Record<string, JsonSchema> {
  return Object.fromEntries(GIVEN.map((code) => [failureName(code), failureOf([code], examples, [])]))
}

/** One example per code, from any operation. */
export function failureExamples(examples: Examples): Record<string, JsonSchema> {
  const all = Object.values(examples).flat()
  return Object.fromEntries(
    GIVEN.flatMap((code) => {
      const found = all.find((example) => isOf(code, example))
      const example = found ? { summary: found.summary, value: found.answer } : writtenExample(code)
      return [[failureName(code), example]]
    }),
  )
}

/** The example of a code that no recorded request causes: a message of the service. */
function writtenExample(code: ApiErrorCode): JsonSchema {
  const { text, metadata, example } = MEANINGS[code]
  const { required = [] } = metadata as { required?: string[] }
  const given = Object.fromEntries(required.map((name) => [name, SAMPLES[name] ?? 'text']))
  return {
    summary: text.split(/[:.;]/)[0] ?? text,
    value: { error: { code, message: example ?? text.replaceAll('`', ''), metadata: given } },
  }
}

const SAMPLES: Record<string, unknown> = {
  address: '0x000000000000000000000000000000000000dEaD',
  AmountLimit: 250,
  AvailableTransactionAmount: 0.75,
  correlation_id: '0f8fad5b-d9cb-469f-a165-70867728950e',
}

/** The error responses of an operation by status, with its own examples if it has some. */
export function failuresOf(codes: readonly ApiErrorCode[], own: Example[], examples: Examples): JsonSchema {
  const statuses = [...new Set(codes.map((code) => API_ERRORS[code]))].sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => {
      const [first, ...others] = codes.filter((code) => API_ERRORS[code] === status)
      if (!first) return [status, {}]
      const isShared = others.length === 0 && !own.some((example) => isOf(first, example))
      const shared = { $ref: `#/components/responses/${failureName(first)}` }
      return [status, isShared ? shared : failureOf([first, ...others], examples, own)]
    }),
  )
}

function failureOf(codes: readonly ApiErrorCode[], examples: Examples, own: Example[]): JsonSchema {
  const names = codes.map(failureName)
  const schemas = names.map((name) => ({ $ref: `#/components/schemas/${name}` }))
  const error = schemas.length === 1 ? schemas[0] : { oneOf: schemas, discriminator: discriminatorOf(codes) }
  const known = failureExamples(examples)
  const shown = codes.flatMap((code): [string, JsonSchema][] => {
    const name = failureName(code)
    const found = own.find((example) => isOf(code, example))
    if (found) return [[name, { summary: found.summary, value: found.answer }]]
    return known[name] ? [[name, { $ref: `#/components/examples/${name}` }]] : []
  })
  const isForLater = codes.some((code) => API_ERRORS[code] === 429 || API_ERRORS[code] === 503)
  return {
    description: codes.map((code) => `\`${code}\`: ${MEANINGS[code].text}`).join('\n\n'),
    headers: headersOf(isForLater),
    content: {
      'application/json': {
        schema: { type: 'object', properties: { error }, required: ['error'], additionalProperties: false },
        ...(shown.length > 0 && { examples: Object.fromEntries(shown) }),
      },
    },
  }
}

function discriminatorOf(codes: readonly ApiErrorCode[]): JsonSchema {
  const mapping = codes.map((code) => [code, `#/components/schemas/${failureName(code)}`])
  return { propertyName: 'code', mapping: Object.fromEntries(mapping) }
}

function isOf(code: ApiErrorCode, { status, answer }: Example): boolean {
  const { error } = answer as { error?: { code?: unknown } }
  return status === API_ERRORS[code] && error?.code === code
}

export const CORRELATION: JsonSchema = { 'X-LS-CORRELATION-ID': { $ref: '#/components/headers/X-LS-CORRELATION-ID' } }

/** The headers of every response. */
export function headersOf(isForLater = false): JsonSchema {
  const names = ['X-LS-CORRELATION-ID', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
  const all = isForLater ? [...names, 'Retry-After'] : names
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
