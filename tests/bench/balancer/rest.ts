/**
 * The same load balancer before a server that is asked by paths: backends that are behind say what the server said to the same
 * question then, sends are lost or refused, and nobody may answer for a while.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Past, rememberPast } from './past.ts'

export interface RestDialect {
  isSend(method: string, path: string): boolean
  /** What servers say to a transaction that they do not take, or say that they do not. */
  refusals: readonly { status: number; body: unknown }[]
}

export interface Moods {
  lagsMs: readonly number[]
  unansweredEvery: number
  refusedEvery: number
}

interface Told {
  status: number
  text: string
}

const NO_COUNTS = { unanswered: 0, refused: 0, stale: 0 }

export async function startRestBalancer({ isSend, refusals }: RestDialect, target: string, moods: Moods) {
  const { origin, pathname } = new URL(target)
  const past: Past = await rememberPast(async () => 0)
  const silent = new Set<ServerResponse>()
  const sent = new Set<string>()
  let counts = { ...NO_COUNTS }
  let [requests, sends, firsts] = [0, 0, 0]
  let outage = { from: 0, to: 0 }

  async function pass({ method = 'GET', url = '', headers }: IncomingMessage, body: string): Promise<Told> {
    const kept = Object.entries(headers).filter(([name]) => name.startsWith('x-') || name === 'content-type')
    const init = { method, headers: Object.fromEntries(kept) as Record<string, string> }
    const answer = await fetch(origin + url, body === '' ? init : { ...init, body })
    return { status: answer.status, text: await answer.text() }
  }

  /** Null where the answer never comes. */
  async function sending(request: IncomingMessage, body: string): Promise<Told | null> {
    const isFirst = !sent.has(body)
    sent.add(body)
    if (isFirst && firsts++ % moods.refusedEvery === 1) {
      const number = counts.refused++
      if (number % 2 === 1) await pass(request, body)
      const { status, body: said } = refusals[Math.floor(number / 2) % refusals.length] ?? { status: 503, body: null }
      return { status, text: JSON.stringify(said) }
    }
    const told = await pass(request, body)
    return sends++ % moods.unansweredEvery === 0 ? null : told
  }

  async function asked(request: IncomingMessage, body: string): Promise<Told> {
    const question = { method: `${request.method} ${request.url}`, params: body }
    const lagMs = moods.lagsMs[requests++ % moods.lagsMs.length] ?? 0
    const before = lagMs > 0 ? (past.ago(lagMs).remembered(question) as Told | undefined) : undefined
    if (before) {
      counts.stale++
      return before
    }
    const told = await pass(request, body)
    past.heard(question, told)
    return told
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const now = performance.now()
    if (now < outage.to) {
      if (now < (outage.from + outage.to) / 2) response.destroy()
      else response.writeHead(503, { 'content-type': 'text/html' }).end('<html>503 no server is available</html>')
      return
    }
    try {
      const isSent = isSend(request.method ?? 'GET', (request.url ?? '').slice(pathname.length + 1))
      const told = isSent ? await sending(request, body) : await asked(request, body)
      if (told) return void response.writeHead(told.status, { 'content-type': 'application/json' }).end(told.text)
      counts.unanswered++
      silent.add(response)
      response.on('close', () => silent.delete(response))
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    counts() {
      const before = counts
      counts = { ...NO_COUNTS }
      return before
    },
    goDown(ms: number) {
      outage = { from: performance.now(), to: performance.now() + ms }
    },
    async stop() {
      past.stop()
      for (const response of silent) response.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const lite = (code: number, message: string) => ({
  status: 200,
  body: { status: 'error', error: { errorType: 'submitError', code, message }, result: null },
})

export const zksynclite: RestDialect = {
  isSend: (method, path) => method === 'POST' && path === 'transactions',
  refusals: [
    lite(601, 'Tx nonce is too low.'),
    lite(609, 'L2 transactions are disabled.'),
    { status: 503, body: null },
    lite(601, 'Internal error'),
  ],
}

export const starkex: RestDialect = {
  isSend: (method, path) => method === 'POST' && path === 'v2/transfers',
  refusals: [
    { status: 400, body: { code: 'nonce_already_used', message: 'the nonce was used' } },
    { status: 502, body: null },
    { status: 400, body: { code: 'insufficient_balance', message: 'the vault holds too little' } },
  ],
}
