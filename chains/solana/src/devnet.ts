/** Local Solana chains for the sandbox, the demo and the tests: the real virtual machine and programs in a child process. */
import { type ChildProcess, fork } from 'node:child_process'
import type { Devnet, DevnetFamily, Network, TxHash } from '@causeway/core'
import { address, createNoopSigner } from '@solana/kit'
import { TOKEN_PROGRAM } from './address.ts'
import { latestBlock, send, signatureStatus } from './calls.ts'
import type { ChainPlan } from './devnet-genesis.ts'
import { signHanded } from './devnet-wallet.ts'
import { signedBy, type Wallet, walletFrom, walletOf } from './keypair.ts'
import { type Call, type Node, openNode } from './node.ts'
import { nonceAddresses } from './nonce.ts'
import { nativeTransfer, tokenTransfer } from './order.ts'
import { parseSettings } from './settings.ts'
import { associatedAccount, openTokenPrograms, unitsOf } from './tokens.ts'

const ACCOUNTS = 10
const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 3_000
const REQUEST_TIMEOUT_MS = 30_000
const LANDING_TIMEOUT_MS = 60_000
const LANDING_POLL_MS = 20

export const devnet: DevnetFamily = {
  type: 'solana',
  async start({ networks, treasuries }) {
    const wallets = await Promise.all(Array.from({ length: ACCOUNTS }, (_, number) => walletFrom(`account ${number}`)))
    const plans = networks.map((network) => planOf(network, treasuries[network.name] ?? null, wallets))
    const { child, port } = await startNode(await Promise.all(plans))
    const urls = networks.map(({ name }) => [name, `http://127.0.0.1:${port}/${name}`] as const)
    return openDevnet(child, Object.fromEntries(urls), wallets)
  },
}

function openDevnet(child: ChildProcess, urls: Record<string, string>, wallets: readonly Wallet[]): Devnet {
  const options = { timeoutMs: REQUEST_TIMEOUT_MS, parallel: 16 }
  const nodes = new Map(Object.entries(urls).map(([name, url]) => [name, openNode(url, options)]))
  const programs = openTokenPrograms()
  const nodeOf = (network: string): Node => {
    const node = nodes.get(network)
    if (!node) throw new Error(`no local chain for ${network}`)
    return node
  }
  return {
    engine: 'LiteSVM (real SVM and programs, simulated slots and RPC)',
    simulated: true,
    nodes: urls,
    accounts: wallets.map(({ address: of, secret }) => ({ address: of, secret })),
    async fund(token, owner, units) {
      await nodeOf(token.network).ask([control('devnet_fund', token.contract, owner, units.toString())])
    },
    async mine(network, blocks) {
      await nodeOf(network).ask([control('devnet_mine', blocks)])
    },
    async reorg(network, depth) {
      await nodeOf(network).ask([control('devnet_reorg', depth)])
    },
    async deposit(account, token, { units, callData }) {
      if (callData === null) throw new Error('a deposit needs its transaction')
      const wallet = await walletOf(account.secret)
      return land(nodeOf(token.network), (blockhash) => signHanded(wallet, callData, { blockhash, units }))
    },
    async transfer(account, token, to, units) {
      const wallet = await walletOf(account.secret)
      const node = nodeOf(token.network)
      const { contract: mint, decimals } = token
      const from = createNoopSigner(wallet.address)
      const instructions =
        mint === null
          ? [nativeTransfer(from, to, units)]
          : await tokenTransfer({
              ...{ from, to, mint, units, decimals, payer: from },
              program: await programs.of(node, mint),
            })
      return land(node, (blockhash) => signedBy(wallet, instructions, blockhash))
    },
    balance: (token, owner) => unitsOf(nodeOf(token.network), programs, owner, token),
    stop: () => stopNode(child),
  }
}

/** Signs with the newest blockhash, sends, and waits until it is in a block. */
async function land(node: Node, sign: (blockhash: string) => Promise<Uint8Array>): Promise<TxHash> {
  const [{ blockhash }] = await node.ask([latestBlock('confirmed')])
  const [hash] = await node.ask([send(Buffer.from(await sign(blockhash)).toString('base64'))])
  const deadline = Date.now() + LANDING_TIMEOUT_MS
  while (Date.now() < deadline) {
    const [status] = await node.ask([signatureStatus(hash)])
    if (status && status.commitment !== 'processed') return hash
    await new Promise((resolve) => setTimeout(resolve, LANDING_POLL_MS))
  }
  throw new Error(`transaction ${hash} did not get into a block`)
}

function control(method: string, ...params: unknown[]): Call<unknown> {
  return { method, params, read: (answer) => answer }
}

async function planOf(network: Network, treasury: string | null, wallets: readonly Wallet[]): Promise<ChainPlan> {
  const { nonceBase, nonceAccounts, genesisHash } = parseSettings(network)
  const mints = network.tokens.flatMap(({ contract, decimals }) =>
    contract === null ? [] : [{ address: address(contract), decimals }],
  )
  const nonces = treasury === null ? [] : await nonceAddresses(nonceBase ?? treasury, nonceAccounts)
  const accounts = wallets.map(async ({ address: owner }) => ({
    address: owner,
    tokenAccounts: await Promise.all(
      mints.map(async ({ address: mint }) => address(await associatedAccount(owner, mint, TOKEN_PROGRAM))),
    ),
  }))
  return {
    network: network.name,
    genesisHash,
    mints,
    treasury: treasury === null ? null : address(treasury),
    nonces: nonces.map((nonce) => address(nonce)),
    accounts: await Promise.all(accounts),
  }
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
