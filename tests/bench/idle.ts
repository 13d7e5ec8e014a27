/**
 * Node requests per minute: ten idle EVM networks, with a second process, and with a swap every second; and idle Solana
 * and TON. The bounds are printed with the intended values. Counting starts after the ledger is open: that takes two
 * reads of each wallet, minutes on a busy machine, and happens only once.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseConfig, startService } from '@causeway/server'
import { sleep } from '../../server/src/flow/lib/sleep.ts'
import { lastFinding } from '../../server/src/store/ledger/ledger.ts'
import { startWorld } from '../support/processes/world.ts'
import { clientOf } from '../support/service/client.ts'
import { countsOf, type Stage, setStage } from './stage.ts'

/** Long enough for every periodic request to be made once. */
const WINDOW_MS = Number(process.env.IDLE_SECONDS ?? 120) * 1_000
/** The start reads everything once: that is over by then. */
const SETTLE_MS = 90_000
const MOST_IDLE = 400
const MOST_OF_OTHERS = { SOLANA_MAINNET: 60, TON_MAINNET: 20 }
const forever = new AbortController().signal

type Spent = Map<string, Record<string, number>>
type Service = Awaited<ReturnType<typeof startService>>

export async function idle(): Promise<void> {
  await tenOfEvm()
  await others()
}

async function tenOfEvm(): Promise<void> {
  // With final depths of ten minutes the ledger would be opened during the measurement.
  const stage = await setStage({ finalMs: 20_000 })
  const first = await stage.start()
  try {
    await settled(first)
    const alone = await asked(stage)
    show('idle, one process', alone)
    const second = await stage.start()
    await settled(second)
    const before = await countedBy(second)
    const both = await asked(stage)
    show('idle, two processes', both)
    const bySecond = spentSince(before, await countedBy(second))
    await second.stop()
    const client = clientOf(first.url ?? '')
    const swaps = keepMaking(stage, client)
    const busy = await asked(stage)
    console.log(`  swaps made                         ${await swaps.stop()}`)
    show('a swap a second, one process', busy)
    const added = (total(both) - total(alone)) / total(alone)
    console.log(`  idle                               ${total(alone)} a minute (wanted: below ${MOST_IDLE})`)
    console.log(`  a second process adds              ${(added * 100).toFixed(1)} % (wanted: below 10 %)`)
    console.log(`  asked by the second one itself     ${total(bySecond)} a minute`)
  } finally {
    await first.stop()
    await stage.stop()
  }
}

/** The start is over, and the ledger of every wallet is open. */
async function settled({ services: { chains, database } }: Service): Promise<void> {
  await sleep(SETTLE_MS, forever)
  const isOpen = async () => {
    for (const { network, treasury } of chains.values())
      for (const token of network.tokens) if (!(await lastFinding(database, treasury, token))?.opened) return false
    return true
  }
  while (!(await isOpen())) await sleep(1_000, forever)
}

/** As counted by the service itself since its start. */
async function countedBy({ services }: Service): Promise<Spent> {
  const { values } = await services.metrics.nodeRequests.get()
  const ofNetwork = Map.groupBy(values, ({ labels }) => String(labels.network))
  return new Map(
    [...ofNetwork].map(([name, all]) => [
      name,
      Object.fromEntries(all.map(({ labels, value }) => [String(labels.method), value])),
    ]),
  )
}

/** Requests per minute from now on, by network and method. */
async function asked(stage: Stage): Promise<Spent> {
  const before = countsOf(stage)
  await sleep(WINDOW_MS, forever)
  return spentSince(before, countsOf(stage))
}

function spentSince(before: Spent, after: Spent): Spent {
  return new Map(
    [...after].map(([name, counts]) => [
      name,
      Object.fromEntries(
        Object.entries(counts)
          .map(([method, count]) => [method, aMinute(count - (before.get(name)?.[method] ?? 0))] as const)
          .filter(([, count]) => count > 0),
      ),
    ]),
  )
}

/** Local chains in place of the real ones, polled at the real intervals and counted by the service itself. */
async function others(): Promise<void> {
  const names = Object.keys(MOST_OF_OTHERS)
  const world = await startWorld({}, false, names, 'networks/mainnet')
  const { env } = world.sandbox
  await atRealPace(env.NETWORKS ?? '')
  const service = await startService(parseConfig(env), { isSandbox: true })
  try {
    await settled(service)
    const before = await countedBy(service)
    await sleep(WINDOW_MS, forever)
    const spent = spentSince(before, await countedBy(service))
    show('idle, by account', spent)
    for (const [name, most] of Object.entries(MOST_OF_OTHERS)) {
      const all = total(new Map([[name, spent.get(name) ?? {}]]))
      console.log(`  ${name.padEnd(34)} ${all} a minute (wanted: below ${most})`)
    }
  } finally {
    await service.stop()
    await world.stop()
  }
}

/** In a sandbox, networks are polled more often than their files say. */
async function atRealPace(folder: string): Promise<void> {
  for (const file of await readdir(folder)) {
    const place = path.join(folder, file)
    const { idle_poll_ms: _, ...network } = JSON.parse(await readFile(place, 'utf8')) as Record<string, unknown>
    await writeFile(place, JSON.stringify(network))
  }
}

function aMinute(count: number): number {
  return Math.round((count * 60_000) / WINDOW_MS)
}

function keepMaking(stage: Stage, client: ReturnType<typeof clientOf>) {
  const over = new AbortController()
  let made = 0
  const working = (async () => {
    for (let i = 0; !over.signal.aborted; i++) {
      const names = stage.networks.map(({ name }) => name)
      const [from, to] = [names[i % names.length], names[(i + 1) % names.length]]
      await client
        .create({
          source_network: from ?? '',
          source_token: 'USDC',
          destination_network: to ?? '',
          destination_token: 'USDC',
          destination_address: `0x${(i + 4096).toString(16).padStart(40, 'a')}`,
          amount: 50,
        })
        .then(() => made++)
        .catch(() => undefined)
      await sleep(1_000, over.signal)
    }
  })()
  return {
    async stop() {
      over.abort()
      await working
      return made
    },
  }
}

function total(spent: Spent): number {
  return [...spent.values()].flatMap((counts) => Object.values(counts)).reduce((sum, count) => sum + count, 0)
}

function show(what: string, spent: Spent): void {
  console.log(`  ${what}: ${total(spent)} requests a minute`)
  for (const [name, counts] of spent) {
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const methods = Object.entries(counts).map(([method, count]) => `${method.replace('eth_', '')} ${count}`)
    console.log(`    ${name.padEnd(24)} ${String(all).padStart(5)}   ${methods.join(', ')}`)
  }
}
