/**
 * Compares the API with bare fastify routes on the same database: one reads a row by id, one returns a constant, one
 * inserts. The load comes from another process and alternates between both sides, because machines are noisy. Runs with
 * a thousand and with a million stored swaps (`BENCH_SWAPS`): the last column shows what grows with the table. A quote over
 * exchanges is compared with a plain quote of ours instead.
 */
import { spawn } from 'node:child_process'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fastify } from 'fastify'
import pg from 'pg'
import { createApi } from '../../server/src/api/server.ts'
import { mnemonicSigner } from '../../server/src/keys/keystore/mnemonic.ts'
import { createQuoteSigner } from '../../server/src/keys/quotes/quote-signer.ts'
import { startDatabase } from '../support/database/database.ts'
import { addPools } from '../support/exchanges/service-pools.ts'
import { startServices, type TestServices } from '../support/service/services.ts'

const FEW = 1_000
const MANY = Number(process.env.BENCH_SWAPS ?? 1_000_000)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5)
/** Each side is measured for this long before the other's turn. */
const TURN_SECONDS = 1
const REFRESH_MS = 3_000
const CONNECTIONS = 20
/** Swaps that are polled concurrently, and how many of all are read occasionally. */
const POLLED = 200
const COLD = 5_000
/** Not compared at the small size: a thousand swaps are all served from the cache. */
const RARELY = 'GET /swaps/{id}, each rarely'
/** A public key without any value. */
const PHRASE = 'test test test test test test test test test test test junk'
/** More amounts than are requested while a quote is cached. */
const AMOUNTS = 5_000

interface Load {
  perSecond: number
  p50: number
  p99: number
  failed: number
  bytes: number
}

export async function api(): Promise<void> {
  const database = await startDatabase()
  const services = await startServices(database.url, { ANSWER_CACHE_MS: '500', TRUST_PROXY: '1' })
  // Signs with the native library, as the service does.
  services.quoteSigner = await createQuoteSigner(mnemonicSigner(PHRASE))
  const readPools = await addPools(services)
  const server = await createApi(services)
  const ours = await server.listen({ port: 0, host: '127.0.0.1' })
  const pool = new pg.Pool({ connectionString: database.url, max: 20 })
  pool.on('error', () => undefined)
  const bare = await startBare(pool)
  // The service does this in the background; without it, quotes would fail after some minutes.
  const market = setInterval(() => services.refresh().then(readPools).catch(console.error), REFRESH_MS)
  try {
    const { body, quoteQuery, swapJson, quoteJson } = await prepare(services, ours)
    await pool.query('create table bare (id uuid primary key, body jsonb not null)')
    const before = new Map<string, { mine: Load; theirs: Load }>()
    for (const count of [FEW, MANY]) {
      await fill(pool, count, swapJson)
      const [hot, cold] = [await someIds(pool, POLLED), await someIds(pool, COLD)]
      console.log(`\n  with ${count.toLocaleString('en')} stored swaps (${CONNECTIONS} connections, ${SECONDS} s each)`)
      const compare = async (name: string, goal: string, us: Request, them: Request | Target) => {
        const [mine, theirs] = await inTurns([ours, us], Array.isArray(them) ? them : [bare.url, them])
        const first = before.get(name) ?? { mine, theirs }
        before.set(name, first)
        const growth = (mine.perSecond / first.mine.perSecond).toFixed(2)
        const bareGrowth = (theirs.perSecond / first.theirs.perSecond).toFixed(2)
        const compared = name === RARELY ? '' : `; against few ${growth} (bare ${bareGrowth})`
        const ratio = (mine.perSecond / theirs.perSecond).toFixed(2)
        const failures = mine.failed + theirs.failed > 0 ? `, FAILED ${mine.failed}/${theirs.failed}` : ''
        console.log(
          `  ${name.padEnd(30)}${shown(mine)}; bare ${shown(theirs)}; ratio ${ratio}${goal}${compared}${failures}`,
        )
      }
      const get = (paths: string[]): Request => ({ method: 'GET', paths })
      const swap = (id: string) => `/api/v2/swaps/${id}`
      const row = (id: string) => `/row/${id}`
      await compare(`GET /swaps/{id}, ${POLLED} polled`, ' (goal 3)', get(hot.map(swap)), get(hot.map(row)))
      await compare(RARELY, '', get(cold.map(swap)), get(cold.map(row)))
      bare.constant = quoteJson
      const quote = (query: string) => `/api/v2/quote${query}`
      const constant = (query: string) => `/constant${query}`
      await compare('GET /quote, one asked again', '', get([quote(quoteQuery)]), get([constant(quoteQuery)]))
      const queries = Array.from({ length: AMOUNTS }, (_, n) => `${quoteQuery}.${n}1`)
      await compare('GET /quote, amounts differ', ' (goal 0.85)', get(queries.map(quote)), get(queries.map(constant)))
      // Over an exchange on each side, against a plain quote of ours.
      const pooled = queries.map((query) => quote(query.replaceAll('_token=USDC', '_token=GEM')))
      await compare('GET /quote, two exchanges', ' (goal 0.5)', get(pooled), [ours, get(queries.map(quote))])
      await compare(
        'POST /swaps',
        ' (goal 0.75)',
        { method: 'POST', paths: ['/api/v2/swaps'], body },
        { method: 'POST', paths: ['/insert'], body },
      )
      bare.constant = { data: [] }
      await compare(
        'GET /swaps?address',
        '',
        { ...get([`/api/v2/swaps?address=${body.destination_address}`]), asManyClients: true },
        get(['/constant']),
      )
      await compare('GET /explorer', '', { ...get(['/api/v2/explorer']), asManyClients: true }, get(['/constant']))
    }
  } finally {
    clearInterval(market)
    await bare.stop()
    await server.close()
    await pool.end()
    await services.stop()
    await database.stop()
  }
}

