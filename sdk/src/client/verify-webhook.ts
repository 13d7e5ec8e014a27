/**
 * Verifies that a webhook came from the service and is recent, by the Standard Webhooks scheme. Uses only WebCrypto.
 */
import type { SwapEvent, TestEvent } from '../types.ts'
import { fromBase64 } from './base64.ts'
import { VerificationError } from './errors.ts'

export interface WebhookRequest {
  /** The raw body: parsed and printed again it would be another text. */
  body: string
  headers: Headers | Record<string, string | string[] | undefined>
  /** The endpoint's secret, `whsec_…`; several during a rotation. */
  secret: string | readonly string[]
  /** The maximum age of a delivery. */
  toleranceSeconds?: number
  now?: Date
}

/** A verified event. `type` tells swaps from tests: `if (event.type === 'webhook.test') return`. */
export type Webhook = (SwapEvent | TestEvent) & {
  /** The id of the delivery, the same for every attempt: handle each id once. */
  id: string
  sentAt: Date
}

const TOLERANCE_SECONDS = 300
const SECRET_PREFIX = 'whsec_'
const encoder = new TextEncoder()

/** Returns the verified event, or throws a `VerificationError`. */
export async function verifyWebhook(request: WebhookRequest): Promise<Webhook> {
  const id = headerOf(request, 'id')
  const timestamp = headerOf(request, 'timestamp')
  const signatures = headerOf(request, 'signature')
  const seconds = Number(timestamp)
  const age = Math.abs((request.now ?? new Date()).getTime() / 1000 - seconds)
  if (!/^\d+$/.test(timestamp) || age > (request.toleranceSeconds ?? TOLERANCE_SECONDS)) {
    throw new VerificationError('the webhook is too old, or from the future')
  }
  const text = encoder.encode(`${id}.${timestamp}.${request.body}`)
  for (const secret of [request.secret].flat()) {
    if (await isSigned(text, signatures, secret)) {
      return { ...eventIn(request.body), id, sentAt: new Date(seconds * 1000) }
    }
  }
  throw new VerificationError('the webhook was not signed with this secret')
}

/** A service from before typed events sends only `data`. */
function eventIn(body: string): SwapEvent | TestEvent {
  const event = JSON.parse(body) as SwapEvent | TestEvent
  if (event.type !== undefined) return event
  const { data } = event as SwapEvent
  return { type: `swap.${data.swap.status}`, schema_version: 1, timestamp: data.swap.created_date, data }
}

async function isSigned(text: Uint8Array<ArrayBuffer>, signatures: string, secret: string): Promise<boolean> {
  const bytes = decoded(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret)
  if (!bytes) throw new VerificationError('the secret is not a whsec_… of the service')
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  for (const entry of signatures.split(' ')) {
    const [version, value = ''] = entry.split(',')
    const signature = version === 'v1' ? decoded(value) : null
    // WebCrypto compares in constant time.
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, text))) return true
  }
  return false
}

function headerOf({ headers }: WebhookRequest, name: string): string {
  for (const prefix of ['webhook', 'svix']) {
    const value = readHeader(headers, `${prefix}-${name}`)
    if (value) return value
  }
  throw new VerificationError(`the header webhook-${name} is missing`)
}

function readHeader(headers: WebhookRequest['headers'], name: string): string | null {
  if (isHeaders(headers)) return headers.get(name)
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return (Array.isArray(entry) ? entry[0] : entry) ?? null
}

/** Other libraries bring their own `Headers` class. */
function isHeaders(headers: WebhookRequest['headers']): headers is Headers {
  return typeof headers.get === 'function'
}

function decoded(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return fromBase64(text)
  } catch {
    return null
  }
}
