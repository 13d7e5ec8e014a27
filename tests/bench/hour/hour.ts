/**
 * An hour of mixed load on two full nodes over one database and the local chains of all families, while they are killed
 * and frozen. Between the halves both are stopped and the database is restored to some minutes earlier. The operator
 * follows the documents, and the second half continues. At the end everything is checked on the chains.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { randomFrom } from '../../sim/world/random.ts'
import { startWorld } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { startBackedUp } from '../../support/service/backup.ts'
import { startFleet } from './fleet.ts'
import { openOperator } from './operator.ts'
import { startUsers } from './users.ts'
import { judgeAll } from './verdict.ts'

const MINUTES = Number(process.env.MINUTES ?? 60)
const SEED = Number(process.env.SEED ?? 1)
const SWAPS_A_MINUTE = Number(process.env.SWAPS_A_MINUTE ?? 20)
const NETWORKS = ['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA', 'BITCOIN_TESTNET', 'SOLANA_DEVNET', 'TON_TESTNET']
const PRICES = path.join(import.meta.dirname, '../../../networks/prices.json')
const WINDOW_SECONDS = 60
const ENV = {
  DEPOSIT_WINDOW_SECONDS: `${WINDOW_SECONDS}`,
  STUCK_AFTER_SECONDS: '15',
  PAYOUT_PATIENCE_SECONDS: '60',
  RECONCILE_INTERVAL_SECONDS: '5',
  LOG_LEVEL: process.env.LOG_LEVEL ?? 'fatal',
}
/** Maximum age of the backup at the restore; never more than half of the first half. */
const MOST_FORGOTTEN_MS = 4 * 60_000
/** By then, transactions sent before the stop are mined and final. */
const LANDED_MS = 45_000
/** No change for this long: longer than any timeout of the service. */
const QUIET_MS = 45_000
const MOST_REST_MS = 15 * 60_000
const REVIEW_MS = 5_000

export async function hour(): Promise<void> {
  const half = (MINUTES * 60_000) / 2
  const random = randomFrom(SEED)
  const prices = JSON.parse(await readFile(PRICES, 'utf8')) as Record<string, string>
  const manners = {
    windowMs: WINDOW_SECONDS * 1_000,
    prices: Object.fromEntries(Object.entries(prices).map(([group, usd]) => [group, Number(usd)])),
  }
  const world = await startWorld(ENV, false, NETWORKS)
  const postgres = await startBackedUp()
  console.log(`  ${MINUTES} minutes, seed ${SEED}, ${SWAPS_A_MINUTE} swaps a minute; backed up by ${postgres.by}`)
  const users = startUsers(world, random, manners)
  const envAt = (url: string) => ({ ...world.sandbox.env, DATABASE_URL: url })
  const counts = { kills: 0, pauses: 0, ends: 0 }
  const problems: string[] = []

  /** One half: users and faults for this long. `at`: an event in between. */
  async function runHalf(url: string, ms: number, between?: { afterMs: number; act(): Promise<void> }): Promise<void> {
    const fleet = await startFleet(envAt(url), randomFrom(SEED * 7 + counts.pauses + 2))
    const over = new AbortController()
    const trouble = fleet.makeTrouble(over.signal)
    const began = performance.now()
    let [hasActed, made] = [false, 0]
    while (performance.now() - began < ms) {
      if (made < ((performance.now() - began) / 60_000) * SWAPS_A_MINUTE) {
        made++
        await users.comeAlong(fleet)
      } else await sleep(200)
      if (between && !hasActed && performance.now() - began > between.afterMs) {
        hasActed = true
        await between.act()
      }
    }
    over.abort()
    await trouble
    counts.kills += fleet.kills
    counts.pauses += fleet.pauses
    counts.ends += fleet.ends
    await fleet.stop()
  }

  let backup = ''
  await runHalf(postgres.url, half, {
    afterMs: half - Math.min(MOST_FORGOTTEN_MS, half / 2),
    act: async () => {
      backup = await postgres.backup(postgres.url)
      console.log(`    backed up after ${users.stories.length} swaps`)
    },
  })
  const lost = openPool(postgres.url)
  const stops = await lost.query<{ reason: string }>(
    `select code || ' ' || params as reason from hold where account is not null and closed_at is null
     union select reason from switch where stops_payouts`,
  )
  for (const { reason } of stops.rows) problems.push(`stopped by itself in the first half: ${reason}`)
  await lost.end()
  console.log(`    both stopped after ${users.stories.length} swaps; what was sent lands`)
  await sleep(LANDED_MS)
  const url = await postgres.restore(backup)
  const operator = openOperator(world, url, users.stories)
  await operator.replay(envAt(url))
  console.log('    the journal is replayed; the second half begins')
  const books = openPool(url)
  const reviewing = new AbortController()
  const reviewed = (async () => {
    // After it has caught up, plus one final depth.
    await sleep(LANDED_MS)
    await operator.resume(envAt(url))
    console.log('    signing is resumed')
    while (!reviewing.signal.aborted) {
      await operator.review().catch((error: unknown) => problems.push(`the operator failed: ${error}`))
      await sleep(REVIEW_MS)
    }
  })()
  await runHalf(url, half)
  await users.done()
  console.log(`    ${users.stories.length} swaps, ${users.refused} refused; waiting for rest`)
  const last = await startFleet(envAt(url), random)
  await rest(books).catch((error: unknown) => problems.push(`no rest: ${error}`))
  reviewing.abort()
  await reviewed
  await last.stop()
  const verdict = await judgeAll(world, books, users.stories, manners)
  problems.push(...verdict.problems)
  console.log(`  swaps                  ${users.stories.length}, and ${users.refused} refused`)
  console.log(
    `  nodes                  killed ${counts.kills} times, frozen ${counts.pauses} times, of which ${counts.ends} woke up to end`,
  )
  console.log(`  the operator           ${told(operator.decided)}`)
  for (const [end, count] of Object.entries(verdict.ends).sort()) console.log(`    ${`${count}`.padStart(5)}  ${end}`)
  console.log(
    problems.length === 0
      ? '  nobody paid twice, nothing lost, books equal chains to the unit'
      : `  ${problems.length} PROBLEMS`,
  )
  for (const problem of problems) console.log(`    ${problem}`)
  await books.end()
  await operator.stop()
  await world.stop()
  await postgres.stop()
  if (problems.length > 0) process.exitCode = 1
}

function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  pool.on('error', () => undefined)
  return pool
}

/** Until nothing is in progress, for longer than anything waits. */
async function rest(books: pg.Pool): Promise<void> {
  let since = performance.now()
  await eventually(
    async () => {
      const { rows } = await books.query<{ what: string }>(
        `select 'payout' as what from payout where state = 'open'
         union all select 'slot' from slot where state = 'open'
         union all select 'deposit' from deposit where state = 'seen'
         union all select 'unmatched' from deposit where swap_id is null and resolution is null and state <> 'gone'
         union all select 'halt' from hold where account is not null and closed_at is null
         union all select 'swap' from swap where status in ('user_transfer_pending', 'ls_transfer_pending', 'refund_pending')`,
      )
      if (rows.length > 0) since = performance.now()
      if (performance.now() - since > QUIET_MS) return true
      throw new Error(`${rows.length} are under way: ${[...new Set(rows.map(({ what }) => what))]}`)
    },
    'rest',
    MOST_REST_MS,
  )
}

function told(counts: Readonly<Record<string, number>>): string {
  return (
    Object.entries(counts)
      .map(([what, count]) => `${count} ${what}`)
      .join(', ') || 'nothing'
  )
}