interface Request {
  method: 'GET' | 'POST'
  paths: string[]
  body?: object
  /** Each connection has an address of its own. */
  asManyClients?: true
}

type Target = [url: string, request: Request]

/** As many turns as fit into the time, after a warm-up. The latencies are those of the median turn. */
async function inTurns(us: Target, them: Target): Promise<[Load, Load]> {
  const turns: [Load, Load][] = []
  for (let n = 0; n <= SECONDS; n += TURN_SECONDS) turns.push([await load(...us), await load(...them)])
  const [, ...counted] = turns
  return [summary(counted.map(([mine]) => mine)), summary(counted.map(([, theirs]) => theirs))]
}

function summary(turns: Load[]): Load {
  const sum = (of: (turn: Load) => number) => turns.reduce((total, turn) => total + of(turn), 0)
  const middle = (of: (turn: Load) => number) => turns.map(of).sort((a, b) => a - b)[Math.floor(turns.length / 2)] ?? 0
  return {
    perSecond: sum(({ perSecond }) => perSecond) / turns.length,
    p50: middle(({ p50 }) => p50),
    p99: middle(({ p99 }) => p99),
    failed: sum(({ failed }) => failed),
    bytes: middle(({ bytes }) => bytes),
  }
}

function shown({ perSecond, p50, p99, bytes }: Load): string {
  return `${Math.round(perSecond)}/s p50 ${p50} p99 ${p99} ms ${Math.round(bytes)} B`
}

async function load(url: string, request: Request): Promise<Load> {
  const child = spawn(process.execPath, [...process.execArgv, path.join(import.meta.dirname, 'load.ts')], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.end(JSON.stringify({ url, connections: CONNECTIONS, seconds: TURN_SECONDS, ...request }))
  return JSON.parse(await text(child.stdout))
}

async function startBare(pool: pg.Pool) {
  const server = fastify()
  const bare = { url: '', constant: {} as object, stop: () => server.close() }
  server.get<{ Params: { id: string } }>('/row/:id', async ({ params }) => {
    const { rows } = await pool.query('select body from bare where id = $1', [params.id])
    return rows[0].body
  })
  server.get('/constant', async () => bare.constant)
  server.post('/insert', async ({ body }) => {
    const { rows } = await pool.query('insert into bare values (gen_random_uuid(), $1) returning id', [body])
    return rows[0]
  })
  bare.url = await server.listen({ port: 0, host: '127.0.0.1' })
  return bare
}

/** Creates one swap as a template for the others, and records its responses. */
async function prepare(services: TestServices, url: string) {
  const recipient = (await services.chains.get('ALPHA')?.depositAddresses?.derive(900_001)) ?? ''
  const route = {
    source_network: 'ALPHA',
    source_token: 'USDC',
    destination_network: 'BETA',
    destination_token: 'USDC',
  }
  const body = { ...route, destination_address: recipient, amount: 100 }
  const headers = { 'content-type': 'application/json' }
  const made = await fetch(`${url}/api/v2/swaps`, { method: 'POST', headers, body: JSON.stringify(body) })
  const { data } = (await made.json()) as { data: { swap: { id: string } } }
  const quoteQuery = `?${new URLSearchParams({ ...route, amount: '100' })}`
  const read = async (at: string) => (await (await fetch(url + at)).json()) as object
  const [swapJson, quoteJson] = [await read(`/api/v2/swaps/${data.swap.id}`), await read(`/api/v2/quote${quoteQuery}`)]
  return { body, quoteQuery, swapJson, quoteJson }
}

/** Adds copies of the first swap, each with its own recipient and deposit, and bare rows for comparison. */
async function fill(pool: pg.Pool, count: number, swapJson: object): Promise<void> {
  const { rows } = await pool.query<{ n: string }>('select count(*) as n from bare')
  const missing = count - Number(rows[0]?.n ?? 0)
  const { rows: columns } = await pool.query<{ name: string }>(
    `select quote_ident(column_name) as name from information_schema.columns where table_name = 'swap'
     and column_name not in ('id', 'ordinal', 'reference', 'destination_address') and is_generated = 'NEVER'`,
  )
  const list = columns.map(({ name }) => name).join(', ')
  const first = '(select * from swap order by ordinal limit 1)'
  await pool.query(
    `insert into swap (id, reference, destination_address, ${list})
     select gen_random_uuid(), 1 + floor(random() * 9e15)::bigint, md5(n::text || random()::text), ${list} from ${first} first, generate_series(1, ${missing}) n`,
  )
  await pool.query(
    `insert into deposit (network, tx_hash, index, block_number, block_hash, from_address, to_address, token, units,
       swap_id, state, confirmations_wanted, final)
     select source_network, md5(id::text), 0, 1, 'h', 'sender', receiver, source_token, requested_units, id, 'seen', 5, true
     from swap where not exists (select from deposit where swap_id = swap.id)`,
  )
  await pool.query('insert into bare select id, $1 from swap on conflict do nothing', [swapJson])
  // The measurement is about a large table, not about the cleanup after filling it.
  await pool.query('vacuum analyze')
  await pool.query('checkpoint')
}

async function someIds(pool: pg.Pool, count: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>('select id from swap order by random() limit $1', [count])
  return rows.map(({ id }) => id)
}
