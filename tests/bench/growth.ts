/**
 * The cost of every periodic query, every list of swaps and one whole swap, with a thousand and with a million stored
 * swaps (`SWAPS`). The database also has two thousand and ten thousand (`TROUBLE`) held payouts, dusty addresses, and
 * lost and gone deposits: more than a round handles, so that rounds are full in both cases. A cost is the median of
 * several runs (`RUNS`) on a warm cache, in time and in touched pages. Each should stay within 1.3 times the first.
 * Times need a quiet machine; pages do not.
 */
import { capitalMoved } from '@causeway/core'
import pg from 'pg'
import { sweepAddresses } from '../../server/src/flow/kinds/sweep.ts'
import { reconcile } from '../../server/src/flow/reconciliation/reconcile.ts'
import { createScheduler } from '../../server/src/flow/run/scheduler.ts'
import { foldLedger, ledgerUnits } from '../../server/src/store/ledger/balances.ts'
import { setLimit } from '../../server/src/store/limits/safeguards.ts'
import { foldReservations } from '../../server/src/store/payouts/liquidity-reservations.ts'
import { insertPosting } from '../../server/src/store/swaps/save-step.ts'
import { startDatabase } from '../support/database/database.ts'
import { listQueries } from '../support/database/lists.ts'
import { periodicQueries } from '../support/database/periodic.ts'
import { fillHistory, fillTrouble } from '../support/database/seed-rows.ts'
import { type Hand, startHand } from '../support/service/manual-driver.ts'

const COUNTS = (process.env.SWAPS ?? '1000,1000000').split(',').map(Number)
const TROUBLE = (process.env.TROUBLE ?? '2000,10000').split(',').map(Number)
const RUNS = Number(process.env.RUNS ?? 9)
const [FROM, TO, QUIET] = ['ALPHA', 'BETA', 'GAMMA']
const NETWORKS = { from: FROM, to: TO, quiet: QUIET }
const TIER = 2
const FINAL = 6
/** Whole tokens, enough for all that is promised and held. */
const INVENTORY = 10n ** 9n
const GOAL = 1.3
/** Queries faster than this are judged by pages alone: their time is mostly noise. */
const SHORT_MS = 1
/** An index of a million rows is a level or two higher than one of a thousand: that many more pages are not growth. */
const TREE_PAGES = 12
/** Per looked-up item: a list has twenty swaps per page, a reconciliation round a hundred addresses. */
const LISTED = 20
const LOOKED_UP: Record<string, number> = { 'a round of reconciling': 100 }

/** Everything that is read stays in memory, and the pages of every statement are counted. */
const SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'top',
  shared_buffers: '2GB',
  max_wal_size: '16GB',
}

interface Cost {
  ms: number
  pages: number
}

export async function growth(): Promise<void> {
  const database = await startDatabase(SETTINGS)
  const hand = await startHand(database.url)
  const pool = new pg.Pool({ connectionString: database.url, max: 4 })
  pool.on('error', () => undefined)
  try {
    await pool.query('create extension pg_stat_statements')
    for (const { tokens } of hand.services.catalogue.networks) {
      for (const token of tokens) hand.services.fund(token, INVENTORY)
    }
    for (const kind of ['hourly_outflow', 'daily_outflow'] as const)
      await setLimit(hand.services.database, kind, `network:${TO}`, 10n ** 36n)
    const first = await travel(hand)
    await hand.services.database.updateTable('swap').set({ app_name: 'growth' }).where('id', '=', first).execute()
    const costs = new Map<string, Cost>()
    for (const [position, count] of COUNTS.entries()) {
      const trouble = TROUBLE[position] ?? 0
      const begun = performance.now()
      await fillHistory(pool, first, count)
      await fillTrouble(pool, first, trouble)
      const tookSeconds = Math.round((performance.now() - begun) / 1000)
      const [swaps, each] = [count, trouble].map((number) => number.toLocaleString('en'))
      console.log(`\n  with ${swaps} swaps and ${each} held, dust, lost and gone each (filled in ${tookSeconds} s)`)
      await measure(hand, pool, costs)
    }
  } finally {
    await pool.end()
    await hand.stop()
    await database.stop()
  }
}

