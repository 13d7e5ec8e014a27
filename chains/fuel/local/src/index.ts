/**
 * Local Fuel chains for the sandbox, the demo and the tests: a double of the network in a child process, behind a
 * node's GraphQL, with ten funded accounts and a block every second. It validates like a node; its virtual machine has
 * only a few instructions.
 */
import { Bug, type Devnet, type DevnetFamily, type Network, type TestAccount, type Token } from '@causeway/core'
import { forkChains } from '@causeway/devnet/kit'
import { openNode, type Query } from '../../src/node/node.ts'
import { parseSettings } from '../../src/settings.ts'
import type { Plan } from './ledger.ts'
import { accountFrom, coinsAt, depositLetter, type Letter, type Place, send } from './wallet.ts'
import { WATCHDOG_CODE, WATCHDOG_ID } from './watchdog.ts'

const ACCOUNTS = 10
/** The block interval, as on the real network. */
const BLOCK_EVERY_MS = 1_000
const REQUEST_TIMEOUT_MS = 30_000
/** Whole coins of every kind for each test account. */
const RICHES = 100_000n
/** Funds are split into this many coins, so that their owner can spend several at once. */
const GIFT_COINS = 16n

export const devnet: DevnetFamily = {
  type: 'fuel',
  // The local chain has a watchdog even if the real network has none yet, so that deposits can carry a reference.
  standIn: (settings) => ({ watchdog_contract: WATCHDOG_ID, ...settings }),
  start: ({ networks }) => startDevnet(networks, BLOCK_EVERY_MS),
}

/** Without an interval, blocks are made only on demand: for tests of pending transactions. */
export async function startDevnet(networks: readonly Network[], blockEveryMs: number | null): Promise<Devnet> {
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => accountFrom(`causeway local account ${index}`))
  const plans = networks.map((network) => [network.name, planOf(network, accounts, blockEveryMs)] as const)
  const child = await forkChains(new URL('./process.ts', import.meta.url), Object.fromEntries(plans))
  const places = networks.map(
    (network) => [network.name, placeOf(network, `${child.url}/${network.name}/v1/graphql`)] as const,
  )
  return devnetOver(new Map(places), accounts, child.stop)
}

export interface LocalPlace extends Place {
  url: string
  /** Runs the work alone, so that no coin is selected twice. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
}

function devnetOver(
  places: ReadonlyMap<string, LocalPlace>,
  accounts: readonly TestAccount[],
  stop: () => Promise<void>,
): Devnet {
  const placeFor = (network: string): LocalPlace => {
    const place = places.get(network)
    if (!place) throw new Bug('no local chain for this network', { network })
    return place
  }
  const assetOf = ({ network, contract }: Token) => contract ?? placeFor(network).baseAsset
  const pay = ({ network }: Token, account: TestAccount, letter: Letter) => {
    const place = placeFor(network)
    return place.inTurn(async () => {
      const id = await send(place, account, letter)
      await place.node.ask(control('devnet_mine', { blocks: 1 }))
      return id
    })
  }
  return {
    engine: 'a double of fuel-core (own codec, rules and a small part of the VM)',
    simulated: true,
    nodes: Object.fromEntries([...places].map(([name, { url }]) => [name, url])),
    accounts,
    fund: async (token, address, units) => {
      const coins = giftTo(address, assetOf(token), units, 10n ** BigInt(token.decimals))
      await placeFor(token.network).node.ask(control('devnet_fund', { coins }))
    },
    mine: async (network, blocks) => {
      await placeFor(network).node.ask(control('devnet_mine', { blocks }))
    },
    reorg: async (network, depth) => {
      await placeFor(network).node.ask(control('devnet_reorg', { depth }))
    },
    deposit: (account, token, action) => pay(token, account, depositLetter(assetOf(token), action)),
    transfer: (account, token, to, units) =>
      pay(token, account, { outputs: [{ type: 'coin', to, units, asset: assetOf(token) }] }),
    balance: async (token, address) => {
      const coins = await coinsAt(placeFor(token.network), address, assetOf(token))
      return coins.reduce((sum, { units }) => sum + units, 0n)
    },
    stop,
  }
}

export function placeOf(network: Network, url: string): LocalPlace {
  const { chainId, baseAsset } = parseSettings(network)
  let last: Promise<unknown> = Promise.resolve()
  return {
    node: openNode(url, { timeoutMs: REQUEST_TIMEOUT_MS }),
    ...{ url, chainId, baseAsset },
    inTurn: (work) => {
      const mine = last.then(work)
      last = mine.catch(() => undefined)
      return mine
    },
  }
}

/** Commands of the local chain itself. */
export function control(name: string, variables: Record<string, unknown>): Query<unknown> {
  return { name, document: '', variables, read: () => null }
}

function planOf(network: Network, accounts: readonly TestAccount[], blockEveryMs: number | null): Plan {
  const { chainId, baseAsset, watchdog, oldWatchdogs } = parseSettings(network)
  const contracts = [...(watchdog ? [watchdog] : []), ...oldWatchdogs].map((id) => [id, WATCHDOG_CODE])
  const gifts = network.tokens.flatMap(({ contract, decimals }) =>
    accounts.flatMap(({ address }) =>
      giftTo(address, contract ?? baseAsset, RICHES * 10n ** BigInt(decimals), 10n ** BigInt(decimals)),
    ),
  )
  return {
    chainId: chainId.toString(),
    baseAsset,
    contracts: Object.fromEntries(contracts),
    coins: gifts,
    blockEveryMs,
  }
}

function giftTo(owner: string, asset: string, units: bigint, whole: bigint): Plan['coins'] {
  if (units < whole) return [{ owner, asset, units: units.toString() }]
  const share = units / GIFT_COINS
  const shares = Array.from({ length: Number(GIFT_COINS) - 1 }, () => share)
  return [units - share * (GIFT_COINS - 1n), ...shares].map((part) => ({ owner, asset, units: part.toString() }))
}
