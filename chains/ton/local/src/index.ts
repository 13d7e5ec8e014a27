/**
 * Local TON chains for the sandbox, the demo and the tests: TON's real virtual machine and transaction executor in one
 * child process, behind the API of toncenter. Blocks and their clock are ours.
 */
import { Bug, type Devnet, type DevnetFamily, type Network, type Token } from '@causeway/core'
import { type ChainsProcess, forkChains } from '@causeway/devnet/kit'
import { openJettons } from '../../src/jetton.ts'
import { type Call, openNode } from '../../src/node/node.ts'
import { parseSettings } from '../../src/settings.ts'
import { type LocalAccount, localAccounts } from './accounts.ts'
import type { ChainPlan } from './chain.ts'
import { openWallets, type WalletChain } from './wallet.ts'

/** Mining a few hundred blocks is the slowest request here. */
const REQUEST_TIMEOUT_MS = 30_000
/** Whole tokens of every kind for each test account. */
const RICHES = 100_000n

export const devnet: DevnetFamily = {
  type: 'ton',
  async start({ networks }) {
    const plans = Object.fromEntries(networks.map((network) => [network.name, planOf(network)]))
    const file = new URL('./process.ts', import.meta.url)
    const [child, accounts] = await Promise.all([forkChains(file, plans), localAccounts()])
    const urls = networks.map(({ name }) => [name, `${child.url}/${name}/api/v2/jsonRPC`] as const)
    const opened = openDevnet(child, Object.fromEntries(urls), accounts)
    try {
      for (const { tokens } of networks) await enrich(opened, tokens)
    } catch (error) {
      await opened.stop()
      throw error
    }
    return opened
  },
}

function openDevnet(child: ChainsProcess, urls: Record<string, string>, accounts: readonly LocalAccount[]): Devnet {
  const options = { timeoutMs: REQUEST_TIMEOUT_MS, requestsPerSecond: 0 }
  const locals = new Map<string, WalletChain>(
    Object.entries(urls).map(([name, url]) => [name, { node: openNode(url, options), jettons: openJettons() }]),
  )
  const localOf = (network: string): WalletChain => {
    const local = locals.get(network)
    if (!local) throw new Bug('no local chain for the network', { network })
    return local
  }
  return {
    engine: '@ton/sandbox (real TVM)',
    simulated: true,
    nodes: urls,
    accounts: accounts.map(({ address, secret }) => ({ address, secret })),
    async fund({ network, contract }, address, units) {
      const call =
        contract === null
          ? control('devnet_fund', { address, units: units.toString() })
          : control('devnet_mint', { master: contract, address, units: units.toString() })
      await localOf(network).node.ask(call)
    },
    async mine(network, blocks) {
      await localOf(network).node.ask(control('devnet_mine', { blocks }))
    },
    async reorg() {
      throw new Bug('TON does not reorganise: a masterchain block is final')
    },
    ...openWallets(localOf, accounts),
    stop: child.stop,
  }
}

async function enrich({ fund, accounts }: Devnet, tokens: readonly Token[]): Promise<void> {
  for (const token of tokens) {
    for (const { address } of accounts) await fund(token, address, RICHES * 10n ** BigInt(token.decimals))
  }
}

export function control(method: string, params: Record<string, unknown>): Call<unknown> {
  return { method, params, read: (answer) => answer }
}

function planOf(network: Network): ChainPlan {
  const masters = network.tokens.flatMap(({ contract }) => contract ?? [])
  return { name: network.name, zeroState: parseSettings(network).zeroState, masters }
}
