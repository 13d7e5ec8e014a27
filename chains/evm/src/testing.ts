/** What the tests of this folder share: a network, a signer with the local treasury's key, and hands on a local node. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Address, ChainLog, Devnet, Network, Signer, TestAccount, Token, TxHash, Watchlist } from '@causeway/core'
import { bytesToHex, concatBytes, type Hex, hexToBytes, numberToBytes } from 'viem'
import { mnemonicToAccount, sign } from 'viem/accounts'
import { canonical } from './address.ts'
import { hex } from './calls.ts'
import { devnet } from './devnet.ts'
import { family } from './index.ts'
import { type Node, openNode } from './node.ts'
import { treasuryAddress } from './treasury.ts'

export const USDC = '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238'
const TREASURY_MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

export function testNetwork(changes: Partial<Network> = {}, contracts: Record<string, string> = { USDC }): Network {
  const name = changes.name ?? 'ETHEREUM_SEPOLIA'
  const native = testToken(name, 'ETH', null, 18)
  const listed = Object.entries(contracts).map(([symbol, contract]) => testToken(name, symbol, contract, 6))
  return {
    name,
    displayName: name,
    type: 'evm',
    chainId: '11155111',
    nodes: [],
    transactionExplorer: '',
    accountExplorer: '',
    listingDate: '2026-11-15T00:00:00Z',
    sourceRank: 1,
    destinationRank: 1,
    nativeToken: native,
    tokens: [native, ...listed],
    confirmations: [{ upToUsd: null, confirmations: 1 }],
    finalDepth: 6,
    pollMs: 100,
    settings: {},
    ...changes,
  }
}

function testToken(network: string, symbol: string, contract: string | null, decimals: number): Token {
  const listing = { listingDate: '2026-11-15T00:00:00Z', sourceRank: 1, destinationRank: 1 }
  return { network, symbol, displayAsset: symbol, contract, decimals, precision: 6, group: symbol, ...listing }
}

export function tokenOf(network: Network, symbol: string): Token {
  const token = network.tokens.find((candidate) => candidate.symbol === symbol)
  if (!token) throw new Error(`no token ${symbol}`)
  return token
}

function testSigner(): Signer {
  const keyAt = (path: string) =>
    mnemonicToAccount(TREASURY_MNEMONIC, { path: path as `m/44'/60'/${string}` }).getHdKey()
  return {
    async publicKey({ path }) {
      return keyAt(path).publicKey ?? new Uint8Array()
    },
    async sign({ path }, digest) {
      const privateKey = bytesToHex(keyAt(path).privateKey ?? new Uint8Array())
      const { r, s, yParity = 0 } = await sign({ hash: bytesToHex(digest), privateKey })
      return concatBytes([hexToBytes(r), hexToBytes(s), numberToBytes(yParity, { size: 1 })])
    },
  }
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

export function watching(...addresses: Address[]): Watchlist & { questions: number } {
  const ours = new Set(addresses)
  return {
    questions: 0,
    async owned(asked) {
      this.questions += 1
      return new Set(asked.filter((address) => ours.has(address)))
    },
  }
}

/** A local chain with the adapter opened on it. Blocks come only when asked for or with a transaction. */
export async function startChain(network: Network = testNetwork()) {
  const signer = testSigner()
  const treasury = await treasuryAddress(signer)
  const local = await devnet.start({ networks: [network], treasuries: { [network.name]: treasury } })
  const url = local.nodes[network.name] ?? ''
  const node = openNode(url, { timeoutMs: 10_000, batchSize: 100 })
  await control(node, 'evm_setIntervalMining', 0)
  const log = testLog()
  const open = (changes: Partial<Network> = {}) =>
    family.open({ network: { ...network, nodes: [url], ...changes }, signer, log })
  return { local, url, node, log, network, signer, treasury, open, adapter: await open() }
}

export async function control(node: Node, method: string, ...params: unknown[]): Promise<unknown> {
  const [answer] = await node.ask([{ method, params, read: (result: unknown) => result }])
  return answer
}

export function accountOf(local: Devnet, index: number): TestAccount {
  const account = local.accounts[index]
  if (!account) throw new Error(`no account ${index}`)
  return account
}

/** Sends a transaction signed by the node, whatever becomes of it, and answers its hash. */
export async function sendAs(
  node: Node,
  from: Address,
  request: { to?: Address; data?: Hex; value?: bigint; gas?: bigint },
): Promise<TxHash> {
  await control(node, 'hardhat_impersonateAccount', from)
  const { gas = 2_000_000n, value = 0n, ...rest } = request
  return (await control(node, 'eth_sendTransaction', { from, ...rest, value: hex(value), gas: hex(gas) })) as TxHash
}

export async function deploy(node: Node, from: Address, bytecode: Hex): Promise<Address> {
  const txHash = await sendAs(node, from, { data: bytecode })
  const { contractAddress } = (await control(node, 'eth_getTransactionReceipt', txHash)) as { contractAddress: string }
  return canonical(contractAddress)
}

export interface Wire {
  id: number
  method: string
  params: unknown[]
}

/** A node in front of a node: `answer` may return something else than the truth, or nothing to pass the request on. */
export async function startProxy(url: string, answer: (request: Wire) => unknown) {
  const counts: Record<string, number> = {}
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body: Wire | Wire[] = JSON.parse(Buffer.concat(chunks).toString())
    const results: unknown[] = []
    for (const wire of [body].flat()) {
      counts[wire.method] = (counts[wire.method] ?? 0) + 1
      results.push((await answer(wire)) ?? (await forward(url, wire)))
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(body) ? results : results[0]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}`, counts, stop }
}

async function forward(url: string, wire: Wire): Promise<unknown> {
  return (await fetch(url, { method: 'POST', body: JSON.stringify(wire) })).json()
}
