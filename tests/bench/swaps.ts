/**
 * Whole swaps per second, from the creation over HTTP to completion, with 1, 2 and 4 whole processes (all roles) on one
 * database that commits durably. The chains are simulated: this process has them, serves their nodes, and acts as the users. So
 * its CPU time is the node's and the users'. A fixed number of swaps is open all the time. The chain decides what was paid.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { RetryLater, type TestAccount } from '@causeway/core'
import { mnemonicSigner, parseConfig, SANDBOX_MNEMONIC, startService } from '@causeway/server'
import pg from 'pg'
import { accountFrom, signedBy } from '../../chains/simulated/local/src/account.ts'
import {
  contractAddress,
  createSimulatedChain,
  family,
  openNode,
  type SimulatedChain,
} from '../../chains/simulated/local/src/index.ts'
import { addressOf } from '../../chains/simulated/src/address.ts'
import { registerNode } from '../../chains/simulated/src/node/registry.ts'
import { treasuryOf } from '../../chains/simulated/src/paying/treasury.ts'
import { answerOf, distantNode, type Question, type ToService } from '../sim/concurrent/nodes.ts'
import { startDatabase } from '../support/database/database.ts'
import { actionOf } from '../support/processes/world.ts'
import { type Client, clientOf } from '../support/service/client.ts'

const PROCESSES = (process.env.PROCESSES ?? '1,2,4').split(',').map(Number)
const SECONDS = Number(process.env.SECONDS ?? 20)
/** Swaps that are open at any time. */
const OPEN = Number(process.env.OPEN ?? 300)
const BLOCK_MS = 100
const NETWORKS = ['ALPHA', 'BETA', 'GAMMA']
/** Requests of users at once, per process. */
const USERS = 20
/** Deposits of one sender are summed until they are final, so that each sender has few at once. */
const PAYERS = 300
const [AMOUNT, RICHES] = [20, 10n ** 30n]
/** How long a user waits who is refused, or while enough swaps are open. */
const PAUSE_MS = 20
/** How often the database is read; and the longest wait for the first swaps, and for the last. */
const [SAMPLE_MS, DRAIN_MS] = [250, 60_000]
/** As on a real machine: the tests' databases do not wait for the disk. */
const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on', shared_buffers: '512MB' }
const MEDIAN = 'select percentile_cont(0.5) within group (order by completion_seconds)::float8 as n from swap'
const CHILD_VARIABLE = 'BENCH_SWAPS_CHILD'
const usdcOn = (network: string) => contractAddress(`USDC on ${network}`)
/** From this share of its capacity on, something is called the limit. */
const FULL = 0.85

export async function swaps(): Promise<void> {
  if (os.platform() !== 'linux') throw new Error('this bench reads CPU times from /proc: it needs Linux')
  console.log(`  ${os.availableParallelism()} cores, ${OPEN} open swaps, ${SECONDS} s each, blocks of ${BLOCK_MS} ms`)
  const database = await startDatabase(DURABLE)
  const results: Result[] = []
  try {
    for (const count of PROCESSES) results.push(await measure(await database.createDatabase(), count))
    print(results)
  } finally {
    await database.stop()
  }
}

type Result = Awaited<ReturnType<typeof measure>>

