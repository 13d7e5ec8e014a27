/** Local EVM chains for the sandbox, the demo and the tests: real execution, blocks and mempool in one child process. */
import { type ChildProcess, fork } from 'node:child_process'
import { Depository } from '@causeway/contracts'
import type { Address, Devnet, DevnetFamily, Network, TestAccount, Token, TxHash } from '@causeway/core'
import {
  bytesToHex,
  decodeFunctionData,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  numberToHex,
  toFunctionSelector,
} from 'viem'
import { mnemonicToAccount, privateKeyToAccount, sign } from 'viem/accounts'
import { unitsOf } from './balance.ts'
import { estimateGas, hex, receipt, send } from './calls.ts'
import { encodeTransfer } from './deposit.ts'
import type { ChainPlan } from './devnet-genesis.ts'
import { type Call, type Node, openNode } from './node.ts'
import { chainIdOf } from './settings.ts'
import { digestOf, type TypedData } from './typed-data.ts'

const MNEMONIC = 'test test test test test test test test test test test junk'
const ACCOUNTS = 10
const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 3_000
/** Mining fifty blocks one by one is the slowest thing asked here. */
const REQUEST_TIMEOUT_MS = 30_000
const RECEIPT_TIMEOUT_MS = 60_000
const RECEIPT_POLL_MS = 10
/** The local base fee stays at one gwei. */
const WALLET_FEES = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }

export const devnet: DevnetFamily = {
  type: 'evm',
  async start({ networks, treasuries }) {
    const keys = testKeys()
    const accounts: TestAccount[] = keys
      .slice(0, ACCOUNTS)
      .map((secret) => ({ secret, address: privateKeyToAccount(secret).address }))
    const plans = networks.map((network) => planOf(network, treasuries[network.name] ?? null, accounts, keys))
    const { child, port } = await startNode(plans)
    const urls = networks.map((network) => [network.name, `http://127.0.0.1:${port}/${network.chainId}`] as const)
    return openDevnet(child, Object.fromEntries(urls), networks, accounts)
  },
}

function openDevnet(
  child: ChildProcess,
  urls: Record<string, string>,
  networks: readonly Network[],
  accounts: readonly TestAccount[],
): Devnet {
  const options = { timeoutMs: REQUEST_TIMEOUT_MS, batchSize: 100 }
  const nodes = new Map(Object.entries(urls).map(([name, url]) => [name, openNode(url, options)]))
  const nodeOf = (network: string): Node => {
    const node = nodes.get(network)
    if (!node) throw new Error(`no local chain for ${network}`)
    return node
  }
  const chainIds = new Map(networks.map((network) => [network.name, Number(chainIdOf(network))]))
  const turns = new Map<string, Promise<unknown>>()

  /** One account's transactions on one chain go out one after the other, so that each gets its own nonce. */
  function sendFrom(account: TestAccount, network: string, to: string, value: bigint, data: Hex): Promise<TxHash> {
    const key = `${network} ${account.address}`
    const work = () => sendNow(nodeOf(network), chainIds.get(network) ?? 0, account, to, value, data)
    const result = (turns.get(key) ?? Promise.resolve()).then(work, work)
    turns.set(key, result)
    return result
  }

  return {
    engine: 'Nomic Foundation EDR (revm)',
    simulated: false,
    nodes: urls,
    accounts,
    async fund(token, address, units) {
      await nodeOf(token.network).ask([control('devnet_fund', [token.contract, address, numberToHex(units)])])
    },
    async mine(network, blocks) {
      await nodeOf(network).ask([control('hardhat_mine', [numberToHex(blocks)])])
    },
    async reorg(network, depth) {
      await nodeOf(network).ask([control('devnet_reorg', [depth])])
    },
    async deposit(account, token, { toAddress, units, callData }) {
      const approval = approvalFor(toAddress, (callData ?? '0x') as Hex)
      if (approval) await sendFrom(account, token.network, approval.to, 0n, approval.data)
      return sendFrom(account, token.network, toAddress, units, (callData ?? '0x') as Hex)
    },
    sign: async ({ secret }, typedData) => signTypedText(secret as Hex, typedData),
    transfer: (account, token, to, units) =>
      token.contract === null
        ? sendFrom(account, token.network, to, units, '0x')
        : sendFrom(account, token.network, token.contract, 0n, encodeTransfer(to, units)),
    balance: (token, address) => unitsOf(nodeOf(token.network), address, token),
    stop: () => stopNode(child),
  }
}

