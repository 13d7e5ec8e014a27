/**
 * The same balancer for protocols that it cannot read: what is sent is known by its place, and a backend that is behind gives
 * the answer that the node gave to the very same question some seconds ago, where anybody asked it then.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BACKEND_LAGS_MS, type Balancer, type Counts, REFUSED_EVERY, UNANSWERED_EVERY } from './moods.ts'

/** Whether this asks a node to send something, by path and body. */
export type IsSend = (path: string, body: string) => boolean

interface Answer {
  status: number
  type: string
  body: Buffer
}

/** Answers so old are what no backend says any more. */
const FORGOTTEN_MS = 10_000
const BUSY: Answer = { status: 503, type: 'text/plain', body: Buffer.from('upstream is busy, try again') }

export async function startPlainBalancer(isSend: IsSend, target: string): Promise<Balancer> {
  const { origin, pathname } = new URL(target)
  const base = pathname.replace(/\/$/, '')
  const silent = new Set<ServerResponse>()
  const sent = new Set<string>()
  const past = new Map<string, { at: number; answer: Answer }[]>()
  let counts: Counts = { unanswered: 0, refused: 0, stale: 0 }
  let [requests, sends, firsts] = [0, 0, 0]
  let outage = { from: 0, to: 0 }

  async function pass({ method = 'GET', headers, url = '/' }: IncomingMessage, body: string): Promise<Answer> {
    const kept = Object.entries(headers).filter(
      ([name]) => !/^(host|connection|content-length|accept-encoding)$/.test(name),
    )
    const init = { method, headers: Object.fromEntries(kept) as Record<string, string>, ...(body && { body }) }
    const answer = await fetch(origin + base + url.replace(/^\/$/, ''), init)
    const type = answer.headers.get('content-type') ?? 'application/json'
    return { status: answer.status, type, body: Buffer.from(await answer.arrayBuffer()) }
  }

  /** Evenly spread instead of drawn, so that every run meets the same. Null where the answer never comes. */
  async function sending(request: IncomingMessage, body: string): Promise<Answer | null> {
    const isFirst = !sent.has(body)
    sent.add(body)
    if (isFirst && firsts++ % REFUSED_EVERY === 1) {
      if (counts.refused++ % 2 === 1) await pass(request, body)
      return BUSY
    }
    const answer = await pass(request, body)
    if (sends++ % UNANSWERED_EVERY !== 0) return answer
    counts.unanswered++
    return null
  }

  async function reading(request: IncomingMessage, body: string): Promise<Answer> {
    const lagMs = BACKEND_LAGS_MS[requests++ % BACKEND_LAGS_MS.length] ?? 0
    const key = `${request.method} ${request.url} ${body.replace(/"id":\s*("[^"]*"|\d+)/, '')}`
    const now = performance.now()
    const known = (past.get(key) ?? []).filter(({ at }) => now - at < FORGOTTEN_MS)
    const old = lagMs > 0 ? known.findLast(({ at }) => now - at >= lagMs) : undefined
    if (old) {
      counts.stale++
      return old.answer
    }
    const answer = await pass(request, body)
    past.set(key, [...known, { at: performance.now(), answer }])
    if (past.size > 5_000) past.clear()
    return answer
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const now = performance.now()
    if (now < outage.to) {
      if (now < (outage.from + outage.to) / 2) response.destroy()
      else response.writeHead(503, { 'content-type': 'text/html' }).end('<html>503 no server is available</html>')
      return
    }
    try {
      const body = Buffer.concat(chunks).toString()
      const answer = await (isSend(request.url ?? '/', body) ? sending(request, body) : reading(request, body))
      if (answer) {
        response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body)
        return
      }
      silent.add(response)
      response.on('close', () => silent.delete(response))
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts() {
      const before = counts
      counts = { unanswered: 0, refused: 0, stale: 0 }
      return before
    },
    goDown(ms) {
      outage = { from: performance.now(), to: performance.now() + ms }
    },
    async stop() {
      for (const response of silent) response.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
