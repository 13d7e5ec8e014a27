/**
 * The same balancer for protocols that it does not decode: sends are identified by their path, and a lagging backend
 * repeats the node's earlier answer to the same request, if there was one.
 */
import type { IncomingMessage } from 'node:http'
import { type Balancer, openFront, type Told } from './front.ts'
import { createMoods } from './moods.ts'
import { rememberPast } from './past.ts'

export interface PlainDialect {
  /** Whether this request sends a transaction. */
  isSend(asked: { method: string; path: string; body: string }): boolean
  /** The errors of nodes that refuse a transaction, or claim to; "busy" if absent. */
  refusals?: readonly Told[]
}

const BUSY: Told = { status: 503, type: 'text/plain', body: 'upstream is busy, try again' }
/** Headers that belong to one connection, or that this balancer sets itself. */
const OWN_HEADERS = /^(host|connection|content-length|accept-encoding)$/

export async function startPlainBalancer(
  { isSend, refusals = [BUSY] }: PlainDialect,
  target: string,
): Promise<Balancer> {
  const { origin, pathname } = new URL(target)
  const base = pathname.replace(/\/$/, '')
  const past = await rememberPast(null)
  const moods = createMoods()

  async function pass({ method = 'GET', headers, url = '/' }: IncomingMessage, body: string): Promise<Told> {
    const kept = Object.entries(headers).filter(([name]) => !OWN_HEADERS.test(name))
    const init = { method, headers: Object.fromEntries(kept) as Record<string, string>, ...(body && { body }) }
    const answer = await fetch(origin + base + url.replace(/^\/$/, ''), init)
    const type = answer.headers.get('content-type') ?? 'application/json'
    return { status: answer.status, type, body: await answer.text() }
  }

  async function read(request: IncomingMessage, body: string): Promise<Told> {
    const lagMs = moods.nextLagMs()
    // The request id is not part of its identity.
    const params = body.replace(/"id":\s*("[^"]*"|\d+)/, '')
    const question = { method: `${request.method} ${request.url}`, params }
    const old = lagMs > 0 ? past.ago(lagMs).remembered(question) : undefined
    if (old) {
      moods.counts.stale++
      return old as Told
    }
    const told = await pass(request, body)
    past.heard(question, told)
    return told
  }

  async function answer(request: IncomingMessage, body: string): Promise<Told | null> {
    const { method = 'GET', url = '/' } = request
    if (!isSend({ method, path: url.slice(1), body })) return read(request, body)
    const refuse = (number: number) => refusals[number % refusals.length] ?? BUSY
    return (await moods.send(body, () => pass(request, body), refuse))?.answer ?? null
  }

  return openFront(moods.counts, answer, past.stop)
}

const json = (status: number, body: unknown): Told => ({ status, body: JSON.stringify(body) })
const lite = (code: number, message: string) =>
  json(200, { status: 'error', error: { errorType: 'submitError', code, message }, result: null })

export const PLAIN: Readonly<Record<string, PlainDialect>> = {
  hyperliquid: { isSend: ({ path }) => path === 'exchange' },
  paradex: { isSend: ({ body }) => body.includes('"starknet_addInvokeTransaction"') },
  zksynclite: {
    isSend: ({ method, path }) => method === 'POST' && path === 'transactions',
    refusals: [
      lite(601, 'Tx nonce is too low.'),
      lite(609, 'L2 transactions are disabled.'),
      json(503, null),
      lite(601, 'Internal error'),
    ],
  },
  starkex: {
    isSend: ({ method, path }) => method === 'POST' && path === 'v2/transfers',
    refusals: [
      json(400, { code: 'nonce_already_used', message: 'the nonce was used' }),
      json(502, null),
      json(400, { code: 'insufficient_balance', message: 'the vault holds too little' }),
    ],
  },
}
