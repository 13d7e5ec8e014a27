/**
 * `npm run sim -- --concurrent`: whole services as processes on one database, with real workers, locks and clock,
 * killed and frozen while users swap. Such a run cannot be replayed; the invariants are checked at the end.
 */
import pg from 'pg'
import { findChain } from '../../../chains/simulated/local/src/index.ts'
import { startServices } from '../../support/service/services.ts'
import { checkBooks } from '../check/books.ts'
import { checkChains } from '../check/chains.ts'
import type { Problem } from '../check/problem.ts'
import { checkSwaps } from '../check/swaps.ts'
import { CALM, disasterStateOf } from '../faults/storm.ts'
import type { Oracle } from '../oracle/port.ts'
import { deskOf } from '../people/admin-commands.ts'
import { plan } from '../people/deposits.ts'
import { requestOf } from '../people/users.ts'
import { resend } from '../people/wallet.ts'
import { motion } from '../quiesce.ts'
import { openStory } from '../timeline.ts'
import type { Cluster } from '../world/database.ts'
import type { Life } from '../world/process.ts'
import { randomFrom } from '../world/random.ts'
import { keyOf, type Process, tokensOf, type World } from '../world/world.ts'
import { type Service, startService } from './fleet.ts'

const SERVICES = 3
/** Users act this much faster than the real clock: their plans assume windows of a quarter of an hour. */
const SPEED = 30
const ENV = {
  LOG_LEVEL: 'silent',
  DEPOSIT_WINDOW_SECONDS: '30',
  QUOTE_TTL_SECONDS: '10',
  PAYOUT_PATIENCE_SECONDS: '3',
  PAYOUT_GIVE_UP_SECONDS: '30',
  STUCK_AFTER_SECONDS: '3',
  SWEEP_INTERVAL_SECONDS: '2',
  RECONCILE_INTERVAL_SECONDS: '1',
}
const LIQUIDITY = 2_000_000n
const TICK_MS = 50
/** Ticks without any change: longer than any timeout. */
const QUIET_TICKS = 200
const MOST_REST_MS = 300_000

export interface ConcurrentRun {
  swaps: number
  kills: number
  freezes: number
  problems: Problem[]
  statuses: string
}

export async function runConcurrently(cluster: Cluster, seed: number, swaps: number): Promise<ConcurrentRun> {
  const url = await cluster.fork()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const world = await openWorld(url, seed, client)
  const { random } = world
  const fleet = await Promise.all(Array.from({ length: SERVICES }, () => startService(world.chains, url, ENV)))
  const count = { kills: 0, freezes: 0 }
  const pending = new Set<Promise<unknown>>()
  const begin = (work: Promise<unknown>) => {
    const tracked = work.finally(() => pending.delete(tracked))
    pending.add(tracked)
  }
  try {
    while (world.swaps.length < swaps || world.intents.length > 0) {
      mine(world)
      if (world.swaps.length + pending.size < swaps) begin(order(world, random.pick(fleet)))
      act(world)
      if (random.chance(0.02)) shake(world, fleet)
      if (random.chance(0.004)) {
        count.kills++
        begin(random.pick(fleet).kill())
      }
      if (random.chance(0.004)) {
        count.freezes++
        random.pick(fleet).freeze(random.between(500, 9_000))
      }
      await tick()
    }
    await Promise.all(pending)
    await rest(world, fleet)
    const problems = [await checkSwaps(world), await checkBooks(world), await checkChains(world)].flat()
    const ends = await world.query<{ what: string }>(
      "select count(*) || ' ' || status as what from swap group by status order by count(*) desc",
    )
    return { swaps: world.swaps.length, ...count, problems, statuses: ends.map(({ what }) => what).join(', ') }
  } finally {
    await Promise.all(fleet.map((service) => service.stop()))
    await client.end()
    await world.stop()
    await cluster.drop(url)
  }
}

