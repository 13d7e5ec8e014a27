/**
 * A thousand payouts on a local chain of each family while the worker is killed with SIGKILL every two seconds. The
 * node's one URL is a load balancer in front of backends of different age; sends are accepted without an answer or
 * refused at first, and for some minutes nothing answers. On the EVM chain a plain retry queue runs under the same
 * conditions. The chain decides the result. With `LEGS`, that many swaps over exchanges take the place of the payouts.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { startNode } from '../../support/processes/nodes.ts'
import { startWorld, type World } from '../../support/processes/world.ts'
import { startBalancer } from '../balancer/balancer.ts'
import type { Balancer } from '../balancer/front.ts'
import { REFUSED_EVERY, UNANSWERED_EVERY } from '../balancer/moods.ts'
import { benchNetworks, recipients } from '../places.ts'
import { retryQueue } from './baseline.ts'
import { legFaults } from './legs.ts'
import { orderPayouts } from './orders.ts'

const PAYOUTS = Number(process.env.PAYOUTS ?? 1_000)
const RUNS = Number(process.env.RUNS ?? 1)
/** The node goes down for this long once a third is paid. */
const OUTAGE_MS = Number(process.env.OUTAGE_SECONDS ?? 120) * 1_000
/** Lifetime of a worker, start excluded. A busy machine needs more. */
const KILL_EVERY_MS = Number(process.env.KILL_EVERY_MS ?? 2_000)
/** A run that takes longer, not counting the outage, has stalled. */
const MAX_MS = 20 * 60_000
/** Networks on which the plain retry queue can pay too. `BASELINE=off` skips it; it takes longer than all the rest. */
const BASELINE = process.env.BASELINE === 'off' ? null : 'BASE_SEPOLIA'
/** How often progress is printed. */
const TELL_MS = 30_000

export async function faults(): Promise<void> {
  if (process.env.LEGS) return legFaults(Number(process.env.LEGS), KILL_EVERY_MS)
  console.log(`  payouts                ${PAYOUTS} a chain, worker killed every ${KILL_EVERY_MS} ms of its life`)
  console.log(`                         1 in ${UNANSWERED_EVERY} sends is taken by the node and never answered`)
  console.log(`                         1 in ${REFUSED_EVERY} first sends is refused, half of these although taken`)
  console.log(`                         two of five backends are seconds behind; ${OUTAGE_MS / 1000} s nobody answers`)
  console.log(
    `  ${row(['run', 'network', 'paid by', 'once', 'more', 'none', 's', 'kills', 'lost', 'refused', 'stale'])}`,
  )
  for (let run = 1; run <= RUNS; run++) for (const network of benchNetworks()) await onNetwork(network, run)
}

async function onNetwork(network: string, run: number): Promise<void> {
  // A local node answers within milliseconds, if it does.
  const env = { STUCK_AFTER_SECONDS: '5', SEND_PATIENCE_MS: '50', LOG_LEVEL: process.env.LOG_LEVEL ?? 'fatal' }
  const world = await startWorld(env, false, [network])
  const { type } = world.sandbox.catalogue.network(network)
  const balancer = await startBalancer(type, world.devnet(network).nodes[network] ?? '')
  try {
    const tell = async (who: string, outcome: Outcome) => {
      const { once, more, none } = await shown(world, network, outcome)
      const { unanswered, refused, stale } = balancer.counts()
      const counted = [once, more, none, outcome.seconds.toFixed(0), outcome.kills, unanswered, refused, stale]
      console.log(`  ${row([run, network, who, ...counted])}`)
    }
    await tell('causeway', await causeway(world, network, balancer))
    await tellHeld(world)
    if (network !== BASELINE || run > 1) return
    await tell('a retry queue', await retryQueue(world, network, balancer.url, PAYOUTS, KILL_EVERY_MS))
  } finally {
    await balancer.stop()
    await world.stop()
  }
}

/** A negative number is padded on the right. */
const WIDTHS = [3, -16, -13, 5, 5, 5, 6, 6, 6, 8, 6]

function row(cells: readonly (string | number)[]): string {
  const padded = cells.map((cell, at) => {
    const width = WIDTHS[at] ?? 0
    return width < 0 ? `${cell}`.padEnd(-width) : `${cell}`.padStart(width)
  })
  return padded.join('  ')
}

interface Outcome {
  /** Recipients with the amounts that they are owed. */
  targets: ReadonlyMap<string, bigint>
  kills: number
  seconds: number
}

async function causeway(world: World, network: string, balancer: Balancer): Promise<Outcome> {
  const env = { ...world.sandbox.env, [`NODES_${network}`]: balancer.url }
  // The first start creates the tables; then the orders are inserted.
  await (await startNode(env)).stop()
  const listed = world.sandbox.catalogue.network(network)
  const targets = await recipients(listed, PAYOUTS, world.devnet(network))
  await orderPayouts(world, listed.nativeToken, world.sandbox.treasuries[network] ?? '', targets)
  const started = performance.now()
  let [kills, left, toldAt, isOutageOver] = [0, PAYOUTS, started, false]
  while (left > 0 && performance.now() - started < MAX_MS + OUTAGE_MS) {
    const node = await startNode(env)
    await sleep(KILL_EVERY_MS)
    await node.kill()
    kills++
    const [found] = await world.query<{ left: string }>("select count(*) as left from payout where state = 'open'")
    left = Number(found?.left)
    if (!isOutageOver && left < (PAYOUTS * 2) / 3) {
      isOutageOver = true
      balancer.goDown(OUTAGE_MS)
    }
    if (performance.now() - toldAt < TELL_MS) continue
    toldAt = performance.now()
    console.log(`    ... ${PAYOUTS - left} of ${PAYOUTS} confirmed, killed ${kills} times`)
  }
  return { targets, kills, seconds: (performance.now() - started) / 1000 }
}

/** Judged by the recipients' balances, not by any records. */
async function shown(world: World, network: string, { targets }: Outcome) {
  const { nativeToken } = world.sandbox.catalogue.network(network)
  let [once, more, none] = [0, 0, 0]
  for (const [address, units] of targets) {
    const held = await world.balance(nativeToken, address)
    if (held === units) once++
    else if (held > units) more++
    else none++
  }
  return { once, more, none }
}

/** Prints why the service stopped on its own, which would be a bug of the service. */
async function tellHeld(world: World): Promise<void> {
  const stops = await world.query<{ why: string }>(
    `select 'halted: ' || code || ' ' || params as why from hold where account is not null and closed_at is null union all
     select 'paused: ' || reason from switch where reason is not null union all
     select distinct 'held: ' || code || ' ' || coalesce(detail, params::text) from hold where payout_id is not null and closed_at is null`,
  )
  for (const { why } of stops) console.log(`      ${why}`)
}
