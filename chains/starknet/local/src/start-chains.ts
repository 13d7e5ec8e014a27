/** Starts local chains of any kind in a child process, with their test controls. */
import type { Address, Devnet, Network } from '@causeway/core'
import { type ChainsProcess, forkChains } from '@causeway/devnet/kit'
import { hex } from '../../src/felt.ts'
import type { Kind } from '../../src/kind.ts'
import { type Call, openNode } from '../../src/node/node.ts'
import { chainIdOf } from '../../src/settings.ts'
import type { ContractCall } from '../../src/transaction.ts'
import { type LocalAccount, localAccounts } from './accounts.ts'
import type { ChainPlan, GasRule, Layout, Prices } from './plan.ts'
import { openWallets, type WalletChain } from './wallet.ts'

export interface LocalOptions {
  kind: Kind
  engine: string
  /** The child's program. */
  file: URL
  networks: readonly Network[]
  treasuries: Readonly<Record<string, Address>>
  prices: Prices
  gas: GasRule
  /** Whole tokens of every kind in each test account's wallet. */
  riches: bigint
  /** Additional data of this kind of chain, by network. */
  more?(network: Network): Record<string, string>
  before?(network: string, units: bigint): ContractCall[]
  /** Headers that authorise the test controls; none if the node hides nothing. */
  handHeaders?: Record<string, string>
}

/** Mining a few hundred blocks is the slowest request here. */
const REQUEST_TIMEOUT_MS = 30_000
const BLOCK_MS = 1_000
/** The gas limit of a wallet as a multiple of one call's gas. */
const WALLET_CALLS = 20n

export async function startLocal(options: LocalOptions): Promise<Devnet> {
  const { networks, treasuries, kind } = options
  const [first] = networks
  const accounts = first ? localAccounts(kind, first) : []
  const plans = Object.fromEntries(
    networks.map((network) => [network.name, planOf(options, network, treasuries[network.name] ?? null, accounts)]),
  )
  return openDevnet(await forkChains(options.file, plans), options, accounts)
}

function openDevnet(child: ChainsProcess, options: LocalOptions, accounts: readonly LocalAccount[]): Devnet {
  const { networks, kind, gas } = options
  const l2Gas = WALLET_CALLS * BigInt(gas.call)
  const urls = Object.fromEntries(networks.map(({ name }) => [name, `${child.url}/${name}`]))
  const { handHeaders = {} } = options
  const hand = { timeoutMs: REQUEST_TIMEOUT_MS, batchSize: 100, wording: async () => handHeaders }
  const chains = new Map<string, WalletChain>(
    networks.map((network) => {
      const feeToken = BigInt(kind.profileOf(network).settings.feeToken)
      return [
        network.name,
        { node: openNode(urls[network.name] ?? '', hand), chainId: chainIdOf(network), feeToken, l2Gas },
      ]
    }),
  )
  const chainOf = (network: string): WalletChain => {
    const chain = chains.get(network)
    if (!chain) throw new Error(`no local chain for ${network}`)
    return chain
  }
  const command = (network: string, method: string, params: object) =>
    chainOf(network).node.ask([control(method, params)])
  const { send: _, ...wallets } = openWallets({ chainOf, ...(options.before ? { before: options.before } : {}) })
  return {
    engine: options.engine,
    simulated: true,
    nodes: urls,
    accounts: accounts.map(({ address, secret }) => ({ address, secret })),
    ...wallets,
    async fund({ network, contract }, address, units) {
      const token = contract ?? hex(chainOf(network).feeToken)
      await command(network, 'devnet_fund', { token, address, units: units.toString() })
    },
    async mine(network, blocks) {
      await command(network, 'devnet_mine', { blocks })
    },
    async reorg(network, depth) {
      await command(network, 'devnet_reorg', { depth })
    },
    stop: child.stop,
  }
}

/** A test control of a local chain. */
export function control(method: string, params: object): Call<unknown> {
  return { method, params: [params], read: (answer) => answer }
}

function planOf(
  { kind, prices, gas, riches, more }: LocalOptions,
  network: Network,
  treasury: Address | null,
  accounts: readonly LocalAccount[],
): ChainPlan {
  const { settings, constructorCalldata } = kind.profileOf(network)
  return {
    network: network.name,
    chainId: hex(chainIdOf(network)),
    feeToken: settings.feeToken,
    tokens: network.tokens.map(({ contract }, i) => ({ contract: contract ?? settings.feeToken, layout: layoutOf(i) })),
    watchdog: settings.watchdog,
    treasury,
    accounts: {
      classHash: hex(settings.accountClass),
      constructorCalldata: constructorCalldata(PLACE).map((one) => (one === PLACE ? 'key' : hex(one))),
    },
    people: accounts.map(({ address, publicKey }) => ({ address, publicKey: hex(publicKey) })),
    riches: network.tokens.map(({ decimals }) => `${riches * 10n ** BigInt(decimals)}`),
    finalDepth: network.finalDepth,
    blockMs: BLOCK_MS,
    prices,
    gas,
    ...(more ? { more: more(network) } : {}),
  }
}

/** A value that is not a key, to find the key's position among the arguments. */
const PLACE = 2n ** 250n + 12_345n

/** The event layout of a token, alternating: both occur on the real network. */
function layoutOf(place: number): Layout {
  return place === 1 ? 'old' : 'new'
}
