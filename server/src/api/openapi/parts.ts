/** Parts that operations share: response headers, request headers, and security schemes. */
import type { JsonSchema } from './shapes.ts'

const whole = (description: string, example: number) => ({ description, schema: { type: 'integer' }, example })

export const HEADERS: Record<string, JsonSchema> = {
  'X-LS-CORRELATION-ID': {
    description: 'The number of this request in the logs of the service: yours where you sent one, else a new one.',
    schema: { type: 'string' },
    example: '0f8fad5b-d9cb-469f-a165-70867728950e',
  },
  'RateLimit-Limit': whole('How many such requests this key, or this address, may make in a minute.', 1200),
  'RateLimit-Remaining': whole('How many are left in this window.', 1199),
  'RateLimit-Reset': whole('Seconds until the window ends.', 60),
  'Retry-After': whole('Seconds to wait before the same request is made again.', 2),
}

export const PARAMETERS: Record<string, JsonSchema> = {
  CorrelationId: {
    name: 'X-LS-CORRELATION-ID',
    in: 'header',
    required: false,
    description: 'Your own ID for this request: letters, digits, `_ . : -`, up to 128. We return it and log it.',
    schema: { type: 'string', pattern: '^[\\w.:-]{1,128}$' },
    example: 'checkout-42',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      "One for each order of yours. The same key and body answer with the same swap for 24 hours, also at the same moment and after a lost answer; the same key with another body is a 409. Keys are an app's own by its secret key, else the address's that asks.",
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
    example: 'order-1234',
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'What browsers send when they come back: the id, here the status, of the last event that they got.',
    schema: { type: 'string' },
    example: 'ls_transfer_pending',
  },
}

const KEY = { type: 'apiKey', in: 'header', name: 'X-LS-APIKEY' }

export const SECURITY_SCHEMES: Record<string, JsonSchema> = {
  PublicKey: {
    ...KEY,
    description:
      "For web pages and mobile apps, where anyone can read it (`causeway_…_public_…`). Swaps become the app's, and the limits are higher. It doesn't identify the caller.",
  },
  SecretKey: {
    ...KEY,
    description:
      "For servers. Everything a public key can do, plus: list the app's swaps, see its references, manage webhooks, reuse its deposit addresses and set refund addresses for its swaps.",
  },
}

/** A key is optional: it attributes swaps to an app and raises the limits. */
export const ANY_KEY = [{}, { PublicKey: [] }, { SecretKey: [] }]
export const SECRET_KEY = [{ SecretKey: [] }]