/** The view of a world that the checks and the users' plans need. */
async function openWorld(url: string, seed: number, client: pg.Client): Promise<World> {
  const began = Date.now()
  const elapsedMs = () => (Date.now() - began) * SPEED
  const base = await startServices(url, ENV)
  for (const token of tokensOf(base)) base.fund(token, LIQUIDITY)
  const chains = new Map(base.catalogue.networks.map(({ name }) => [name, findChain(name).chain]))
  for (const chain of chains.values()) chain.mine(10)
  const held = (token: ReturnType<typeof tokensOf>[number]) =>
    chains.get(token.network)?.balance(base.chains.get(token.network)?.treasury ?? '', token.contract) ?? 0n
  // There is no oracle during the run: prices are fixed, and the operating system decides the order.
  const oracle: Partial<Oracle> = {
    problems: [],
    allow: () => undefined,
    observe: async () => undefined,
    look: () => undefined,
  }
  const life: Partial<Life> = {
    name: 'desk',
    services: base,
    dead: false,
    frozen: new Promise(() => undefined),
    quiet: async () => undefined,
  }
  const process = { name: 'desk', life: life as Life, starts: 1, skewMs: 0, paused: null } satisfies Process
  return {
    seed,
    random: randomFrom(seed),
    story: openStory(elapsedMs),
    base,
    chains,
    processes: [process],
    swaps: [],
    intents: [],
    transactions: [],
    deadWorkers: [],
    unexpectedErrors: [],
    refusals: new Set(),
    opening: new Map(tokensOf(base).map((token) => [keyOf(token), held(token)])),
    gifts: new Map(),
    listing: { listed: new Map(), silences: 0, heard: new Map() },
    pauses: [],
    foreign: [],
    desk: deskOf(base, base.database, base.now),
    restoring: null,
    restores: 0,
    isBehind: false,
    former: new Map(),
    lostSwaps: new Set(),
    answered: new Set(),
    shownHolds: [],
    shown: new Map(),
    appId: null,
    oracle: oracle as Oracle,
    disasters: disasterStateOf(CALM, elapsedMs),
    get elapsedMs() {
      return elapsedMs()
    },
    query: async <Row extends object>(text: string, values: unknown[] = []) =>
      (await client.query<Row>(text, values)).rows,
    stop: () => base.stop(),
  } as unknown as World
}

function mine(world: World): void {
  for (const chain of world.chains.values()) if (world.random.chance(0.5)) chain.mine()
}

async function order(world: World, service: Service): Promise<void> {
  const { request, source, destination, units } = requestOf(world)
  // These services are complete: without the simulator's additions to their families.
  const granted = await service.order({ ...request, useDepository: false })
  if (!granted) return
  const swap = {
    number: Number(granted.reference),
    id: granted.swapId,
    source,
    destination,
    receiver: granted.receiver,
    units,
    usesDepositAddress: request.useDepositAddress,
    destinationAddress: request.destinationAddress,
    expiresAtMs: world.elapsedMs + SPEED * 1_000 * Number(ENV.DEPOSIT_WINDOW_SECONDS),
  }
  world.swaps.push(swap)
  plan(world, swap)
}

function act(world: World): void {
  const due = world.intents.filter(({ dueMs }) => dueMs <= world.elapsedMs)
  world.intents = world.intents.filter((intent) => !due.includes(intent))
  for (const intent of due) void intent.act()
}

/** A reorg, or a node that is silent, lags or loses answers for a moment. */
function shake({ random, chains }: World, fleet: readonly Service[]): void {
  const network = random.pick([...chains.keys()])
  const node = random.pick(fleet).nodes.get(network)
  if (random.chance(0.3)) chains.get(network)?.reorg(random.between(1, 3), 'returned')
  else if (node) {
    const kind = random.pick(['timeouts', 'lostAnswers', 'repeats', 'lostSends', 'behind'] as const)
    node.faults[kind] = kind === 'behind' && node.faults.behind > 0 ? 0 : random.between(1, 3)
  }
}

async function rest(world: World, fleet: readonly Service[]): Promise<void> {
  const began = Date.now()
  for (const { nodes } of fleet)
    for (const { faults } of nodes.values())
      Object.assign(faults, { timeouts: 0, lostAnswers: 0, repeats: 0, lostSends: 0, behind: 0 })
  for (const network of world.chains.keys()) resend(world, network, 1)
  for (let quiet = 0; quiet < QUIET_TICKS && Date.now() - began < MOST_REST_MS; ) {
    mine(world)
    await tick()
    quiet = (await motion(world)) === '' ? quiet + 1 : 0
  }
  await world.base.refresh()
}

function tick(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, TICK_MS))
}
