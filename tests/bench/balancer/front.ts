/** The URL that clients use: it can leave requests unanswered, and be down for a while. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Counts } from './moods.ts'

export interface Balancer {
  url: string
  /** The number since the last call. */
  counts(): Counts
  /** From now on nothing answers: first connections break, then a proxy reports that the backend is down. */
  goDown(ms: number): void
  stop(): Promise<void>
}

export interface Told {
  status: number
  /** JSON if absent. */
  type?: string
  body: string
}

/** `answer` is null if none ever comes. If it throws, the connection breaks. */
export async function openFront(
  counts: Counts,
  answer: (request: IncomingMessage, body: string) => Promise<Told | null>,
  onStop: () => void,
): Promise<Balancer> {
  const silent = new Set<ServerResponse>()
  let outage = { from: 0, to: 0 }
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
      const told = await answer(request, Buffer.concat(chunks).toString())
      if (told) {
        response.writeHead(told.status, { 'content-type': told.type ?? 'application/json' }).end(told.body)
        return
      }
      counts.unanswered++
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
      const before = { ...counts }
      Object.assign(counts, { unanswered: 0, refused: 0, stale: 0 } satisfies Counts)
      return before
    },
    goDown(ms) {
      outage = { from: performance.now(), to: performance.now() + ms }
    },
    async stop() {
      onStop()
      for (const response of silent) response.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
