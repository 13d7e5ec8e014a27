/**
 * Local Cosmos chains for the sandbox, the demo and the tests: a double of an SDK chain behind CometBFT, in one child
 * process. Its own code checks what a node would check, and its blocks have correct hashes.
 */
import { Bug, type Devnet, type DevnetFamily, type Network } from '@causeway/core'
import { type ChainsProcess, forkChains } from '@causeway/devnet/kit'
import { accountBytes, denomOf, encode } from '../../src/address.ts'
import { type Call, openNode } from '../../src/node/node.ts'
import { parseSettings } from '../../src/settings.ts'
import { accountFrom, accountNamed, addressOn, type LocalAccount } from './accounts.ts'
import type { ChainPlan } from './chain.ts'
import { moduleAddress } from './envelope.ts'
import { openWallets, type WalletChain } from './wallet.ts'

const ACCOUNTS = 10
/** Mining a few hundred blocks is the slowest request here. */
const REQUEST_TIMEOUT_MS = 30_000
/** Whole tokens of every kind for each test account. */
const RICHES = 1_000_000n
const BLOCKED_MODULES = ['fee_collector', 'distribution', 'gov', 'bonded_tokens_pool', 'not_bonded_tokens_pool', 'mint']

export const devnet: DevnetFamily = {
  type: 'cosmos',
  async start({ networks }) {
    const accounts = Array.from({ length: ACCOUNTS }, (_, number) => accountNamed(`account ${number}`))
    const plans = Object.fromEntries(networks.map((network) => [network.name, planOf(network, accounts)]))
    const child = await forkChains(new URL('./process.ts', import.meta.url), plans)
    return openDevnet(child, networks, accounts)
  },
}

function openDevnet(child: ChainsProcess, networks: readonly Network[], accounts: readonly LocalAccount[]): Devnet {
  const urls = Object.fromEntries(networks.map(({ name }) => [name, `${child.url}/${name}`]))
  const locals = new Map<string, WalletChain>(
    networks.map((network) => {
      const node = openNode(urls[network.name] ?? '', { timeoutMs: REQUEST_TIMEOUT_MS })
      return [network.name, { node, network }]
    }),
  )
  const localOf = (network: string): WalletChain => {
    const local = locals.get(network)
    if (!local) throw new Bug('no local chain for the network', { network })
    return local
  }
  const [first] = networks
  const wallets = openWallets(localOf)
  return {
    engine: 'a double of the Cosmos SDK and CometBFT',
    simulated: true,
    nodes: urls,
    // The addresses on the first chain; each key has another address on every chain.
    accounts: first ? accounts.map((own) => ({ address: addressOn(first, own), secret: own.secret })) : [],
    addressOn: (network, { secret }) => addressOn(localOf(network).network, accountFrom(secret)),
    async fund(token, address, units) {
      const { node, network } = localOf(token.network)
      const denom = denomOf(token, parseSettings(network).denom)
      await node.ask([control('devnet_fund', { address: here(network, address), denom, units: units.toString() })])
    },
    async mine(network, blocks) {
      await localOf(network).node.ask([control('devnet_mine', { blocks })])
    },
    async reorg() {
      throw new Bug('CometBFT blocks are final')
    },
    ...wallets,
    balance: (token, address) => wallets.balance(token, here(localOf(token.network).network, address)),
    stop: child.stop,
  }
}

/** The same account with this chain's prefix. */
function here(network: Network, address: string): string {
  const bytes = accountBytes(address)
  return bytes ? encode(parseSettings(network).prefix, bytes) : address
}

export function control(method: string, params: Record<string, unknown>): Call<unknown> {
  return { method, params: [params], read: (answer) => answer }
}

function planOf(network: Network, accounts: readonly LocalAccount[]): ChainPlan {
  const { chainId, prefix, denom: feeDenom, gasPrice } = parseSettings(network)
  const riches = accounts.flatMap((own) =>
    network.tokens.map((token) => ({
      address: addressOn(network, own),
      denom: denomOf(token, feeDenom),
      amount: (RICHES * 10n ** BigInt(token.decimals)).toString(),
    })),
  )
  const blocked = BLOCKED_MODULES.map((name) => moduleAddress(name, prefix))
  return { chainId, prefix, feeDenom, gasPrice: gasPrice.toString(), blocked, riches }
}
