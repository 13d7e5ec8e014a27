/**
 * Sends one signed POST to a webhook endpoint. The host name is resolved first and the connection goes to the address
 * that was checked, so that DNS cannot change in between. Redirects are not followed and the response body is not read.
 */
import { createHmac } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import { mayReach, type PrivateReach, urlProblem } from '../../apps/webhooks.ts'
import { type Resolved, resolveName } from './resolve-name.ts'

export interface Delivery {
  url: string
  secret: string
  messageId: string
  body: string
}

const TIMEOUT_MS = 10_000
/** How long one of two addresses may take to accept the connection. */
const CONNECT_MS = 3_000
const BY_FAMILY = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: CONNECT_MS }
const PREFIX = 'whsec_'

/** Null if the endpoint accepted the event, otherwise a short reason. */
export async function postWebhook(
  delivery: Delivery,
  options: { now: Date; reach: PrivateReach; signal: AbortSignal; timeoutMs?: number; lookUp?: LookUp },
): Promise<string | null> {
  const problem = urlProblem(delivery.url, options.reach)
  if (problem) return `the address ${problem}`
  const url = new URL(delivery.url)
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS)
  const signal = AbortSignal.any([options.signal, timeout])
  try {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const found = await untilAborted((options.lookUp ?? resolveName)(host, options.reach, signal), signal)
    if (!areAllowed(found, options.reach)) return 'the address must not be a private address'
    const status = await post(url, found, headersOf(delivery, options.now), delivery.body, signal)
    return status >= 200 && status < 300 ? null : `answered ${status}`
  } catch (error) {
    if (options.signal.aborted) throw error
    if (timeout.aborted) return 'no answer in time'
    return error instanceof Error && 'code' in error ? String(error.code) : 'no connection'
  }
}

function headersOf({ secret, messageId, body }: Delivery, now: Date): Record<string, string> {
  const id = `msg_${messageId}`
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64')
  const signature = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  const signed = { id, timestamp, signature }
  const named = (prefix: string) =>
    Object.fromEntries(Object.entries(signed).map(([name, value]) => [`${prefix}-${name}`, value]))
  return {
    ...named('webhook'),
    ...named('svix'),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Causeway-Webhooks/1',
  }
}

/** Resolves a host name to all its addresses; an IP address to itself. */
export type LookUp = typeof resolveName

/** Every address of the name must be allowed, because a connection may use any of them. */
function areAllowed(found: Resolved[], reach: PrivateReach): boolean {
  return found.length > 0 && found.every(({ address }) => mayReach(address, reach))
}

function firstOfEach(found: Resolved[]): Resolved[] {
  return found.filter(({ family }, at) => found.findIndex((other) => other.family === family) === at)
}

/** A DNS server that does not answer must not block the queue longer than a slow receiver may. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((done, fail) => {
    signal.addEventListener('abort', () => fail(signal.reason), { once: true })
    work.then(done, fail)
  })
}

function post(
  url: URL,
  found: Resolved[],
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<number> {
  const { request } = url.protocol === 'https:' ? https : http
  return new Promise((done, fail) => {
    const sent = request(url, {
      method: 'POST',
      headers,
      signal,
      agent: false,
      // This machine may have IPv4 or IPv6 alone. One address of each, so that no name makes it connect to thousands.
      ...BY_FAMILY,
      lookup: (_host, _options, callback) => callback(null, firstOfEach(found)),
    })
    sent.once('error', fail)
    sent.once('response', (response) => {
      done(response.statusCode ?? 0)
      // Only the status matters: the body is not read, however long it is.
      response.destroy()
    })
    sent.end(body)
  })
}
