/**
 * The service's parts over simulated chains, in this process and without running roles: for tests of the API and of
 * single steps. Three networks with SIM and USDC; GAMMA has no deposit addresses.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { type Catalogue, catalogueOf, type Family, type Network, parseDecimal, type Token } from '@causeway/core'
import {
  contractAddress,
  createSimulatedChain,
  family,
  findChain,
  registerChain,
} from '../../../chains/simulated/local/src/index.ts'
import type { Node } from '../../../chains/simulated/src/node/node.ts'
import { registerNode } from '../../../chains/simulated/src/node/registry.ts'
import { describeSwap } from '../../../server/src/api/resources/swaps/swap-snapshot.ts'
import type { Campaign } from '../../../server/src/catalogue/campaigns.ts'
import { chainOf, openChains } from '../../../server/src/catalogue/chains.ts'
import { routeRules } from '../../../server/src/catalogue/routes.ts'
import { parseConfig } from '../../../server/src/config.ts'
import { createWatcher } from '../../../server/src/flow/watch/watch.ts'
import { type Journal, openJournal } from '../../../server/src/keys/journal/journal.ts'
import { localOrders } from '../../../server/src/keys/orders/local.ts'
import { createQuoteSigner } from '../../../server/src/keys/quotes/quote-signer.ts'
import { createCampaigns } from '../../../server/src/market/campaigns.ts'
import { TRUSTED_CLOCK } from '../../../server/src/market/clock.ts'
import { createMarket } from '../../../server/src/market/market.ts'
import { createNftHoldings } from '../../../server/src/market/nft-holdings.ts'
import { createSafeguards } from '../../../server/src/market/safeguards.ts'
import { createLog } from '../../../server/src/observe/log.ts'
import { createMetrics } from '../../../server/src/observe/metrics.ts'
import { NO_TRACES } from '../../../server/src/observe/traces.ts'
import { createAggregators } from '../../../server/src/providers/aggregators.ts'
import { allOf } from '../../../server/src/screening/screener.ts'
import type { Services } from '../../../server/src/services.ts'
import { type Database, openDatabase } from '../../../server/src/store/db/database.ts'
import { addWriter } from '../../../server/src/store/journal/writers.ts'
import { claimTreasury } from '../../../server/src/store/ledger/treasuries.ts'
import { rememberListed } from '../../../server/src/store/market/known-assets.ts'
import {
  type AddressBranch,
  createAddressBranch,
  readBranch,
  setBranch,
} from '../../../server/src/store/watch/address-branch.ts'
import { testSigner } from '../chains/signer.ts'

type RouteEntry = Parameters<typeof routeRules>[0][number]

export interface TestServices extends Services {
  /** Prices by group in dollars; changes apply after `refresh`. */
  prices: Record<string, string>
  /** The operator's route rules; changes apply at once. */
  rules: RouteEntry[]
  addCampaign(campaign: Campaign): void
  /** A signing journal in memory. */
  journal: Journal
  /** Adds this much to the treasury. */
  fund(token: Token, whole: bigint): void
  refresh(): Promise<void>
  stop(): Promise<void>
}

const DATABASE_ID = 'the database of the tests'
const LISTED = '2026-01-01T00:00:00Z'
const NAMES = ['ALPHA', 'BETA', 'GAMMA']
const WITHOUT_DEPOSIT_ADDRESSES = 'GAMMA'
/** Whole tokens of each kind in every treasury. */
export const INVENTORY = 10_000n

/** All of a test's requests come from one address. */
const UNLIMITED = {
  RATE_LIMIT_READS: '1000000',
  RATE_LIMIT_CREATIONS: '1000000',
  MAX_OPEN_ADDRESSES: '1000000',
}

const EXCHANGES = [
  {
    name: 'KRAKEN',
    display_name: 'Kraken',
    listing_date: LISTED,
    oauth: { authorize_url: 'https://exchange.example/authorize', connect_url: 'https://exchange.example/connect' },
    withdrawals: { ALPHA: ['USDC'], BETA: ['SIM', 'USDC'] },
  },
  { name: 'BINANCE', display_name: 'Binance', listing_date: LISTED, oauth: null, withdrawals: { ALPHA: ['SIM'] } },
]

