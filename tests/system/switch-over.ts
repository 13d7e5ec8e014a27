/** A load balancer whose targets are changed while clients use it, and clients that count what fails. */
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

interface Balancer {
  /** From now on only these get requests. Resolves when the others have answered the last of theirs. */
  use(...urls: string[]): Promise<void>
  /** Requests of any client that got no answer, or an error of the service's. */
  failed(): readonly string[]
  stop(): Promise<void>
}

export async function startBalancer(port: number, first: readonly string[]): Promise<Balancer> {
  let targets = first
  let turn = 0
  const failed: string[] = []
  const busy = new Map<string, number>()
  const count = (url: string, change: number) => busy.set(url, (busy.get(url) ?? 0) + change)
  const server = http.createServer((request, response) => {
    const target = targets[turn++ % targets.length] ?? ''
    count(target, 1)
    const { method, headers, url } = request
    const asked = http.request(new URL(url ?? '/', target), { method, headers, agent: false }, (answer) => {
      const { statusCode = 502 } = answer
      if (statusCode >= 500) failed.push(`${method} ${url}: ${statusCode}`)
      response.writeHead(statusCode, answer.headers)
      answer.pipe(response)
    })
    asked.on('error', (error) => {
      failed.push(`${method} ${url}: ${error.message}`)
      if (!response.headersSent) response.writeHead(502).end()
    })
    asked.on('close', () => count(target, -1))
    request.pipe(asked)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    async use(...urls) {
      targets = urls
      while ([...busy].some(([url, requests]) => !urls.includes(url) && requests > 0)) await sleep(10)
    },
    failed: () => failed,
    stop: () => new Promise((resolve) => void server.close(() => resolve()).closeAllConnections()),
  }
}

interface Watching {
  asked: number
  /** Answers that were errors, and requests without an answer. */
  failures: string[]
  /** The longest time from one good answer to the next. */
  longestGapMs: number
}

/** Asks each of these paths again and again, as several clients, until it is stopped. */
export function keepAsking(url: string, paths: readonly string[]): { end(): Promise<Watching> } {
  const over = new AbortController()
  const seen: Watching = { asked: 0, failures: [], longestGapMs: 0 }
  const clients = paths.map(async (path) => {
    let lastGood = performance.now()
    while (!over.signal.aborted) {
      seen.asked++
      const problem = await fetch(`${url}${path}`).then(
        async (answer) => (answer.ok ? null : `${answer.status} ${await answer.text()}`),
        (error: Error) => `${error.message}: ${(error.cause as Error | undefined)?.message}`,
      )
      const now = performance.now()
      if (problem === null) {
        seen.longestGapMs = Math.max(seen.longestGapMs, now - lastGood)
        lastGood = now
      } else seen.failures.push(`${path}: ${problem}`)
      await sleep(EVERY_MS)
    }
  })
  return {
    async end() {
      over.abort()
      await Promise.all(clients)
      return seen
    },
  }
}

const EVERY_MS = 50
