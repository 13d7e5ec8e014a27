/**
 * One life of a simulated process: the real services over its own connection and its own nodes. It can be killed at any
 * call that touches the outside, which rolls back what it had begun, and frozen there while the world goes on.
 */
import { randomUUID } from 'node:crypto'
import { type Network, RetryLater, type Token } from '@causeway/core'
import type pg from 'pg'
import {
  type CallName,
  family,
  openNode,
  registerChain,
  type SimulatedChain,
  type SimulatedNode,
} from '../../../chains/simulated/local/src/index.ts'
import { chainOf, openChains } from '../../../server/src/catalogue/chains.ts'
import { routeRules } from '../../../server/src/catalogue/routes.ts'
import { requireKnownHistory } from '../../../server/src/flow/checks/history.ts'
import { PayoutOnHold } from '../../../server/src/flow/lib/payout-on-hold.ts'
import { createScheduler } from '../../../server/src/flow/run/scheduler.ts'
import { createWatcher, type Watcher } from '../../../server/src/flow/watch/watch.ts'
import { localOrders } from '../../../server/src/keys/orders/local.ts'
import { createCampaigns } from '../../../server/src/market/campaigns.ts'
import { createClock } from '../../../server/src/market/clock.ts'
import { createMarket } from '../../../server/src/market/market.ts'
import { createNftHoldings } from '../../../server/src/market/nft-holdings.ts'
import { createSafeguards } from '../../../server/src/market/safeguards.ts'
import type { Services } from '../../../server/src/services.ts'
import { openDatabase } from '../../../server/src/store/db/database.ts'
import { addWriter } from '../../../server/src/store/journal/writers.ts'
import { testSigner } from '../../support/chains/signer.ts'
import { branchFrom, type TestServices } from '../../support/service/services.ts'
import { isExpected, Killed } from '../check/expected.ts'
import type { Trouble } from '../faults/faults.ts'
import { type DisasterState, familyIn, refusingSigner } from '../faults/storm.ts'
import type { Guards } from '../guards/guards.ts'
import { type ConnectionHooks, poolFor } from './connection.ts'

export interface Life extends ConnectionHooks {
  readonly name: string
  readonly services: Services
  readonly nodes: ReadonlyMap<string, SimulatedNode>
  readonly watchers: ReadonlyMap<string, Watcher>
  readonly housekeeper: ReturnType<typeof createScheduler>
  dead: boolean
  /** When it began what it is doing, in virtual milliseconds. */
  busySinceMs: number
  /** The prices it knew then: a paused process decides by them, and writes that when it resumes. */
  pricesThen: ReadonlyMap<Token, bigint>
  /** Resolves when it freezes; a new one after every thaw. */
  frozen: Promise<void>
  kill(): void
  freeze(): void
  thaw(): void
  /** Resolves once nothing of it is under way: what it left behind in the background has come to its end too. */
  quiet(): Promise<void>
}

export interface LifeOptions {
  name: string
  base: TestServices
  chains: ReadonlyMap<string, SimulatedChain>
  pool: pg.Pool
  now: () => Date
  trouble: Trouble
  guards: Guards
  disasters: DisasterState
  /** Collects unexpected errors. */
  unexpectedErrors: string[]
  /** And here why payouts had to wait. */
  refusals: Set<string>
}

/** A real clock, which a busy machine moves on at will, would make a replay differ: a process is only ever late by the virtual one. */
export const NEVER_MS = 2 ** 31 - 1
const PACE = { ttlMs: 6_000, renewMs: 2_000, keepMs: NEVER_MS, scanMs: NEVER_MS }

/** The minimum fee of nodes that reject their own quoted fee, in percent of it. */
const FLOOR_PERCENT = 105n

