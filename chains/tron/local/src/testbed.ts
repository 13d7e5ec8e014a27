/**
 * Shared setup of this folder's tests: a local chain with a funded treasury, the adapter opened on it, and a proxy node
 * that may lie.
 */
import type { Address, Network, Order, Token } from '@causeway/core'
import { family } from '@causeway/tron'
import { payment as paymentOf } from '../../../../tests/support/chains/draft-orders.ts'
import { startServer } from '../../../../tests/support/chains/samples.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { startTestbed } from '../../../../tests/support/chains/testbed.ts'
import { askAt, devnet } from './index.ts'
import { testNetwork } from './test-network.ts'
import { openWallets } from './wallet.ts'

export { type Drawn, drain, draw, statusOf } from '../../../../tests/support/chains/draft-orders.ts'

/** Whole tokens of each kind that the treasury starts with. */
const TREASURY_WHOLE = 10_000n

export type Testbed = Awaited<ReturnType<typeof startChain>>

/** Blocks come only when asked for, or with a transaction. */
export async function startChain(network: Network = testNetwork()) {
  const prepare = (url: string) => askAt(url, 'devnet/timer', { ms: 0 })
  const base = await startTestbed({
    family,
    devnet,
    network,
    signer: testSigner('tron'),
    treasuryWhole: TREASURY_WHOLE,
    prepare,
  })
  const { url } = base
  const [, usdt] = network.tokens as [Token, Token]
  return {
    ...base,
    usdt,
    control: (path: string, body: Record<string, unknown> = {}) => askAt(url, `devnet/${path}`, body),
    wallets: openWallets((_, path, body) => askAt(url, path, body)),
    ask: (path: string, body: Record<string, unknown> = {}) => askAt(url, path, body),
  }
}

export const payment = (account: Address, to: Address, token: Token, units: bigint): Order =>
  paymentOf(account, [to, token, units])

export type Body = Record<string, unknown>

/** A proxy in front of a node: `answer` may change the true answer, which it can call for. */
export async function startProxy(
  url: string,
  answer: (path: string, body: Body, truth: () => Promise<unknown>) => unknown,
) {
  const counts: Record<string, number> = {}
  const server = await startServer(async (text, request) => {
    const path = (request.url ?? '').slice(1)
    const body: Body = JSON.parse(text || '{}')
    counts[path] = (counts[path] ?? 0) + 1
    const truth = async () => (await fetch(`${url}/${path}`, { method: 'POST', body: JSON.stringify(body) })).json()
    const told = await Promise.resolve(answer(path, body, truth)).catch(() => undefined)
    return told === undefined ? { status: 503, body: 'away' } : { body: told }
  })
  return { ...server, counts }
}