/** A row per figure, a column per number of processes. */
function print(results: readonly Result[]): void {
  const perSwap = (share: number, { perSecond }: Result) => ((1000 * share) / perSecond).toFixed(1)
  const rows: [string, (result: Result) => string][] = [
    ['processes', ({ count }) => `${count}`],
    ['swaps per second', ({ perSecond }) => perSecond.toFixed(1)],
    ['times the first', ({ perSecond }) => (perSecond / (results[0]?.perSecond ?? 1)).toFixed(2)],
    ['completed in the window', ({ done }) => `${done}`],
    ['median seconds of a swap', ({ medianSeconds }) => medianSeconds.toFixed(1)],
    ['cores: services', ({ cores }) => sum(cores.services).toFixed(2)],
    ['cores: busiest service', ({ cores }) => Math.max(...cores.services).toFixed(2)],
    ['cores: database', ({ cores }) => cores.database.toFixed(2)],
    ['cores: node and users', ({ cores }) => cores.node.toFixed(2)],
    ['cores: other programs', ({ cores }) => cores.others.toFixed(2)],
    ['CPU ms per swap: services', (result) => perSwap(sum(result.cores.services), result)],
    ['CPU ms per swap: database', (result) => perSwap(result.cores.database, result)],
    ['CPU ms per swap: node, users', (result) => perSwap(result.cores.node, result)],
    ['database connections', ({ connections }) => `${connections}`],
    ['transactions per swap', ({ transactions }) => transactions.toFixed(0)],
    ['KiB of WAL per swap', ({ walBytes }) => (walBytes / 1024).toFixed(0)],
    ['KiB of tables per swap', ({ tableBytes }) => (tableBytes / 1024).toFixed(0)],
    ['refused requests', ({ refused }) => `${refused}`],
    ['paid, exactly once', ({ paid, once }) => `${paid}, ${once}`],
  ]
  for (const [name, cell] of rows)
    console.log(`  ${name.padEnd(30)}${results.map((result) => cell(result).padStart(14)).join('')}`)
  for (const result of results) {
    const waits = result.waits.map(([what, share]) => `${what} ${share.toFixed(1)}`).join(', ')
    console.log(`  limit of ${result.count}: ${limitOf(result)}; active sessions: ${waits}`)
  }
}

function limitOf({ cores, active, waits }: Result): string {
  const used = sum(cores.services) + cores.database + cores.node
  if (used + cores.others > FULL * os.availableParallelism()) {
    const shares = Object.entries({ services: sum(cores.services), database: cores.database, node: cores.node })
    const [most] = shares.toSorted(([, a], [, b]) => b - a)[0] ?? ['']
    return `the machine's CPU, of which we had ${used.toFixed(2)} cores; most went to: ${most}`
  }
  if (Math.max(...cores.services) > FULL) return 'CPU: one process of the service fills a core'
  if (cores.node > FULL) return 'the node: its process fills a core'
  const locks = sum(waits.filter(([what]) => what !== 'CPU').map(([, share]) => share))
  return locks > active / 2 ? `the database: ${waits[0]?.[0]}` : 'waiting for confirmations, polls and queues'
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

async function measure(url: string, count: number) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'causeway-swaps-'))
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const chains = new Map(NETWORKS.map((network) => [network, createSimulatedChain({ network })]))
  const treasury = await treasuryOf(mnemonicSigner(SANDBOX_MNEMONIC))
  for (const [network, chain] of chains) {
    for (const contract of [null, usdcOn(network)]) chain.mint(treasury, contract, RICHES)
    chain.mine(10)
  }
  const mining = setInterval(() => [...chains.values()].map((chain) => chain.mine()), BLOCK_MS)
  const children: ChildProcess[] = []
  try {
    const env = await settingsIn(folder, url)
    const clients: Client[] = []
    // The first becomes the signing process; the others start when the tables are there.
    for (let n = 0; n < count; n++) clients.push(await startChild(chains, env, children))
    const load = startLoad(chains, clients)
    const completed = () => numberOf(client, "select count(*)::int as n from swap where status = 'completed'")
    const following = follow(load, completed)
    // Earlier the window would count work for swaps that complete after it, or the reverse.
    for (const start = performance.now(); load.completed < OPEN && performance.now() - start < DRAIN_MS; )
      await sleep(SAMPLE_MS)
    const before = await reading(client, children, await completed())
    const samples = await sample(client, SECONDS * 1000)
    const after = await reading(client, children, await completed())
    load.isOver = true
    await following
    const seconds = (after.at - before.at) / 1000
    const done = after.completed - before.completed
    const cores = (read: (one: Reading) => number) => (read(after) - read(before)) / 1000 / seconds
    const services = children.map((_, n) => cores((one) => one.services[n] ?? 0))
    const [database, node] = [cores((one) => one.database), cores((one) => one.node)]
    const others = Math.max(0, cores((one) => one.machine) - sum(services) - database - node)
    const each = (read: (one: Reading) => number) => (read(after) - read(before)) / Math.max(1, done)
    return {
      count,
      done,
      perSecond: done / seconds,
      medianSeconds: await numberOf(client, MEDIAN),
      // CPU seconds per second: 1 is a whole core.
      cores: { services, database, node, others },
      ...samples,
      transactions: each((one) => one.transactions),
      walBytes: each((one) => one.walBytes),
      tableBytes: each((one) => one.tableBytes),
      refused: load.refused,
      ...(await judge(client, chains)),
    }
  } finally {
    clearInterval(mining)
    await Promise.all(children.map(end))
    await client.end()
    await rm(folder, { recursive: true, force: true })
  }
}

