/**
 * Local ZKsync Lite chains for the sandbox, the demo and the tests: a double of the server in one child process, behind
 * its REST API. It is simulated: its blocks have no proof.
 */
import {
  type Address,
  Bug,
  type Devnet,
  type DevnetFamily,
  type Network,
  type TestAccount,
  type TxHash,
} from '@causeway/core'
import { type ChainsProcess, forkChains } from '@causeway/devnet/kit'
import { parseSettings } from '../../src/settings.ts'
import type { ChainPlan } from './chain.ts'
import { hashIn, localAccounts, openWallet, type Wallet } from './wallet.ts'

/** Whole tokens for each test account. */
const RICHES = 100_000n
/** Networks with a short poll interval are the sandbox's: there blocks are made automatically. */
const SANDBOX_BLOCK_MS = 500
const MAX_TIMESTAMP = 4_294_967_295
const NAMES: Readonly<Record<number, string>> = { 1: 'mainnet', 5: 'goerli', 11155111: 'sepolia' }

export const devnet: DevnetFamily = {
  type: 'zksynclite',
  async start({ networks }) {
    const plans = Object.fromEntries(networks.map((network) => [network.name, planOf(network)]))
    const child = await forkChains(new URL('./process.ts', import.meta.url), plans)
    const accounts = localAccounts()
    const opened = openDevnet(child, networks, accounts)
    try {
      for (const { nativeToken } of networks) {
        for (const { address } of accounts) {
          await opened.fund(nativeToken, address, RICHES * 10n ** BigInt(nativeToken.decimals))
        }
      }
    } catch (error) {
      await opened.stop()
      throw error
    }
    return opened
  },
}

function openDevnet(child: ChainsProcess, networks: readonly Network[], accounts: readonly TestAccount[]): Devnet {
  const nodes = Object.fromEntries(networks.map(({ name }) => [name, `${child.url}/${name}/api/v0.2`]))
  const urlOf = (network: string): string => {
    const url = nodes[network]
    if (url === undefined) throw new Bug('no local chain for the network', { network })
    return url
  }
  const chainIds = new Map(networks.map((network) => [network.name, parseSettings(network).ethereumChainId]))
  const wallets = new Map<string, Promise<Wallet>>()
  const walletOf = (network: string, { address, secret }: TestAccount): Promise<Wallet> => {
    const key = `${network} ${address}`
    const found = wallets.get(key) ?? openWallet(secret, chainIds.get(network) ?? 0)
    wallets.set(key, found)
    return found
  }
  /** Each account's payments one after the other: they take the next nonce. */
  const lanes = new Map<string, Promise<unknown>>()
  function pay(network: string, account: TestAccount, to: Address, units: bigint, validUntil: number): Promise<TxHash> {
    const lane = `${network} ${account.address}`
    const running = (lanes.get(lane) ?? Promise.resolve())
      .catch(() => undefined)
      .then(async () => send(urlOf(network), await walletOf(network, account), to, units, validUntil))
    lanes.set(lane, running)
    return running
  }
  return {
    engine: 'a double of the zkSync Lite server',
    simulated: true,
    nodes,
    accounts,
    async fund({ network }, address, units) {
      await ask(urlOf(network), 'devnet/fund', { address, units: units.toString() })
    },
    async mine(network, blocks) {
      await ask(urlOf(network), 'devnet/mine', { blocks })
    },
    async reorg() {
      throw new Bug('the operator of ZKsync Lite takes no block back')
    },
    deposit: (account, { network }, { toAddress, units, callData }) =>
      pay(network, account, toAddress, units, Number(callData)),
    transfer: (account, { network }, to, units) => pay(network, account, to, units, MAX_TIMESTAMP),
    async balance({ network }, address) {
      const found = (await ask(urlOf(network), `accounts/${address}/committed`)) as State | null
      return BigInt(found?.balances.ETH ?? '0')
    },
    stop: child.stop,
  }
}

interface State {
  accountId: number
  nonce: number
  pubKeyHash: string
  balances: { ETH?: string }
}

/** Sets the account's key if it has none, pays, and returns the hash once it is in a block. */
async function send(url: string, wallet: Wallet, to: Address, units: bigint, validUntil: number): Promise<TxHash> {
  const { accountId, nonce, pubKeyHash } = (await ask(url, `accounts/${wallet.address}/committed`)) as State
  const times = { accountId, validFrom: 0 }
  const isLocked = pubKeyHash !== wallet.keyHash
  if (isLocked) {
    const fee = await feeFor(url, { ChangePubKey: 'ECDSA' }, wallet.address)
    const posted = await wallet.keyChange({ ...times, feeToken: 0, fee, nonce, validUntil: MAX_TIMESTAMP })
    await ask(url, 'transactions', posted)
  }
  const fee = await feeFor(url, 'Transfer', to)
  const payment = {
    ...times,
    to,
    token: 0,
    amount: units.toString(),
    fee,
    nonce: isLocked ? nonce + 1 : nonce,
    validUntil,
  }
  const posted = await wallet.transfer(payment)
  const hash = hashIn(posted)
  await ask(url, 'transactions', posted)
  await ask(url, 'devnet/mine', { blocks: 1 })
  const found = (await ask(url, `transactions/${hash}/data`)) as { tx: { status: string; failReason: string | null } }
  if (found.tx.status === 'rejected') throw new Error(`a test account could not pay: ${found.tx.failReason}`)
  return hash
}

async function feeFor(url: string, txType: unknown, address: string): Promise<string> {
  const answer = (await ask(url, 'fee', { txType, address, tokenLike: 'ETH' })) as { totalFee: string }
  return answer.totalFee
}

/** Sends one request to the double, for tests. */
export async function ask(url: string, path: string, body?: unknown): Promise<unknown> {
  const posted = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(`${url}/${path}`, posted)
  const { status, result, error } = (await response.json()) as { status: string; result: unknown; error: unknown }
  if (status !== 'success') throw new Error(`${path}: ${JSON.stringify(error)}`)
  return result
}

function planOf(network: Network): ChainPlan {
  const { name, finalDepth, pollMs } = network
  const chainId = parseSettings(network).ethereumChainId
  const ethereum = NAMES[chainId]
  if (ethereum === undefined)
    throw new Bug('zkSync Lite never existed on this Ethereum network', { network: name, chainId })
  return { name, ethereum, finalDepth, blockMs: blockMsOf(pollMs) }
}

function blockMsOf(pollMs: number): number | null {
  return pollMs < 300 ? SANDBOX_BLOCK_MS : null
}