export async function startServices(
  /** It has the schema. */
  databaseUrl: string,
  env: Record<string, string> = {},
  now = () => new Date(),
  /** New, funded chains; or those of earlier services, as for another process; or remote ones, reached by nodes. */
  at: 'new' | 'old' | ((network: string) => Node) = 'new',
  /** The journal of earlier services; a new one in memory if absent. */
  given?: Journal,
  /** The seed of its wallets' keys. */
  keys = 'services',
): Promise<TestServices> {
  const catalogue = catalogueOf(NAMES.map(networkOf))
  const simulated = new Map(
    typeof at === 'function'
      ? []
      : NAMES.map((name) => [
          name,
          at === 'old' ? findChain(name).chain : registerChain(name, createSimulatedChain({ network: name })).chain,
        ]),
  )
  if (typeof at === 'function') for (const name of NAMES) registerNode(name, at(name))
  const own = { DATABASE_URL: databaseUrl, SIGNER: 'mnemonic', MNEMONIC: 'unused', ANSWER_CACHE_MS: '0' }
  const config = parseConfig({ ...own, ...UNLIMITED, ...env })
  const signer = testSigner(keys)
  const log = createLog(env.LOG_LEVEL ?? 'silent')
  const chains = await openChains(catalogue, async () => FAMILY, signer, log)
  const database = openDatabase(databaseUrl)
  await rememberListed(database, catalogue.networks)
  for (const [name, { treasury }] of chains) await claimTreasury(database, name, treasury, true)
  const journal = given ?? (await openJournal({ folder: null, now, database: DATABASE_ID }))
  const writer = randomUUID()
  await addWriter(database, writer, true)
  const prices: Record<string, string> = { SIM: '2000', USDC: '1' }
  const rules: RouteEntry[] = []
  const campaigns: Campaign[] = []
  const market = createMarket({
    config,
    database,
    catalogue,
    chains,
    prices: sourceOf(prices),
    rules: (source, destination) => routeRules(rules)(source, destination),
    now,
  })
  const fund = (token: Token, whole: bigint) => {
    const treasury = chains.get(token.network)?.treasury ?? ''
    simulated.get(token.network)?.mint(treasury, token.contract, whole * 10n ** BigInt(token.decimals))
  }
  if (at === 'new') for (const token of tokensOf(catalogue)) fund(token, INVENTORY)
  const services: TestServices = {
    config,
    database,
    reading: database,
    polling: database,
    catalogue,
    chains,
    exchanges: EXCHANGES,
    aggregators: createAggregators({ catalogue, keys: {}, scopeOf: async () => null }),
    campaigns: createCampaigns(campaigns, { database, market, chains, holdings: createNftHoldings(chains, log, now) }),
    addCampaign: (campaign) => campaigns.push(campaign),
    market,
    safeguards: createSafeguards({ database, catalogue, market, now }),
    screener: allOf([]),
    log,
    metrics: createMetrics(),
    traces: NO_TRACES,
    now,
    clock: TRUSTED_CLOCK,
    addressBranch: await branchFrom(journal, database, writer),
    randomBytes,
    quoteSigner: await createQuoteSigner(signer),
    journal,
    signing: {
      ...{
        orders: localOrders({ journal, adapterOf: (name) => chainOf(services.chains, name) }),
        database: DATABASE_ID,
        writer,
      },
      ...{ seen: 0n, stopped: null, workedAt: null },
    },
    describeSwap: (queries, swapId, reader) => describeSwap(services, queries, swapId, reader),
    prices,
    rules,
    fund,
    async refresh() {
      await market.refreshPrices()
      await market.refreshDurations()
      await services.campaigns.refresh()
      for (const network of catalogue.networks) await market.refresh(network)
    },
    stop: () => database.destroy(),
  }
  // Remote chains are watched elsewhere.
  if (typeof at === 'function') return services
  await services.refresh()
  // Swaps are accepted only on networks that were scanned once.
  for (const chain of chains.values()) {
    const watcher = createWatcher(services, chain)
    await watcher.turn()
    await watcher.leave()
  }
  return services
}

/** As the signing process does. Services of one database may have journals of their own here, so a number may be taken. */
export async function branchFrom(journal: Journal, database: Database, writer: string): Promise<AddressBranch> {
  while ((await readBranch(database, writer)) === null) await setBranch(database, writer, await journal.branch(writer))
  return createAddressBranch(await readBranch(database, writer))
}

/** The simulated family, without what one of the networks must lack. */
const FAMILY: Family = {
  ...family,
  async open(options) {
    const adapter = await family.open(options)
    if (options.network.name === WITHOUT_DEPOSIT_ADDRESSES) delete adapter.depositAddresses
    return adapter
  },
}

function sourceOf(prices: Record<string, string>) {
  return {
    name: 'test',
    read: async (groups: readonly string[]) =>
      new Map(groups.flatMap((group) => (prices[group] ? [[group, parseDecimal(prices[group], 18) ?? 0n]] : []))),
  }
}

function tokensOf({ networks }: Catalogue): Token[] {
  return networks.flatMap(({ tokens }) => tokens)
}

function networkOf(name: string, position: number): Network {
  const nativeToken = tokenOf(name, 'SIM', null, 18, 8)
  return {
    name,
    displayName: `Network ${name}`,
    type: 'starkex',
    chainId: String(1000 + position),
    nodes: ['https://public.example/rpc'],
    transactionExplorer: 'https://explorer.example/tx/{0}',
    accountExplorer: 'https://explorer.example/account/{0}',
    listingDate: LISTED,
    sourceRank: position,
    destinationRank: position,
    nativeToken,
    tokens: [nativeToken, tokenOf(name, 'USDC', contractAddress(`USDC on ${name}`), 6, 6)],
    confirmations: [
      { upToUsd: 100, confirmations: 2 },
      { upToUsd: null, confirmations: 5 },
    ],
    finalDepth: 6,
    pollMs: 10,
    settings: {},
  }
}

function tokenOf(network: string, symbol: string, contract: string | null, decimals: number, precision: number): Token {
  const ranks = { sourceRank: 1, destinationRank: 1 }
  return {
    network,
    symbol,
    displayAsset: symbol,
    contract,
    decimals,
    precision,
    group: symbol,
    listingDate: LISTED,
    ...ranks,
  }
}
