/** Local Solana chains for the sandbox, the demo and the tests: the real virtual machine and programs in a child process. */
import type { Devnet, DevnetFamily, Network } from '@causeway/core'
import { type ChainsProcess, forkChains } from '@causeway/devnet/kit'
import { address } from '@solana/kit'
import { TOKEN_PROGRAM } from '../../src/address.ts'
import { type Call, type Node, openNode } from '../../src/node/node.ts'
import type { Wallet } from '../../src/paying/keypair.ts'
import { nonceAddresses } from '../../src/paying/nonce.ts'
import { parseSettings } from '../../src/settings.ts'
import { associatedAccount } from '../../src/tokens.ts'
import { walletFrom } from './accounts.ts'
import type { ChainPlan } from './genesis.ts'
import { openWallets } from './wallet.ts'

const ACCOUNTS = 10
const REQUEST_TIMEOUT_MS = 30_000

export const devnet: DevnetFamily = {
  type: 'solana',
  async start({ networks, treasuries }) {
    const wallets = await Promise.all(Array.from({ length: ACCOUNTS }, (_, number) => walletFrom(`account ${number}`)))
    const plans = await Promise.all(
      networks.map((network) => planOf(network, treasuries[network.name] ?? null, wallets)),
    )
    const byPath = Object.fromEntries(plans.map((plan) => [plan.network, plan]))
    const child = await forkChains(new URL('./process.ts', import.meta.url), byPath)
    const urls = networks.map(({ name }) => [name, `${child.url}/${name}`] as const)
    return openDevnet(child, Object.fromEntries(urls), wallets)
  },
}

function openDevnet(child: ChainsProcess, urls: Record<string, string>, wallets: readonly Wallet[]): Devnet {
  const options = { timeoutMs: REQUEST_TIMEOUT_MS, parallel: 16 }
  const nodes = new Map(Object.entries(urls).map(([name, url]) => [name, openNode(url, options)]))
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
    ...openWallets(nodeOf),
    stop: child.stop,
  }
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
