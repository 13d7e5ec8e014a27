/**
 * Local Tron chains for the sandbox, the demo and the tests: a double of java-tron behind its HTTP API in one child process.
 * Ids, roots, signatures, expirations and fees are as on the real chain; contracts run in an EVM.
 */
import type { Devnet, DevnetFamily, Network } from '@causeway/core'
import { type ChainsProcess, forkChains } from '@causeway/devnet/kit'
import { parseSettings } from '../../src/settings.ts'
import { hexOf, localAccounts } from './accounts.ts'
import type { ChainPlan } from './genesis.ts'
import { type Ask, openWallets } from './wallet.ts'

const BLOCK_MS = 1_000
/** Whole tokens of every kind for each test account. */
const RICHES = 10_000_000n

export const devnet: DevnetFamily = {
  type: 'tron',
  // The local chain's clock runs ahead by three seconds per block.
  standIn: (settings) => ({ ...settings, max_lead_seconds: 1_000_000 }),
  async start({ networks, treasuries }) {
    const plans = Object.fromEntries(
      networks.map((network) => [network.name, planOf(network, treasuries[network.name] ?? null)]),
    )
    const child = await forkChains(new URL('./process.ts', import.meta.url), plans)
    return openDevnet(child, Object.fromEntries(networks.map(({ name }) => [name, `${child.url}/${name}`])))
  },
}

function openDevnet(child: ChainsProcess, urls: Record<string, string>): Devnet {
  const ask: Ask = (network, path, body) => askAt(urls[network] ?? '', path, body)
  const { send: _, ...wallets } = openWallets(ask)
  return {
    engine: 'a double of java-tron (contracts in EDR)',
    simulated: true,
    nodes: urls,
    accounts: localAccounts(),
    ...wallets,
    async fund({ network, contract }, address, units) {
      const token = contract === null ? null : hexOf(contract)
      await ask(network, 'devnet/fund', { token, address: hexOf(address), units: `${units}` })
    },
    async mine(network, blocks) {
      await ask(network, 'devnet/mine', { blocks })
    },
    async reorg(network, depth) {
      await ask(network, 'devnet/reorg', { depth })
    },
    stop: child.stop,
  }
}

export async function askAt(url: string, path: string, body: Record<string, unknown>): Promise<unknown> {
  const response = await fetch(`${url}/${path}`, { method: 'POST', body: JSON.stringify(body) })
  const answer = (await response.json()) as { Error?: string }
  if (typeof answer.Error === 'string') throw new Error(`${path}: ${answer.Error}`)
  return answer
}

function planOf(network: Network, treasury: string | null): ChainPlan {
  const { genesis, factory, depository } = parseSettings(network)
  const at = (address: string | null) => (address === null ? null : hexOf(address))
  const tokens = network.tokens.flatMap(({ contract, displayAsset, symbol, decimals }) =>
    contract === null ? [] : [{ contract: hexOf(contract), name: displayAsset, symbol, decimals }],
  )
  const fundings = network.tokens.flatMap(({ contract, decimals }) =>
    localAccounts().map(({ address }) => ({
      token: at(contract),
      address: hexOf(address),
      units: `${RICHES * 10n ** BigInt(decimals)}`,
    })),
  )
  return {
    genesis,
    tokens,
    treasury: at(treasury),
    factory: at(factory),
    depository: at(depository),
    fundings,
    blockMs: BLOCK_MS,
  }
}