export async function beginLife(options: LifeOptions): Promise<Life> {
  const { name, base, trouble, guards, now, disasters } = options
  const catalogue = disasters.catalogue ?? base.catalogue
  const gate = createGate()
  const check = () => {
    if (life.dead) throw new Killed(`${name} is dead`)
  }
  const interrupt = (where: string) => {
    check()
    const interruption = trouble.interruption(where, life)
    if (interruption === 'kill') {
      life.kill()
      check()
    }
    if (interruption === 'freeze') life.freeze()
  }
  const pass = async (where: string) => {
    interrupt(where)
    if (!life.inTransaction) await gate.open()
    check()
  }
  const hooks: ConnectionHooks = {
    busy: 0,
    inTransaction: false,
    isFrozen: gate.isDown,
    async thawed() {
      await gate.open()
      check()
    },
    beforeConnect: () => pass('connect'),
    outcome(statement) {
      check()
      return trouble.outcome(statement, life)
    },
    afterEffect: (statement) => interrupt(statement === 'commit' ? 'after commit' : 'after a statement'),
    now: trouble.now,
    rewrite: guards.rewrite,
  }
  const nodes = new Map<string, SimulatedNode>()
  for (const [network, chain] of options.chains) {
    const node = openNode(chain)
    if (disasters.storm.refusedSends) node.faults.floorPercent = FLOOR_PERCENT
    node.hooks = {
      beforeCall: async (call: CallName) => {
        await pass(`before ${call}`)
        if (disasters.isDown(network)) throw new RetryLater(`the nodes of ${network} are down`)
        trouble.injectFault(node, call)
      },
      afterCall: (call: CallName) => pass(`after ${call}`),
    }
    nodes.set(network, registerChain(network, chain, node).node)
  }
  const chains = await openChains(
    catalogue,
    async () => guards.family(familyIn(family, disasters)),
    refusingSigner(testSigner(disasters.keys), disasters),
    base.log,
  )
  const database = openDatabase(base.config.databaseUrl, poolFor(hooks, options.pool))
  const market = createMarket({
    config: base.config,
    database,
    catalogue,
    chains,
    prices: trouble.prices,
    rules: (source, destination) => routeRules(base.rules)(source, destination),
    now,
  })
  const holdings = createNftHoldings(chains, base.log, now)
  const campaigns = createCampaigns(base.campaigns.list, { database, market, chains, holdings })
  const safeguards = createSafeguards({ database, catalogue, market, now })
  const log = listening(base.log, ({ err, reason }) => {
    if (err !== undefined && !isExpected(err)) options.unexpectedErrors.push(`${name}: ${String(err)}`)
    if (typeof reason === 'string') options.refusals.add(reason)
  })
  const writer = randomUUID()
  await addWriter(base.database, writer, true)
  const addressBranch = await branchFrom(base.journal, base.database, writer)
  const orders = localOrders({ journal: base.journal, adapterOf: (network) => chainOf(chains, network) })
  const signing = { ...base.signing, orders, writer, seen: 0n, stopped: null }
  // The other storms set their own time.
  const clock = disasters.storm.clockAhead ? createClock({ database, now, log, metrics: base.metrics }) : base.clock
  const parts = { database, catalogue, chains, market, safeguards, campaigns, log, now, addressBranch, signing, clock }
  const services: Services = { ...base, ...parts }
  const life: Life = Object.assign(hooks, {
    name,
    services,
    nodes,
    watchers: new Map([...chains].map(([network, chain]) => [network, createWatcher(services, chain, PACE)])),
    housekeeper: createScheduler(services, NEVER_MS),
    dead: false,
    busySinceMs: 0,
    pricesThen: new Map(),
    frozen: gate.closed(),
    kill() {
      life.dead = true
      gate.lift()
    },
    freeze: () => gate.drop(),
    thaw() {
      life.frozen = gate.lift()
    },
    async quiet() {
      for (let calm = 0; calm < 3; calm = life.busy === 0 ? calm + 1 : 0) await new Promise(setImmediate)
    },
  })
  return life
}

/** The state of a freshly started process. */
export async function wake({ services }: Life): Promise<void> {
  const { market, catalogue, safeguards, campaigns } = services
  await market.refreshPrices()
  await safeguards.refresh()
  await campaigns.refresh()
  for (const network of catalogue.networks) await market.refresh(network)
  // As at the start of a service, but without its timer: a real clock would make a replay differ.
  for (const chain of services.chains.values()) await requireKnownHistory(services, chain).catch(passOver)
}

function passOver(error: unknown): void {
  if (!(error instanceof PayoutOnHold) && !(error instanceof RetryLater)) throw error
}

export function refresh({ services }: Life, network: Network): Promise<void> {
  return services.market.refresh(network)
}

/** Hears of the errors that the loops catch and log, and of payouts that wait. */
function listening(log: Services['log'], hear: (fields: { err?: unknown; reason?: unknown }) => void): Services['log'] {
  const told = (fields: unknown) => {
    if (typeof fields === 'object' && fields !== null) hear(fields)
  }
  return Object.assign(Object.create(log), { error: told, warn: told })
}

/** Everybody passes until it is dropped; then they wait until it is lifted. */
function createGate() {
  let lifted: Promise<void> | null = null
  let lift: () => void = () => undefined
  let tell: () => void = () => undefined
  const closed = () => new Promise<void>((resolve) => (tell = resolve))
  return {
    closed,
    open: async () => lifted ?? undefined,
    isDown: () => lifted !== null,
    drop() {
      if (lifted) return
      lifted = new Promise((resolve) => (lift = resolve))
      tell()
    },
    lift(): Promise<void> {
      lifted = null
      lift()
      return closed()
    },
  }
}