async function numberOf(client: pg.Client, text: string): Promise<number> {
  return (await client.query<{ n: number }>(text)).rows[0]?.n ?? 0
}

/** Network files and settings of the processes. All of them share a journal folder: any may become the signing one. */
async function settingsIn(folder: string, databaseUrl: string): Promise<Record<string, string>> {
  const networks = path.join(folder, 'networks')
  await mkdir(networks)
  const rank = { listing_date: '2026-01-01T00:00:00Z', source_rank: 1, destination_rank: 1 }
  const token = { ...rank, precision: 6 }
  for (const [position, name] of NETWORKS.entries()) {
    const file = {
      ...{ name, display_name: name, type: 'starkex', chain_id: `${1000 + position}`, nodes: ['http://127.0.0.1:1/'] },
      ...{ transaction_explorer: 'http://127.0.0.1/{0}', account_explorer: 'http://127.0.0.1/{0}', ...rank },
      ...{ confirmations: [{ up_to_usd: null, confirmations: 2 }], final_depth: 6, poll_ms: 50, settings: {} },
      tokens: [
        { ...token, symbol: 'ETH', display_asset: 'ETH', contract: null, decimals: 18, group: 'ETH' },
        { ...token, symbol: 'USDC', display_asset: 'USDC', contract: usdcOn(name), decimals: 6, group: 'USDC' },
      ],
    }
    await writeFile(path.join(networks, `${name}.json`), JSON.stringify(file))
  }
  return {
    ...{ DATABASE_URL: databaseUrl, NETWORKS: networks, ENVIRONMENT: 'testnet' },
    ...{ SIGNER: 'mnemonic', MNEMONIC: SANDBOX_MNEMONIC, JOURNAL_FOLDER: path.join(folder, 'journal') },
    ...{ HOST: '127.0.0.1', PORT: '0', INTERNAL_PORT: '0', LOG_LEVEL: process.env.LOG_LEVEL ?? 'fatal' },
    // All users share one address here.
    ...{ RATE_LIMIT_READS: '10000000', RATE_LIMIT_CREATIONS: '10000000' },
  }
}

async function startChild(
  chains: ReadonlyMap<string, SimulatedChain>,
  env: Record<string, string>,
  children: ChildProcess[],
): Promise<Client> {
  const nodes = new Map([...chains].map(([network, chain]) => [network, openNode(chain)]))
  const child = fork(import.meta.filename, {
    env: { ...process.env, ...env, [CHILD_VARIABLE]: '1' },
    serialization: 'advanced',
  })
  children.push(child)
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`a process ended with ${code}`)))
    child.on('message', async (message: { url: string } | { question: Question }) => {
      if ('url' in message) return resolve(message.url)
      const answer = await answerOf(nodes, message.question)
      if (child.connected) child.send(answer, () => undefined)
    })
  })
  return clientOf(url)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await gone
}

