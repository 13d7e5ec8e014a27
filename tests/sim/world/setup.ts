/** Opens a world: a copy of the database, three chains with their wallets, two processes, and the oracle that watches them. */
import type { Token } from '@causeway/core'
import pg from 'pg'
import { findChain, type SimulatedChain } from '../../../chains/simulated/local/src/index.ts'
import { declareCampaigns } from '../../../server/src/market/campaigns.ts'
import { INVENTORY, startServices, type TestServices } from '../../support/service/services.ts'
import { createTrouble } from '../faults/faults.ts'
import { disasterStateOf, type Storm } from '../faults/storm.ts'
import type { Guards } from '../guards/guards.ts'
import { openOracle } from '../oracle/oracle.ts'
import { calmDatabase, deskOf } from '../people/admin-commands.ts'
import { campaignOf } from '../people/rewards.ts'
import { screenerOf } from '../people/screening.ts'
import { openStory } from '../timeline.ts'
import { lastingPool } from './connection.ts'
import { asAdmin, type Cluster } from './database.ts'
import { bytesFrom, drawIdsInOrder } from './ids.ts'
import { beginLife } from './process.ts'
import { randomFrom } from './random.ts'
import { keyOf, nowIn, type Process, tokensOf, type World } from './world.ts'

const ENV = {
  LOG_LEVEL: 'silent',
  DEPOSIT_WINDOW_SECONDS: '900',
  QUOTE_TTL_SECONDS: '180',
  PAYOUT_PATIENCE_SECONDS: '60',
  PAYOUT_GIVE_UP_SECONDS: '600',
  STUCK_AFTER_SECONDS: '60',
  SWEEP_INTERVAL_SECONDS: '60',
  // As in `oracle/rules.ts`. The oracle judges each swap alone, without an exposure limit.
  QUOTE_DEVIATION_BPS: '100',
  MAX_EXPOSURE_USD: '1000000000',
  // A real clock would make a replay differ.
  SEND_PATIENCE_MS: '0',
  RECONCILE_INTERVAL_SECONDS: '60',
}
/** Whole dollars added to every treasury, except in one run of four with short liquidity. */
const LIQUIDITY = 200_000n
/** In whole tokens, so that a few swaps use it up. */
const LITTLE = 120n
export const MAX_SKEW_MS = 20_000
/** How often the screening service does not answer. */
const SILENCE = 0.02

export interface WorldOptions {
  seed: number
  guards: Guards
  storm: Storm
  freeze?: number | undefined
  death?: number | undefined
  scarce?: boolean | undefined
  impatient?: boolean | undefined
}

export async function openWorld(cluster: Cluster, options: WorldOptions): Promise<World> {
  const { seed, guards, freeze, death } = options
  const restoreIds = drawIdsInOrder(seed)
  const url = await cluster.fork()
  await asAdmin(url, async (client) => {
    for (const statement of guards.sql) await client.query(statement)
  })
  const random = randomFrom(seed)
  const clock = () => nowIn(world)
  const story = openStory(() => world.elapsedMs)
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  const world: World = {
    seed,
    random,
    story,
    processes: [],
    swaps: [],
    intents: [],
    transactions: [],
    deadWorkers: [],
    unexpectedErrors: [],
    refusals: new Set(),
    refusedOrders: new Map(),
    elapsedMs: 0,
    openingBalances: new Map(),
    gifts: new Map(),
    listing: { listed: new Map(), silences: 0, heard: new Map() },
    pauses: [],
    foreign: [],
    restoring: null,
    isImpatient: options.impatient === true,
    branches: [],
    restores: 0,
    isBehind: false,
    formerWallets: new Map(),
    lostSwaps: new Set(),
    answered: new Set(),
    shownHolds: [],
    shown: new Map(),
    refusers: new Set(),
    appId: null,
    async query<Row extends object>(text: string, values: unknown[] = []) {
      await admin.query("select set_config('sim.now', $1, false)", [clock().toISOString()])
      return (await admin.query<Row>(text, values)).rows
    },
    async restart(process) {
      if (process.starts > 0) world.deadWorkers.push(process.life.name)
      const now = () => new Date(clock().getTime() + process.skewMs)
      const name = `${process.name}${++process.starts}`
      const pool = pools.get(process.name)
      if (!pool) throw new Error('a process without a connection')
      const heard = { unexpectedErrors: world.unexpectedErrors, refusals: world.refusals }
      process.life = await beginLife({ name, base, chains, pool, now, trouble, guards, disasters, ...heard })
      world.branches.push(process.life.services.addressBranch.branch ?? 0)
    },
    async stop() {
      restoreIds()
      await base.stop()
      await desk.end()
      for (const pool of pools.values()) await pool.end()
      await admin.end()
      await cluster.drop(url)
    },
  } as Partial<World> as World
  const disasters = disasterStateOf(options.storm, () => world.elapsedMs)
  const pools = new Map(['A', 'B'].map((name) => [name, lastingPool(url)]))
  const base = await startServices(url, ENV, clock)
  base.randomBytes = bytesFrom(seed)
  const desk = calmDatabase(url, clock)
  const trouble = createTrouble({ random, story, now: clock, prices: base.prices, freeze, death })
  const chains = new Map(base.catalogue.networks.map(({ name }) => [name, findChain(name).chain]))
  if (seed % 4 !== 0) for (const token of tokensOf(base)) if (token.contract !== null) base.fund(token, LIQUIDITY)
  if (options.scarce)
    for (const token of tokensOf(base)) if (token.contract !== null) base.fund(token, LITTLE - INVENTORY)
  for (const chain of chains.values()) chain.mine(10)
  const openingBalances = new Map(tokensOf(base).map((token) => [keyOf(token), holdings(base, chains, token)]))
  base.screener = guards.screener(
    screenerOf(
      world.listing,
      () => trouble.active && random.chance(SILENCE),
      () => world.elapsedMs,
    ),
  )
  if (options.storm.rewards) {
    base.addCampaign(campaignOf(base, seed))
    await declareCampaigns(base.database, base.campaigns.list)
  }
  Object.assign(world, {
    base,
    trouble,
    chains,
    openingBalances,
    disasters,
    desk: deskOf(base, desk.database, clock, (network) => network !== disasters.leftOut),
  })
  world.oracle = openOracle(world)
  for (const name of pools.keys()) {
    const process = {
      name,
      starts: 0,
      skewMs: random.between(-MAX_SKEW_MS, MAX_SKEW_MS),
      paused: null,
    } as unknown as Process
    await world.restart(process)
    world.processes.push(process)
  }
  return world
}

function holdings(base: TestServices, chains: ReadonlyMap<string, SimulatedChain>, token: Token): bigint {
  return chains.get(token.network)?.balance(base.chains.get(token.network)?.treasury ?? '', token.contract) ?? 0n
}
