/** Shared by the families' tests: networks as the catalogue would describe them, a recording logger, a local server. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChainLog, Network, Token } from '@causeway/core'

const LISTING = { listingDate: '2026-11-15T00:00:00Z', sourceRank: 1, destinationRank: 1 }

type Coin = Pick<Token, 'symbol' | 'contract' | 'decimals'>

/** The first coin is the native one. */
export function sampleNetwork(
  coins: readonly [Coin, ...Coin[]],
  own: Pick<Network, 'name' | 'type'> & Partial<Network>,
): Network {
  const tokenOn = ({ symbol, contract, decimals }: Coin): Token => ({
    ...{ network: own.name, symbol, displayAsset: symbol, contract, decimals, precision: 6, group: symbol },
    ...LISTING,
  })
  const [native, ...others] = coins
  const nativeToken = tokenOn(native)
  return {
    displayName: own.name,
    chainId: null,
    nodes: [],
    transactionExplorer: '',
    accountExplorer: '',
    ...LISTING,
    nativeToken,
    tokens: [nativeToken, ...others.map(tokenOn)],
    confirmations: [{ upToUsd: null, confirmations: 1 }],
    finalDepth: 6,
    pollMs: 100,
    settings: {},
    ...own,
  }
}

export function tokenOf(network: Network, symbol: string): Token {
  const token = network.tokens.find((candidate) => candidate.symbol === symbol)
  if (!token) throw new Error(`no token ${symbol}`)
  return token
}

export interface LogLine {
  level: 'info' | 'warn' | 'error'
  fields: Record<string, unknown>
  message: string
}

export function testLog(): ChainLog & { lines: LogLine[] } {
  const lines: LogLine[] = []
  const at = (level: LogLine['level']) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ level, fields, message })
  return { lines, info: at('info'), warn: at('warn'), error: at('error') }
}

export interface Reply {
  /** Status 200 if absent. */
  status?: number
  body: unknown
}

/** A local server that answers posted JSON. */
export async function startServer(answer: (text: string, request: IncomingMessage) => Promise<Reply>) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    try {
      const { status = 200, body } = await answer(Buffer.concat(chunks).toString(), request)
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    } catch {
      // Its own backend may be gone at the end of a test.
      response.destroy()
    }
  })
  // Client and server share a process: while it computes, an idle connection must not time out.
  server.keepAliveTimeout = 600_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}`, stop }
}

/** Forwards the request to a node, and returns its answer. */
export async function forward(url: string, request: unknown): Promise<Reply> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(request) })
  return { status: response.status, body: await response.json() }
}

/** A server in front of one with URL paths: `alter` may change the answer for a path. */
export async function startPathProxy(url: string, alter: (path: string, body: unknown) => unknown) {
  const { origin, pathname } = new URL(url)
  const server = await startServer(async (text, { method = 'GET', url: asked = '', headers }) => {
    const kept = Object.entries(headers).filter(([name]) => name.startsWith('x-'))
    const request = { method, headers: Object.fromEntries(kept) as Record<string, string>, ...(text && { body: text }) }
    const response = await fetch(origin + asked, request)
    return { status: response.status, body: alter(asked.slice(pathname.length + 1), await response.json()) }
  })
  return { ...server, url: server.url + pathname }
}
