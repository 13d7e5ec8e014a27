/**
 * The end of a run: faults stop, all processes return, blocks are mined, and time passes until nothing changes any
 * more.
 */

import { fillForRefunds, tidyUp } from './people/operator.ts'
import { resend } from './people/wallet.ts'
import { runJob, unlock } from './world/jobs.ts'
import { refresh } from './world/process.ts'
import { MAX_SKEW_MS } from './world/setup.ts'
import { bringBack, stopForRestore } from './world/snapshot.ts'
import { resume, runStep } from './world/steps.ts'
import type { World } from './world/world.ts'

/** Each process reconciles every third round: unexplained credits are noticed by then. */
const QUIET_ROUNDS = 16
/**
 * Longer than any window and timeout, including the hour for coins at an address: whatever has not moved by then is
 * stuck, and the checks report it.
 */
const STILL_ROUNDS = 200
/**
 * Windows last fifteen minutes, prices are retried for thirty, payouts for ten: after some hours nothing is left to
 * wait for.
 */
const MAX_ROUNDS = 300
const ROUND_MS = 20_000
/** Automatic sweeps are mined by then. */
const FILLED_ROUNDS = 90
const JOBS_A_ROUND = 25
/** Enough for every confirmation tier. */
const BLOCKS_A_ROUND = 2

/** Ends early once `isOver` returns true. */
export async function settle(world: World, isOver: () => Promise<boolean>): Promise<void> {
  const { trouble, story } = world
  trouble.active = false
  world.disasters.downUntilMs.clear()
  world.disasters.refusesUntilMs = 0
  world.disasters.falseFeeUntilMs.clear()
  story.tell('time', 'the faults stop')
  await bringBack(world)
  for (const process of world.processes) {
    process.skewMs = Math.min(process.skewMs, MAX_SKEW_MS)
    await resume(world, process)
    for (const node of process.life.nodes.values()) {
      node.rejoin()
      node.faults.behind = 0
    }
  }
  world.base.prices.SIM = '2000'
  for (const [network, chain] of world.chains) {
    chain.feePerMove = 1_000n
    resend(world, network, 0.7)
  }
  // After a failover the operator compares the journal, whether or not anything was noticed.
  if (world.isBehind) await stopForRestore(world)
  let still = { since: 0, state: '' }
  for (let round = 0, quiet = 0; round < MAX_ROUNDS && quiet < QUIET_ROUNDS; round++) {
    await oneRound(world)
    if (round > FILLED_ROUNDS) await fillForRefunds(world)
    if (await isOver()) return
    const state = await motion(world)
    quiet = state === '' ? quiet + 1 : 0
    if (state !== still.state) still = { since: round, state }
    else if (round - still.since > STILL_ROUNDS) break
  }
  for (const network of world.chains.keys()) {
    for (const process of world.processes) await watch(world, process.name, network)
  }
}

async function oneRound(world: World): Promise<void> {
  await tidyUp(world)
  await unlock(world, world.deadWorkers.splice(0))
  const due = world.intents.filter(({ dueMs }) => dueMs <= world.elapsedMs)
  world.intents = world.intents.filter((intent) => !due.includes(intent))
  for (const intent of due) await intent.act()
  for (const chain of world.chains.values()) chain.mine(BLOCKS_A_ROUND)
  world.oracle.look()
  for (const process of world.processes) {
    await runStep(world, process, 'reads the market', async (life) => {
      await life.services.market.refreshPrices()
      await life.services.campaigns.refresh()
      for (const network of life.services.catalogue.networks) await refresh(life, network)
    })
    for (const network of world.chains.keys()) await watch(world, process.name, network)
    await runStep(world, process, 'keeps house', ({ housekeeper }) => housekeeper.turn())
    for (let job = 0; job < JOBS_A_ROUND; job++) if (!(await runJob(world, process))) break
  }
  world.elapsedMs += ROUND_MS
}

async function watch(world: World, name: string, network: string): Promise<void> {
  const process = world.processes.find((other) => other.name === name)
  if (!process) return
  await runStep(world, process, `watches ${network}`, async ({ watchers }) => watchers.get(network)?.turn())
}

/**
 * Describes everything in progress as a text that changes whenever something changes; empty if nothing is in progress.
 * A listed address waits for ever.
 */
export async function motion(world: World): Promise<string> {
  const rows = await world.query<{ what: string }>(
    `with held as (select * from payout where state = 'open'
       and exists (select from hold where payout_id = payout.id and closed_at is null and code = 'screened'))
     select 'payout ' || id || started as what from payout where state = 'open' and id not in (select id from held)
     union select 'slot ' || slot.id || count(attempt) from slot left join attempt on slot_id = slot.id where state = 'open' group by slot.id
     union select 'deposit ' || id from deposit where state = 'seen'
     union select 'coins that nobody announced ' || network || account || token from reconciliation where surplus_units is not null
     union select 'reward ' || swap_id from reward join swap on swap.id = swap_id where payout_id is null and status = 'completed'
     union select 'swap ' || id || status || coalesce(degraded_at::text, '') from swap
       where status in ('user_transfer_pending', 'ls_transfer_pending', 'refund_pending')
         and not exists (select from held where swap_id = swap.id) order by 1`,
  )
  return [...rows.map(({ what }) => what), ...world.intents.map(({ dueMs }) => `intent ${dueMs}`)].join()
}
