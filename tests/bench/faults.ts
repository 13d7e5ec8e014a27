/**
 * A thousand payouts on a local EVM chain while the worker is killed with SIGKILL every two seconds and the node takes
 * transactions and then never answers. Beside it a plain retry queue under the same. What counts is what the chain shows.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { startNode } from '../support/nodes.ts'
import { startWorld, type World } from '../support/world.ts'
import { retryQueue } from './faults-baseline.ts'
import { orderPayouts } from './faults-orders.ts'
import { startProxy } from './faults-proxy.ts'

const NETWORK = 'BASE_SEPOLIA'
const PAYOUTS = Number(process.env.PAYOUTS ?? 1_000)
const KILL_EVERY_MS = 2_000
/** Of the transactions that the node takes, one in so many gets no answer. */
const UNANSWERED_EVERY = 20
/** A run that takes longer has come to a halt. */
const MAX_MS = 20 * 60_000

export async function faults(): Promise<void> {
  const world = await startWorld({ STUCK_AFTER_SECONDS: '5' }, false)
  const proxy = await startProxy(world.devnet(NETWORK).nodes[NETWORK] ?? '', UNANSWERED_EVERY)
  try {
    console.log(`  payouts                ${PAYOUTS}, worker killed every ${KILL_EVERY_MS} ms of its life`)
    const ours = await causeway(world, proxy.url)
    console.log(`  causeway               ${await shown(world, ours)}`)
    console.log(`                         sends without an answer: ${proxy.unanswered()}`)
    const before = proxy.unanswered()
    const naive = await retryQueue(world, NETWORK, proxy.url, PAYOUTS, KILL_EVERY_MS)
    console.log(`  plain retry queue      ${await shown(world, naive)}`)
    console.log(`                         sends without an answer: ${proxy.unanswered() - before}`)
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

async function causeway(world: World, nodeUrl: string): Promise<Outcome> {
  const env = { ...world.sandbox.env, [`NODES_${NETWORK}`]: nodeUrl }
  // The first start makes the tables; the orders are put into them.
  await (await startNode(env)).stop()
  const { nativeToken } = world.sandbox.catalogue.network(NETWORK)
  const targets = await orderPayouts(world, nativeToken, world.sandbox.treasuries[NETWORK] ?? '', PAYOUTS)
  const started = performance.now()
  let kills = 0
  for (let left = PAYOUTS; left > 0 && performance.now() - started < MAX_MS; ) {
    const node = await startNode(env)
    await sleep(KILL_EVERY_MS)
    await node.kill()
    kills++
    const [row] = await world.query<{ left: string }>("select count(*) as left from payout where state = 'open'")
    left = Number(row?.left)
  }
  return { targets, kills, seconds: (performance.now() - started) / 1000 }
}

/** By the recipients' balances, not by anybody's records. */
async function shown(world: World, { targets, kills, seconds }: Outcome): Promise<string> {
  const { nativeToken } = world.sandbox.catalogue.network(NETWORK)
  let [once, more, none] = [0, 0, 0]
  for (const [address, units] of targets) {
    const held = await world.balance(nativeToken, address)
    if (held === units) once++
    else if (held > units) more++
    else none++
  }
  const counts = `${once} of ${targets.size} paid exactly once, ${more} more than once, ${none} not at all`
  return `${counts}; killed ${kills} times, ${seconds.toFixed(0)} s`
}
