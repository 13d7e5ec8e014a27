/**
 * Shared setup of this folder's tests: a network, a local chain with the adapter opened on it, and control over its
 * node.
 */
import type { Address, ChainAdapter, Devnet, Network, Order, Sighting, Slot, TxHash } from '@causeway/core'
import { family } from '@causeway/solana'
import type { Instruction } from '@solana/kit'
import { expect } from 'vitest'
import { type Drawn, draw as drawOn } from '../../../../tests/support/chains/draft-orders.ts'
import { forward, sampleNetwork, startServer } from '../../../../tests/support/chains/samples.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { startTestbed } from '../../../../tests/support/chains/testbed.ts'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { latestBlock } from '../../src/node/calls.ts'
import { type Node, openNode } from '../../src/node/node.ts'
import { type Wallet, walletOf } from '../../src/paying/keypair.ts'
import { toBase64, wireBytes, withBlockhash } from '../../src/paying/message.ts'
import { devnet } from './index.ts'

export type { Drawn } from '../../../../tests/support/chains/draft-orders.ts'

export { testLog, tokenOf } from '../../../../tests/support/chains/samples.ts'

export const USDC = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'

export function testNetwork(changes: Partial<Network> = {}, mints: Record<string, string> = { USDC }): Network {
  const listed = Object.entries(mints).map(([symbol, contract]) => ({ symbol, contract, decimals: 6 }))
  const own = { name: 'SOLANA_DEVNET', type: 'solana', finalDepth: 32 } as const
  return sampleNetwork([{ symbol: 'SOL', contract: null, decimals: 9 }, ...listed], { ...own, ...changes })
}

/** The treasury's balance of each token, in whole coins. */
const TREASURY_WHOLE = 1_000n

export type TestChain = Awaited<ReturnType<typeof startChain>>

export async function startChain(network: Network = testNetwork()) {
  const base = await startTestbed({
    family,
    devnet,
    network,
    signer: testSigner('solana'),
    treasuryWhole: TREASURY_WHOLE,
  })
  return { ...base, node: openNode(base.url, { timeoutMs: 10_000, parallel: 8 }) }
}

export async function walletAt(local: Devnet, index: number): Promise<Wallet> {
  const account = local.accounts[index]
  if (!account) throw new Error(`no account ${index}`)
  return walletOf(account.secret)
}

export async function control(node: Node, method: string, ...params: unknown[]): Promise<unknown> {
  const [answer] = await node.ask([{ method, params, read: (result: unknown) => result }])
  return answer
}

/** Signs and sends without preflight, so that failing transactions are mined, too. The first wallet pays. */
export async function sendAs(node: Node, wallet: Wallet, instructions: readonly Instruction[]): Promise<TxHash> {
  return sendTogether(node, [wallet], instructions)
}

export async function sendTogether(
  node: Node,
  wallets: readonly Wallet[],
  instructions: readonly Instruction[],
): Promise<TxHash> {
  const [{ blockhash }] = await node.ask([latestBlock('confirmed')])
  const unsigned = withBlockhash(wallets[0]?.address ?? '', blockhash, instructions)
  const message = Uint8Array.from(unsigned.messageBytes)
  const signatures = await Promise.all(
    wallets.map(async (wallet) => [wallet.address, await wallet.sign(message)] as const),
  )
  return sendRaw(node, toBase64(wireBytes(unsigned, new Map(signatures))))
}

/** Sends a transaction, and reads it with the scan and with an inspection. */
export async function sightedAs(
  { node, treasury }: TestChain,
  adapter: ChainAdapter,
  wallets: readonly Wallet[],
  instructions: readonly Instruction[],
  ...alsoOurs: Address[]
): Promise<Sighting[]> {
  const ours = staticWatchlist(treasury, ...alsoOurs)
  const { next } = await adapter.scan(null, ours)
  const hash = await sendTogether(node, wallets, instructions)
  const scanned: Sighting[] = []
  for (let cursor = next, isBehind = true; isBehind; ) {
    const scan = await adapter.scan(cursor, ours)
    scanned.push(...scan.sightings.filter(({ txHash }) => txHash === hash))
    cursor = scan.next
    isBehind = scan.scannedTo < scan.head.number
  }
  const inspection = await adapter.inspect(hash, ours)
  expect(inspection).toMatchObject({ state: 'included', sightings: scanned })
  return scanned
}

export async function sendRaw(node: Node, base64: string): Promise<TxHash> {
  return (await control(node, 'sendTransaction', base64, { encoding: 'base64', skipPreflight: true })) as TxHash
}

export function draw({ adapter }: TestChain, order: Order, taken: readonly Slot[] = []): Promise<Drawn> {
  return drawOn(adapter, order, taken)
}

interface Wire {
  method: string
  params: unknown[]
}

/** A proxy in front of a node: `change` may return another answer than the real one, or an error. */
export function startProxy(url: string, change: (request: Wire, answer: Answer) => unknown) {
  return startServer(async (text) => {
    const wire: Wire = JSON.parse(text)
    const { body } = await forward(url, wire)
    return { body: (await change(wire, body as Answer)) ?? body }
  })
}

export interface Answer {
  jsonrpc: string
  result?: unknown
  error?: unknown
}
