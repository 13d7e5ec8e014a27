/**
 * A provider's URL in front of a node with a provider's behaviour: limits on batches and ranges, refusals with any HTTP
 * status and a body, rate limits, and request counts.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  id: number
  method: string
  params: unknown[]
}

export interface Manners {
  /** The maximum number of requests per batch. */
  batch?: number
  /** The maximum block range of a log request. */
  logBlocks?: number
  /** The HTTP status of its refusals. */
  status?: number
  /** Its response to a range that is too wide. */
  tooWide?: string | ((asked: Asked) => string)
  /** Milliseconds until an answer comes. */
  delayMs?: number
  /** Answers a whole HTTP call, for example with an exhausted quota. A text is sent unchanged. */
  refuse?: (asked: readonly Asked[]) => { status: number; headers?: Record<string, string>; body: unknown } | undefined
}

/** The backend: the URL of a node, or a function. Throwing `{ code, message }` is a refusal. */
type Behind = string | ((method: string, params: unknown[]) => unknown)

export async function startProvider(behind: Behind, manners: Manners = {}) {
  const counts: Record<string, number> = {}
  const calls: Asked[][] = []
  const answer = async (asked: Asked): Promise<unknown> => {
    counts[asked.method] = (counts[asked.method] ?? 0) + 1
    if (manners.logBlocks !== undefined && widthOf(asked) > manners.logBlocks) {
      const { tooWide = 'block range is too wide' } = manners
      const message = typeof tooWide === 'string' ? tooWide : tooWide(asked)
      return { jsonrpc: '2.0', id: asked.id, error: { code: -32005, message } }
    }
    return hand(behind, asked)
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const parsed = JSON.parse(Buffer.concat(chunks).toString()) as Asked | Asked[]
    const asked = [parsed].flat()
    calls.push(asked)
    const end = (status: number, body: unknown, headers: Record<string, string> = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(typeof body === 'string' ? body : JSON.stringify(body))
    if (manners.delayMs) await new Promise((resolve) => setTimeout(resolve, manners.delayMs))
    const refused = manners.refuse?.(asked)
    if (refused) return end(refused.status, refused.body, refused.headers)
    if (asked.length > (manners.batch ?? Number.POSITIVE_INFINITY)) {
      const message = `Batch of more than ${manners.batch} requests are not allowed`
      return end(manners.status ?? 400, { id: null, jsonrpc: '2.0', error: { code: 31, message } })
    }
    const answers = await Promise.all(asked.map(answer))
    // A single refused request has the HTTP status; in a batch each has its own error.
    const isRefused = !Array.isArray(parsed) && (answers[0] as { error?: unknown }).error !== undefined
    return end(isRefused ? (manners.status ?? 200) : 200, Array.isArray(parsed) ? answers : answers[0])
  })
  // Client and server share a process: while it computes, an idle connection must not time out.
  server.keepAliveTimeout = 600_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    counts,
    calls,
    manners,
    total: () => Object.values(counts).reduce((sum, count) => sum + count, 0),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function hand(behind: Behind, asked: Asked): Promise<unknown> {
  if (typeof behind === 'string') {
    return (await fetch(behind, { method: 'POST', body: JSON.stringify(asked) })).json()
  }
  try {
    return { jsonrpc: '2.0', id: asked.id, result: await behind(asked.method, asked.params) }
  } catch (error) {
    // A refusal of the backend is passed on; any other error is a fault of the test.
    const { code, message } = error as { code?: unknown; message?: unknown }
    if (typeof code !== 'number') throw error
    return { jsonrpc: '2.0', id: asked.id, error: { code, message } }
  }
}

function widthOf({ method, params }: Asked): number {
  const [filter] = params as [{ fromBlock?: string; toBlock?: string } | undefined]
  if (method !== 'eth_getLogs' || !filter?.fromBlock || !filter.toBlock) return 0
  return Number(BigInt(filter.toBlock) - BigInt(filter.fromBlock)) + 1
}
