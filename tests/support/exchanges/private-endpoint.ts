/**
 * A private endpoint in front of a local chain: it keeps what it gets, and brings it into a block only as a block builder
 * would. The chain's own mempool never sees a transaction that waits here.
 */
import { type Hex, keccak256 } from 'viem'
import { startServer } from '../chains/samples.ts'

type PrivateMode = 'include' | 'never' | 'refuse' | 'down'

export interface SimulatedEndpoint {
  url: string
  mode: PrivateMode
  /** The requests, in order. */
  asked: { method: string; params: unknown[] }[]
  /** The transactions that wait. */
  held: string[]
  /** Brings everything that waits into a block. */
  include(): Promise<void>
  stop(): Promise<void>
}

/** `mine`: sends the bytes to the chain and mines them at once. */
export async function startPrivateEndpoint(mine: (bytes: string) => Promise<unknown>): Promise<SimulatedEndpoint> {
  const server = await startServer(async (text) => {
    const { id, method, params } = JSON.parse(text)
    if (endpoint.mode === 'down') return { status: 503, body: {} }
    endpoint.asked.push({ method, params })
    if (endpoint.mode === 'refuse')
      return { body: { jsonrpc: '2.0', id, error: { code: -32000, message: 'we do not like it' } } }
    const bytes: string = method === 'eth_sendPrivateTransaction' ? params[0].tx : params[0]
    if (!endpoint.held.includes(bytes)) endpoint.held.push(bytes)
    if (endpoint.mode === 'include') await endpoint.include()
    return { body: { jsonrpc: '2.0', id, result: keccak256(bytes as Hex) } }
  })
  const endpoint: SimulatedEndpoint = {
    ...{ url: server.url, mode: 'include', asked: [], held: [], stop: server.stop },
    async include() {
      // A builder drops what is no longer valid.
      for (const bytes of endpoint.held.splice(0)) await mine(bytes).catch(() => undefined)
    },
  }
  return endpoint
}