/** What a wallet does before a token goes through the Depository; null where nothing has to be approved. */
function approvalFor(spender: string, data: Hex): { to: string; data: Hex } | null {
  if (!data.startsWith(DEPOSIT_SELECTOR)) return null
  const { args } = decodeFunctionData({ abi: Depository.abi, data })
  const [, token, , amount] = args as readonly [Hex, Hex, Hex, bigint]
  const call = { abi: erc20Abi, functionName: 'approve', args: [spender as Hex, amount] } as const
  return { to: token, data: encodeFunctionData(call) }
}

const DEPOSIT_SELECTOR = toFunctionSelector('depositERC20(bytes32,address,address,uint256)')

function signTypedText(secret: Hex, typedData: Record<string, unknown>): Promise<string> {
  const text = typedData as unknown as TypedData
  return sign({ hash: digestOf(text), privateKey: secret, to: 'hex' })
}

async function sendNow(
  node: Node,
  chainId: number,
  { secret, address }: TestAccount,
  to: string,
  value: bigint,
  data: Hex,
): Promise<TxHash> {
  const pending: Call<number> = { method: 'eth_getTransactionCount', params: [address, 'pending'], read: Number }
  const [nonce, estimate] = await node.ask([pending, estimateGas({ from: address, to, value: hex(value), data })])
  const fees = { ...WALLET_FEES, type: 'eip1559' } as const
  const transaction = { ...fees, chainId, nonce, to: to as Hex, value, data, gas: (estimate * 5n) / 4n }
  const [hash] = await node.ask([send(await privateKeyToAccount(secret as Hex).signTransaction(transaction))])
  await inBlock(node, hash)
  return hash
}

async function inBlock(node: Node, hash: TxHash): Promise<void> {
  const deadline = Date.now() + RECEIPT_TIMEOUT_MS
  while (Date.now() < deadline) {
    const [found] = await node.ask([receipt(hash)])
    if (found) return
    await new Promise((resolve) => setTimeout(resolve, RECEIPT_POLL_MS))
  }
  throw new Error(`transaction ${hash} did not get into a block`)
}

function control(method: string, params: readonly unknown[]): Call<unknown> {
  return { method, params, read: (answer) => answer }
}

function planOf(network: Network, treasury: Address | null, accounts: TestAccount[], keys: Hex[]): ChainPlan {
  return {
    chainId: chainIdOf(network).toString(),
    tokens: network.tokens.flatMap((token) => tokenPlan(token)),
    treasury: treasury as Hex | null,
    accounts: accounts.map(({ address }) => address as Hex),
    deployerKey: keys[ACCOUNTS] as Hex,
  }
}

function tokenPlan({ contract, displayAsset, symbol, decimals }: Token): ChainPlan['tokens'] {
  return contract === null ? [] : [{ contract: contract as Hex, name: displayAsset, symbol, decimals }]
}

/** The usual keys of local chains, and one more behind them for whatever must be deployed. */
function testKeys(): Hex[] {
  const parent = mnemonicToAccount(MNEMONIC, { path: "m/44'/60'/0'/0" }).getHdKey()
  return Array.from({ length: ACCOUNTS + 1 }, (_, index) => {
    const { privateKey } = parent.deriveChild(index)
    if (!privateKey) throw new Error('no key at this path')
    return bytesToHex(privateKey)
  })
}

async function startNode(plans: ChainPlan[]): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(new URL('./devnet-node.ts', import.meta.url), { execArgv: [], stdio: ['ignore', 2, 2, 'ipc'] })
  const port = await portOf(child, plans).catch((error) => {
    child.kill('SIGKILL')
    throw error
  })
  // A program that forgets to stop its chains may still end; the chains then end with it.
  child.unref()
  child.channel?.unref()
  return { child, port }
}

function portOf(child: ChildProcess, plans: ChainPlan[]): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const timer = setTimeout(() => reject(new Error('local chains did not start in time')), START_TIMEOUT_MS)
  child.once('message', (message: { port: number }) => resolve(message.port))
  child.once('exit', (code) => reject(new Error(`local chains ended with ${code}`)))
  child.once('error', reject)
  child.send(plans)
  return promise.finally(() => clearTimeout(timer))
}

async function stopNode(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  child.ref()
  child.disconnect()
  await ended
  clearTimeout(timer)
}
