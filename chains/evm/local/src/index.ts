/** Local EVM chains for the sandbox, the demo and the tests: real execution, blocks and mempool in one child process. */
import type { Address, Devnet, DevnetFamily, Network, TestAccount, Token } from '@causeway/core'
import { type ChainsProcess, forkChains } from '@causeway/devnet/kit'
import { bytesToHex, type Hex, numberToHex } from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { openNode } from '../../src/node/node.ts'
import { FEE_MODELS } from '../../src/paying/feemodels/index.ts'
import { chainIdOf, parseSettings } from '../../src/settings.ts'
import type { ChainPlan } from './genesis.ts'
import { emptyPool, movePool, type PoolPlan, poolPlans } from './pools.ts'
import type { Ask } from './uniswap.ts'
import { openWallets, type WalletChain } from './wallet.ts'

const MNEMONIC = 'test test test test test test test test test test test junk'
const ACCOUNTS = 10
const BLOCK_MS = 1_000
/**
 * Up to this many chains make a block per second each. More share that rate, because empty blocks would keep a core
 * busy.
 */
const QUICK_CHAINS = 10
/** Timeout of a request: mining fifty blocks one by one is the slowest one. */
const REQUEST_TIMEOUT_MS = 30_000

export const devnet: DevnetFamily = {
  type: 'evm',
  async start({ networks, treasuries }) {
    const keys = testKeys()
    const accounts: TestAccount[] = keys
      .slice(0, ACCOUNTS)
      .map((secret) => ({ secret, address: privateKeyToAccount(secret).address }))
    const blockMs = BLOCK_MS * Math.max(1, networks.length / QUICK_CHAINS)
    const plans = networks.map((network) => ({
      ...planOf(network, treasuries[network.name] ?? null, accounts, keys),
      blockMs,
    }))
    const byPath = Object.fromEntries(plans.map((plan) => [plan.chainId, plan]))
    const child = await forkChains(new URL('./process.ts', import.meta.url), byPath)
    const urls = networks.map((network) => [network.name, `${child.url}/${network.chainId}`] as const)
    return openDevnet(child, Object.fromEntries(urls), networks, accounts)
  },
}

function openDevnet(
  child: ChainsProcess,
  urls: Record<string, string>,
  networks: readonly Network[],
  accounts: readonly TestAccount[],
): Devnet {
  const options = { timeoutMs: REQUEST_TIMEOUT_MS, batchSize: 100 }
  const chains = new Map(
    networks.map((network) => {
      const node = openNode(urls[network.name] ?? '', options)
      return [network.name, { node, chainId: Number(chainIdOf(network)) }] as const
    }),
  )
  const chainOf = (network: string): WalletChain => {
    const chain = chains.get(network)
    if (!chain) throw new Error(`no local chain for ${network}`)
    return chain
  }
  const command = (network: string, method: string, ...params: unknown[]) =>
    chainOf(network).node.ask([{ method, params, read: (answer: unknown) => answer }])
  /** All pools of the token, one after the other. */
  async function onPools({ network, contract }: Token, run: (ask: Ask, plan: PoolPlan) => Promise<void>) {
    const listing = networks.find(({ name }) => name === network)
    const plans = listing ? poolPlans(listing).filter(({ token }) => token.contract === contract) : []
    if (plans.length === 0) throw new RangeError('no pool of this token was opened')
    const ask: Ask = async (method, params) => (await command(network, method, ...params))[0]
    for (const plan of plans) await run(ask, plan)
  }
  const { send: _, ...wallets } = openWallets(chainOf)
  return {
    engine: 'Nomic Foundation EDR (revm)',
    simulated: false,
    nodes: urls,
    accounts,
    ...wallets,
    async fund({ network, contract }, address, units) {
      await command(network, 'devnet_fund', contract, address, numberToHex(units))
    },
    async mine(network, blocks) {
      await command(network, 'hardhat_mine', numberToHex(blocks))
    },
    async reorg(network, depth) {
      await command(network, 'devnet_reorg', depth)
    },
    pools: {
      move: (token, percent) => onPools(token, (ask, plan) => movePool(ask, plan, percent)),
      empty: (token) => onPools(token, emptyPool),
    },
    stop: child.stop,
  }
}

function planOf(
  network: Network,
  treasury: Address | null,
  accounts: TestAccount[],
  keys: Hex[],
): Omit<ChainPlan, 'blockMs'> {
  return {
    chainId: chainIdOf(network).toString(),
    tokens: network.tokens.flatMap((token) => tokenPlan(token)),
    treasury: treasury as Hex | null,
    accounts: accounts.map(({ address }) => address as Hex),
    deployerKey: keys[ACCOUNTS] as Hex,
    pools: poolPlans(network),
    oracle: FEE_MODELS[parseSettings(network).feeModel].oracle as Hex | null,
  }
}

function tokenPlan({ contract, displayAsset, symbol, decimals }: Token): ChainPlan['tokens'] {
  return contract === null ? [] : [{ contract: contract as Hex, name: displayAsset, symbol, decimals }]
}

/** The usual keys of local chains, and one more for deployments. */
function testKeys(): Hex[] {
  const parent = mnemonicToAccount(MNEMONIC, { path: "m/44'/60'/0'/0" }).getHdKey()
  return Array.from({ length: ACCOUNTS + 1 }, (_, index) => {
    const { privateKey } = parent.deriveChild(index)
    if (!privateKey) throw new Error('no key at this path')
    return bytesToHex(privateKey)
  })
}