type Load = ReturnType<typeof startLoad>

/** Users who create swaps in turn at all processes, and deposit at once, while fewer than `OPEN` are open. */
function startLoad(chains: ReadonlyMap<string, SimulatedChain>, clients: readonly Client[]) {
  const load = { created: 0, completed: 0, refused: 0, isOver: false }
  const payers = Array.from({ length: PAYERS }, (_, n) => accountFrom(`payer ${n}`))
  for (const [network, chain] of chains)
    for (const { address } of payers)
      for (const contract of [null, usdcOn(network)]) chain.mint(address, contract, RICHES)
  const nonces = new Map<string, bigint>()
  let asked = 0
  const one = async () => {
    const number = asked++
    const client = clients[number % clients.length] as Client
    const from = NETWORKS[number % NETWORKS.length] ?? ''
    const to = NETWORKS[(number + 1 + (Math.floor(number / NETWORKS.length) % 2)) % NETWORKS.length] ?? ''
    const swap = await client.create({
      ...{ source_network: from, source_token: 'USDC', destination_network: to, destination_token: 'USDC' },
      ...{ destination_address: addressOf(randomBytes(33)), amount: AMOUNT },
    })
    const payer = payers[number % PAYERS] as TestAccount
    const chain = chains.get(from) as SimulatedChain
    const { to_address: receiver, amount_in_base_units: units, call_data: memo } = actionOf(swap)
    const slot = `${from} ${payer.address}`
    const nonce = nonces.get(slot) ?? 0n
    nonces.set(slot, nonce + 1n)
    const moves = [{ from: payer.address, to: receiver, contract: usdcOn(from), units: BigInt(units) }]
    const deposit = { network: from, account: payer.address, nonce, fee: chain.feePerMove, memo, moves }
    const answer = chain.submit(signedBy(deposit, payer))
    if (answer !== 'accepted') throw new Error(`the deposit was not accepted: ${answer}`)
  }
  const user = async () => {
    while (!load.isOver) {
      if (load.created - load.completed >= OPEN) {
        await sleep(PAUSE_MS)
        continue
      }
      load.created++
      await one().catch(async () => {
        load.created--
        load.refused++
        await sleep(PAUSE_MS)
      })
    }
  }
  for (let n = 0; n < USERS * clients.length; n++) void user()
  return load
}

/** Reads the number of completed swaps again and again, and until none is open once the load is over. */
async function follow(load: Load, completed: () => Promise<number>): Promise<void> {
  let deadline = Number.POSITIVE_INFINITY
  while (!load.isOver || load.completed < load.created) {
    if (load.isOver) deadline = Math.min(deadline, performance.now() + DRAIN_MS)
    if (performance.now() > deadline) return console.log(`    ${load.created - load.completed} swaps are still open`)
    await sleep(SAMPLE_MS)
    load.completed = await completed()
  }
}

type Reading = Awaited<ReturnType<typeof reading>>

async function reading(client: pg.Client, children: readonly ChildProcess[], completed: number) {
  const { rows } = await client.query<Record<'pid' | 'transactions' | 'wal' | 'bytes', number>>(
    `select pg_backend_pid() as pid, xact_commit::float8 as transactions, pg_database_size(datid)::float8 as bytes,
       pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal
     from pg_stat_database where datname = current_database()`,
  )
  const { pid = 0, transactions = 0, wal: walBytes = 0, bytes: tableBytes = 0 } = rows[0] ?? {}
  const { user, system } = process.cpuUsage()
  const times = os.cpus().map((core) => core.times)
  return {
    at: performance.now(),
    completed,
    // CPU times in milliseconds.
    services: children.map((child) => statOf(child.pid ?? 0)?.cpuMs ?? 0),
    database: clusterCpuMs(pid),
    node: (user + system) / 1000,
    machine: sum(times.map((core) => core.user + core.nice + core.sys + core.irq)),
    ...{ transactions, walBytes, tableBytes },
  }
}