/** Runs one whole swap; returns its id. */
async function travel(hand: Hand): Promise<string> {
  const swap = await hand.swap(FROM, TO)
  hand.deposit(swap)
  hand.chain(FROM).mine(TIER)
  await hand.watch(FROM)
  await hand.runJobs()
  hand.chain(TO).mine(FINAL)
  await hand.watch(TO)
  hand.chain(FROM).mine(FINAL)
  await hand.watch(FROM)
  return swap.view.swap.id
}

/** The copies moved no coins: the difference between ledger and chain is booked as withdrawn capital. */
async function matchBooks({ services }: Hand): Promise<void> {
  for (const { treasury, network, balance } of services.chains.values()) {
    for (const token of network.tokens) {
      const { units } = await balance(treasury, token)
      const difference = units - (await ledgerUnits(services.database, treasury, token))
      await insertPosting(services.database, capitalMoved(treasury, token, difference), null)
    }
  }
}

async function measure(hand: Hand, pool: pg.Pool, before: Map<string, Cost>): Promise<void> {
  await matchBooks(hand)
  await foldLedger(hand.services.database)
  await foldReservations(hand.services.database)
  await pool.query('vacuum analyze')
  const lists = listQueries(hand, hand.services.database, NETWORKS)
  for (const [name, work] of Object.entries({ ...worksOf(hand), ...lists })) {
    const treePages = TREE_PAGES * (name in lists ? LISTED : (LOOKED_UP[name] ?? 1))
    const cost = await costOf(pool, work)
    const few = before.get(name) ?? cost
    before.set(name, few)
    const ratios = { ms: cost.ms / few.ms, pages: cost.pages / Math.max(few.pages, 1) }
    const above = [
      ...(ratios.pages > GOAL && cost.pages - few.pages > treePages ? ['pages'] : []),
      ...(ratios.ms > GOAL && cost.ms > SHORT_MS ? ['time'] : []),
    ]
    const judged = above.length > 0 ? ` ABOVE ${GOAL} in ${above.join(' and ')}` : ''
    const columns = [
      `${cost.ms.toFixed(2).padStart(9)} ms ×${ratios.ms.toFixed(2).padEnd(6)}`,
      `${String(cost.pages).padStart(7)} pages ×${ratios.pages.toFixed(2).padEnd(6)}`,
    ]
    console.log(`  ${name.padEnd(46)}${columns.join('')}${judged}`)
  }
}

async function costOf(pool: pg.Pool, work: () => Promise<unknown>): Promise<Cost> {
  await work()
  const costs: Cost[] = []
  for (let run = 0; run < RUNS; run++) {
    const pagesBefore = await pagesTouched(pool)
    const begun = performance.now()
    await work()
    const ms = performance.now() - begun
    costs.push({ ms, pages: (await pagesTouched(pool)) - pagesBefore })
  }
  return { ms: median(costs.map(({ ms }) => ms)), pages: median(costs.map(({ pages }) => pages)) }
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}

/** The sum over all statements of all connections so far. */
async function pagesTouched(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ pages: string }>(
    'select coalesce(sum(shared_blks_hit + shared_blks_read), 0) as pages from pg_stat_statements',
  )
  return Number(rows[0]?.pages ?? 0)
}

function worksOf(hand: Hand): Record<string, () => Promise<unknown>> {
  const { services } = hand
  const housekeeper = createScheduler(services)
  return {
    'one swap, all its way': () => travel(hand),
    'a watcher’s round with a new block': () => {
      hand.chain(TO).mine()
      return hand.watch(TO)
    },
    'a watcher’s round where deposits come': () => {
      hand.chain(FROM).mine()
      return hand.watch(FROM)
    },
    'a round of housekeeping': () => {
      hand.passTime(31_000)
      return housekeeper.turn()
    },
    'a round of reconciling': () => reconcile(services),
    'a round of sweeping': () => sweepAddresses(services),
    ...periodicQueries(hand, services.database, NETWORKS),
  }
}
