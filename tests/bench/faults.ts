/**
 * A thousand payouts on a local chain of each family while the worker is killed with SIGKILL every two seconds and the node
 * takes transactions and then never answers. On the EVM chain a plain retry queue runs beside it under the same. What
 * counts is what the chain shows.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { startNode } from '../support/nodes.ts'
import { startWorld, type World } from '../support/world.ts'
import { retryQueue } from './faults-baseline.ts'
import { orderPayouts } from './faults-orders.ts'
import { type SilentProxy, startProxy } from './faults-proxy.ts'
import { benchNetworks, recipients } from './places.ts'

const PAYOUTS = Number(process.env.PAYOUTS ?? 1_000)
const KILL_EVERY_MS = 2_000
/** Of the transactions that the node takes, one in so many gets no answer. */
const UNANSWERED_EVERY = 5
/** A run that takes longer has come to a halt. */
const MAX_MS = 20 * 60_000
/** Where the plain retry queue can pay too; `BASELINE=off` leaves it out, which takes longer than all the rest. */
const BASELINE = process.env.BASELINE === 'off' ? null : 'BASE_SEPOLIA'
/** How often it tells how far it is. */
const TELL_MS = 30_000

export async function faults(): Promise<void> {
  console.log(`  payouts                ${PAYOUTS} a chain, worker killed every ${KILL_EVERY_MS} ms of its life`)
  console.log(`                         1 in ${UNANSWERED_EVERY} sends is taken by the node and never answered`)
  for (const network of benchNetworks()) await onNetwork(network)
}

async function onNetwork(network: string): Promise<void> {
  // A local node answers within milliseconds, if it does.
  const world = await startWorld({ STUCK_AFTER_SECONDS: '5', SEND_PATIENCE_MS: '50' }, false, [network])
  const proxy = await startProxy(world.devnet(network).nodes[network] ?? '', UNANSWERED_EVERY)
  try {
    const { engine } = world.devnet(network)
    console.log(`  ${network} (${engine})`)
    console.log(`    causeway             ${await shown(world, network, proxy, await causeway(world, network, proxy))}`)
    if (network !== BASELINE) return
    const naive = await retryQueue(world, network, proxy.url, PAYOUTS, KILL_EVERY_MS)
    console.log(`    plain retry queue    ${await shown(world, network, proxy, naive)}`)
  } finally {
    await proxy.stop()
    await world.stop()
  }
}

interface Outcome {
  /** Who was to get how much. */
  targets: ReadonlyMap<string, bigint>
  kills: number
  seconds: number
}

async function causeway(world: World, network: string, proxy: SilentProxy): Promise<Outcome> {
  const env = { ...world.sandbox.env, [`NODES_${network}`]: proxy.url }
  // The first start makes the tables; the orders are put into them.
  await (await startNode(env)).stop()
  const listed = world.sandbox.catalogue.network(network)
  const targets = await recipients(listed, PAYOUTS)
  await orderPayouts(world, listed.nativeToken, world.sandbox.treasuries[network] ?? '', targets)
  const started = performance.now()
  let [kills, left, toldAt] = [0, PAYOUTS, started]
  while (left > 0 && performance.now() - started < MAX_MS) {
    const node = await startNode(env)
    await sleep(KILL_EVERY_MS)
    await node.kill()
    kills++
    const [row] = await world.query<{ left: string }>("select count(*) as left from payout where state = 'open'")
    left = Number(row?.left)
    if (performance.now() - toldAt < TELL_MS) continue
    toldAt = performance.now()
    console.log(`    ... ${PAYOUTS - left} of ${PAYOUTS} confirmed, killed ${kills} times`)
  }
  return { targets, kills, seconds: (performance.now() - started) / 1000 }
}

/** By the recipients' balances, not by anybody's records. */
async function shown(
  world: World,
  network: string,
  proxy: SilentProxy,
  { targets, kills, seconds }: Outcome,
): Promise<string> {
  const { nativeToken } = world.sandbox.catalogue.network(network)
  let [once, more, none] = [0, 0, 0]
  for (const [address, units] of targets) {
    const held = await world.balance(nativeToken, address)
    if (held === units) once++
    else if (held > units) more++
    else none++
  }
  const counts = `${once} of ${targets.size} paid exactly once, ${more} more than once, ${none} not at all`
  const pace = `${seconds.toFixed(0)} s, ${(targets.size / seconds).toFixed(1)} a second`
  return `${counts}; killed ${kills} times, ${proxy.unanswered()} sends unanswered; ${pace}`
}
