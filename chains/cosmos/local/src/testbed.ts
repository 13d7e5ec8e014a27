/**
 * Shared setup of this folder's tests: a network, a local chain with the adapter opened on it, and control over its
 * node.
 */
import type { Address, ChainAdapter, Network, Order, Sighting, Token, TxHash } from '@causeway/core'
import { family } from '@causeway/cosmos'
import { expect } from 'vitest'
import { payment as paymentOf } from '../../../../tests/support/chains/draft-orders.ts'
import { forward, sampleNetwork, startServer } from '../../../../tests/support/chains/samples.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { startTestbed } from '../../../../tests/support/chains/testbed.ts'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { type Node, openNode } from '../../src/node/node.ts'
import { accountNamed, type LocalAccount } from './accounts.ts'
import { control, devnet } from './index.ts'
import { land, signed, type Writing } from './wallet.ts'

export { type Drawn, draw } from '../../../../tests/support/chains/draft-orders.ts'

export { tokenOf } from '../../../../tests/support/chains/samples.ts'

export const USDC = 'ibc/498A0751C798A0D9A389AA3691123DADA57DAA4FE165D5C75894505B876BA6E4'
const SETTINGS = { prefix: 'osmo', denom: 'uosmo', fee_model: 'osmosis', gas_price: '0.03', max_gas_price: '1' }

export function testNetwork(changes: Partial<Network> = {}, settings: Record<string, unknown> = {}): Network {
  const native = { symbol: 'OSMO', contract: null, decimals: 6 }
  return sampleNetwork([native, { symbol: 'USDC', contract: USDC, decimals: 6 }], {
    name: 'OSMOSIS_TESTNET',
    type: 'cosmos',
    chainId: 'osmo-test-5',
    finalDepth: 3,
    ...changes,
    settings: { ...SETTINGS, ...settings },
  })
}

/** Whole coins of each kind in the treasury. */
const TREASURY_WHOLE = 1_000n

export type TestChain = Awaited<ReturnType<typeof startChain>>

export async function startChain(network: Network = testNetwork()) {
  const base = await startTestbed({
    family,
    devnet,
    network,
    signer: testSigner('cosmos'),
    treasuryWhole: TREASURY_WHOLE,
  })
  const node = openNode(base.url, { timeoutMs: 10_000 })
  const set = (changes: Record<string, unknown>) => node.ask([control('devnet_set', changes)])
  return { ...base, node, set }
}

export function person(number: number): LocalAccount {
  return accountNamed(`account ${number}`)
}

/** Signs and sends as this user; resolves once the transaction is in a block. */
export async function sendAs({ node, network }: TestChain, own: LocalAccount, writing: Writing): Promise<TxHash> {
  return land(node, await signed({ node, network }, own, writing))
}

export async function force(node: Node, raw: Uint8Array): Promise<void> {
  await node.ask([control('devnet_force', { tx: Buffer.from(raw).toString('base64') })])
}

/** Sends a transaction, and reads it with the scan and with an inspection. */
export async function sightedAs(
  chain: TestChain,
  own: LocalAccount,
  writing: Writing,
  ...alsoOurs: Address[]
): Promise<Sighting[]> {
  const { adapter, treasury } = chain
  const ours = staticWatchlist(treasury, ...alsoOurs)
  const { next } = await adapter.scan(null, ours)
  const hash = await sendAs(chain, own, writing)
  const scanned = (await drain(adapter, next, treasury, ...alsoOurs)).filter(({ txHash }) => txHash === hash)
  expect(await adapter.inspect(hash, ours)).toMatchObject({ state: 'included', sightings: scanned })
  return scanned
}

export async function drain(adapter: ChainAdapter, from: string, ...owned: Address[]): Promise<Sighting[]> {
  const found: Sighting[] = []
  for (let cursor = from, isBehind = true; isBehind; ) {
    const scan = await adapter.scan(cursor, staticWatchlist(...owned))
    found.push(...scan.sightings)
    cursor = scan.next
    isBehind = scan.scannedTo < scan.head.number
  }
  return found
}

export const payment = (account: Address, to: Address, token: Token, units: bigint): Order =>
  paymentOf(account, [to, token, units])

export interface Wire {
  method: string
  params: Record<string, unknown>
}

export interface Answer {
  result?: unknown
  error?: unknown
}

/** A proxy in front of a node: `change` may return another answer than the real one, or an error. */
export function startProxy(url: string, change: (request: Wire, answer: Answer) => unknown) {
  return startServer(async (text) => {
    const wire: Wire = JSON.parse(text)
    const { body } = await forward(url, wire)
    return { body: (await change(wire, body as Answer)) ?? body }
  })
}

export interface ToldEvent {
  type: string
  attributes: { key: string; value: string }[]
}

/** The parts of a node's answers that a lying node may change. */
export interface Told {
  block: { header: { time: string }; data: { txs: string[] } }
  txs_results: { code: number; events: ToldEvent[] }[] | null
  sync_info: Record<string, unknown>
  node_info: Record<string, unknown>
  response: Record<string, unknown>
}

export function toldIn(answer: Answer): Told {
  return answer.result as Told
}