/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10

function statOf(pid: number): { parent: number; cpuMs: number; endedMs: number } | null {
  try {
    // The program's name is in parentheses and may contain spaces.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = (...places: number[]) => TICK_MS * sum(places.map((place) => Number(fields[place])))
    return { parent: Number(fields[1]), cpuMs: ticks(11, 12), endedMs: ticks(13, 14) }
  } catch {
    return null
  }
}

/** The CPU time of all processes of the cluster that this backend belongs to. */
function clusterCpuMs(backend: number): number {
  const postmaster = statOf(backend)?.parent ?? 0
  const own = statOf(postmaster)
  const all = readdirSync('/proc').map((name) => (/^\d+$/.test(name) ? statOf(Number(name)) : null))
  const alive = all.filter((stat) => stat?.parent === postmaster)
  return (own?.cpuMs ?? 0) + (own?.endedMs ?? 0) + sum(alive.map((stat) => stat?.cpuMs ?? 0))
}

/** The most connections, and on average the sessions that run a query, with what they wait for. */
async function sample(client: pg.Client, ms: number) {
  const deadline = performance.now() + ms
  const waits = new Map<string, number>()
  let [connections, rounds] = [0, 0]
  while (performance.now() < deadline) {
    const { rows } = await client.query<{ active: boolean; wait: string; n: number }>(
      `select state = 'active' as active, coalesce(wait_event_type || ' ' || wait_event, 'CPU') as wait, count(*)::int as n
       from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() group by 1, 2`,
    )
    rounds++
    connections = Math.max(connections, sum(rows.map(({ n }) => n)))
    // An idle session waits for its client.
    for (const { active, wait, n } of rows) if (active) waits.set(wait, (waits.get(wait) ?? 0) + n)
    await sleep(SAMPLE_MS)
  }
  const shares = [...waits].map(([what, n]): [string, number] => [what, n / rounds]).toSorted(([, a], [, b]) => b - a)
  return { connections, active: sum(shares.map(([, share]) => share)), waits: shares.slice(0, 4) }
}

/** Each recipient is paid by one swap: its balance is that swap's output, and no more. */
async function judge(client: pg.Client, chains: ReadonlyMap<string, SimulatedChain>) {
  const { rows } = await client.query<{ network: string; to_address: string; units: string }>(
    "select network, to_address, units from payout where kind = 'output' and state = 'confirmed'",
  )
  const exact = rows.filter(
    ({ network, to_address, units }) => chains.get(network)?.balance(to_address, usdcOn(network)) === BigInt(units),
  )
  return { once: exact.length, paid: rows.length }
}

/** A process of the service: the real one, whose simulated nodes are in the bench's process. */
async function serve(): Promise<void> {
  const waiting = new Map<number, (message: Extract<ToService, { answer: number }>) => void>()
  let asked = 0
  process.on('message', (message: Extract<ToService, { answer: number }>) => {
    waiting.get(message.answer)?.(message)
    waiting.delete(message.answer)
  })
  for (const name of NETWORKS) {
    const node = distantNode(name, async (question) => {
      const id = ++asked
      const answered = new Promise<Extract<ToService, { answer: number }>>((resolve) => waiting.set(id, resolve))
      process.send?.({ question: { ...question, id } })
      const { value, refused } = await answered
      if (refused !== null) throw new RetryLater(refused)
      return value
    })
    registerNode(name, node)
  }
  const service = await startService(parseConfig(process.env), { families: async () => family, isSandbox: true })
  process.send?.({ url: service.url })
  process.once('SIGTERM', () => service.stop().then(() => process.exit(0)))
  process.once('disconnect', () => process.exit(0))
}

// This file is also the program of those processes.
if (process.env[CHILD_VARIABLE]) await serve()
