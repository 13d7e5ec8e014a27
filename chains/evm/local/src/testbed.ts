/**
 * Shared setup of this folder's tests: a network, a signer with the local treasury's key, and control over a local
 * node.
 */
import type { Address, Devnet, Network, Signer, TestAccount, TxHash, Watchlist } from '@causeway/core'
import { family } from '@causeway/evm'
import { bytesToHex, concatBytes, type Hex, hexToBytes, numberToBytes } from 'viem'
import { mnemonicToAccount, sign } from 'viem/accounts'
import { forward, sampleNetwork, startServer } from '../../../../tests/support/chains/samples.ts'
import { startTestbed } from '../../../../tests/support/chains/testbed.ts'
import { canonical } from '../../src/address.ts'
import { hex } from '../../src/node/calls.ts'
import { type Node, openNode } from '../../src/node/node.ts'
import { devnet } from './index.ts'

export { testLog, tokenOf } from '../../../../tests/support/chains/samples.ts'

export const USDC = '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238'
const TREASURY_MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

export function testNetwork(changes: Partial<Network> = {}, contracts: Record<string, string> = { USDC }): Network {
  const listed = Object.entries(contracts).map(([symbol, contract]) => ({ symbol, contract, decimals: 6 }))
  const own = { name: 'ETHEREUM_SEPOLIA', type: 'evm', chainId: '11155111' } as const
  return sampleNetwork([{ symbol: 'ETH', contract: null, decimals: 18 }, ...listed], { ...own, ...changes })
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

/** Starts a local chain and opens the adapter on it. Blocks are mined only on request or with a transaction. */
export async function startChain(network: Network = testNetwork()) {
  const nodeAt = (url: string) => openNode(url, { timeoutMs: 10_000, batchSize: 100 })
  const prepare = (url: string) => control(nodeAt(url), 'evm_setIntervalMining', 0)
  const base = await startTestbed({ family, devnet, network, signer: testSigner(), prepare })
  return { ...base, node: nodeAt(base.url) }
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

/** Sends a transaction signed by the node, even if it fails, and returns its hash. */
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

/** A proxy in front of a node. `answer` may return a false answer, or nothing to pass the request on. */
export async function startProxy(url: string, answer: (request: Wire) => unknown) {
  const counts: Record<string, number> = {}
  const server = await startServer(async (text) => {
    const body: Wire | Wire[] = JSON.parse(text)
    const results: unknown[] = []
    for (const wire of [body].flat()) {
      counts[wire.method] = (counts[wire.method] ?? 0) + 1
      results.push((await answer(wire)) ?? (await forward(url, wire)).body)
    }
    return { body: Array.isArray(body) ? results : results[0] }
  })
  return { ...server, counts }
}

/** Starts five backends behind one address, used in turn. Two of them are at an older block. */
export async function startBackends(url: string, height: bigint) {
  let asked = 0
  const server = await startServer(async (text) => {
    const body: Wire | Wire[] = JSON.parse(text)
    const lags = [1, 3].includes(asked++ % 5)
    const answers = [body]
      .flat()
      .map(async (wire) => (lags ? answerAt(url, height, wire) : (await forward(url, wire)).body))
    const results = await Promise.all(answers)
    return { body: Array.isArray(body) ? results : results[0] }
  })
  return {
    ...server,
    nextIs(backend: number) {
      asked = backend
    },
  }
}

/** The answer of a node whose newest block has this number. */
async function answerAt(url: string, height: bigint, wire: Wire): Promise<unknown> {
  const { id, method, params } = wire
  const told = (result: unknown) => ({ jsonrpc: '2.0', id, result })
  const refused = (message: string) => ({ jsonrpc: '2.0', id, error: { code: -32000, message } })
  const ask = async (changed = params) => (await forward(url, { ...wire, params: changed })).body
  if (/^eth_getTransaction(Receipt|ByHash)$/.test(method)) {
    const answer = (await ask()) as { result: { blockNumber: string } | null }
    return BigInt(answer.result?.blockNumber ?? 0) > height ? told(null) : answer
  }
  if (method === 'eth_getLogs') {
    const { blockHash } = params[0] as { blockHash: string }
    const { body } = await forward(url, { ...wire, method: 'eth_getBlockByHash', params: [blockHash, false] })
    const { result } = body as { result: { number: string } }
    return BigInt(result.number) > height ? refused('unknown block') : ask()
  }
  const at = method === 'eth_getBlockByNumber' ? 0 : 1
  const tag = params[at]
  if (tag === 'latest') return ask(params.with(at, hex(height)))
  if (typeof tag !== 'string' || BigInt(tag) <= height) return ask()
  return at === 0 ? told(null) : refused('header not found')
}
