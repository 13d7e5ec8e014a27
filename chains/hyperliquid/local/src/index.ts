/**
 * Local Hyperliquid chains for the sandbox, the demo and the tests: a double of the network's ledger behind its own
 * API, in one child process. It follows the known behaviour of the network and validates with its own code.
 */
import { Bug, type Devnet, type DevnetFamily, type Network } from '@causeway/core'
import { type ChainsProcess, forkChains } from '@causeway/devnet/kit'
import { spotState } from '../../src/node/calls.ts'
import { openNode } from '../../src/node/node.ts'
import { parseSettings, wireOf } from '../../src/settings.ts'
import { localAccounts } from './accounts.ts'
import type { ChainPlan } from './chain.ts'
import { control, openWallets, type WalletChain } from './wallet.ts'

const REQUEST_TIMEOUT_MS = 30_000
/** Whole tokens of every kind for each test account. */
const RICHES = 100_000n
/** First token index of the local chain, which no other token has; USDC is the first token of the network. */
const FIRST_INDEX = 150

export const devnet: DevnetFamily = {
  type: 'hyperliquid',
  // The explorer is removed: it would not have these transactions.
  standIn: ({ explorer_url: _, ...settings }) => settings,
  async start({ networks }) {
    const plans = new Map(networks.map((network) => [network.name, planOf(network)]))
    const child = await forkChains(new URL('./process.ts', import.meta.url), Object.fromEntries(plans))
    const opened = openDevnet(child, networks, plans)
    try {
      for (const { tokens } of networks) {
        for (const token of tokens) {
          for (const { address } of opened.accounts)
            await opened.fund(token, address, RICHES * 10n ** BigInt(token.decimals))
        }
      }
    } catch (error) {
      await opened.stop()
      throw error
    }
    return opened
  },
}

function openDevnet(child: ChainsProcess, networks: readonly Network[], plans: ReadonlyMap<string, ChainPlan>): Devnet {
  const urls = Object.fromEntries(networks.map(({ name }) => [name, `${child.url}/${name}`]))
  const locals = new Map<string, WalletChain & { network: Network }>(
    networks.map((network) => {
      const settings = parseSettings(network)
      const wires = new Map(network.tokens.map((token) => [token.contract, wireOf(settings, token).wire]))
      const node = openNode(urls[network.name] ?? '', { timeoutMs: REQUEST_TIMEOUT_MS })
      return [network.name, { network, node, chain: settings.chain, wires }]
    }),
  )
  const localOf = (network: string) => {
    const local = locals.get(network)
    if (!local) throw new Bug('no local chain for the network', { network })
    return local
  }
  const indexOf = (network: string, contract: string | null): number => {
    const wire = localOf(network).wires.get(contract)
    const found = plans.get(network)?.tokens.find(({ name, id }) => wire === `${name}:${id}`)
    if (!found) throw new Bug('no such token on the local chain', { network, contract })
    return found.index
  }
  return {
    engine: 'a double of HyperCore',
    simulated: true,
    nodes: urls,
    accounts: localAccounts(),
    async fund({ network, contract }, address, units) {
      const index = indexOf(network, contract)
      await localOf(network).node.ask(control('devnet_fund', { address, index, units: units.toString() }))
    },
    async mine(network, blocks) {
      await localOf(network).node.ask(control('devnet_mine', { blocks }))
    },
    async reorg() {
      throw new Bug('Hyperliquid does not reorganise: every block is final')
    },
    ...openWallets(localOf),
    async balance({ network, contract, decimals }, address) {
      const held = (await localOf(network).node.ask(spotState(address))).get(indexOf(network, contract))
      const [whole = '0', fraction = ''] = (held?.total ?? '0').split('.')
      return BigInt(whole + fraction.padEnd(decimals, '0').slice(0, decimals))
    },
    stop: child.stop,
  }
}

function planOf(network: Network): ChainPlan {
  const settings = parseSettings(network)
  const tokens = network.tokens.map((token, place) => {
    const { name, id } = wireOf(settings, token)
    return { name, id, index: token.contract === null ? 0 : FIRST_INDEX + place, decimals: token.decimals }
  })
  return { name: network.name, chain: settings.chain, tokens }
}
