/**
 * An upgrade from the release that `previous-release.json` pins, as docs/operate/upgrade.md says, while users swap. The two releases run side
 * by side on one database. No swap is lost or paid twice, and with two processes no request fails.
 */
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { tokenKey } from '@causeway/core'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { startDatabase } from '../support/database/database.ts'
import { command, install, PRESENT, type Running, run } from '../support/processes/releases.ts'
import { openUsers, SLOW_MS, type Users } from '../support/processes/users.ts'
import { startWorld, type World } from '../support/processes/world.ts'
import { previousRelease } from '../support/repository/expansions.ts'
import { eventually } from '../support/runner/eventually.ts'
import { keepAsking, startBalancer } from './switch-over.ts'

const [FROM, TO] = ['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA'] as const
const QUOTE = `/api/v2/quote?${new URLSearchParams({
  source_network: FROM,
  source_token: 'ETH',
  destination_network: TO,
  destination_token: 'USDC',
  amount: '0.05',
})}`

let previous: string
beforeAll(async () => {
  const installed = await install(previousRelease().commit)
  previous = installed.folder
  return installed.remove
}, SLOW_MS)

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
}, SLOW_MS)

/** The local chains, and an empty database: the previous release makes its own schema. */
async function openWorld(): Promise<{ world: World; users: Users; start: (folder: string) => Promise<Running> }> {
  const own = await startDatabase()
  const world = await startWorld(
    {
      RECONCILE_INTERVAL_SECONDS: '2',
      RATE_LIMIT_READS: '100000',
      RATE_LIMIT_CREATIONS: '100000',
      JOURNAL_FOLDER: mkdtempSync(path.join(tmpdir(), 'causeway-upgrade-')),
    },
    false,
    [FROM, TO],
    undefined,
    async () => ({ url: await own.createEmpty(), stop: own.stop }),
  )
  stops.push(world.stop)
  return {
    world,
    users: openUsers(world, FROM, TO),
    async start(folder) {
      const started = await run(folder, world.sandbox.env)
      stops.push(started.stop)
      return started
    },
  }
}

const migrationsIn = async (world: World) =>
  (await world.query<{ name: string }>('select name from kysely_migration order by name')).map(({ name }) => name)

const presentMigrations = () =>
  readdirSync(path.join(PRESENT, 'server/migrations'))
    .filter((file) => file.endsWith('.sql'))
    .map((file) => path.basename(file, '.sql'))
    .sort()

/** Everything that was asked for is paid once, and the books agree with themselves and with the chains. */
async function expectNothingLost(world: World, users: Users): Promise<void> {
  const known = (await world.query<{ id: string }>('select id from swap')).map(({ id }) => id)
  expect(known).toEqual(expect.arrayContaining(users.ids()))
  await users.expectPaid(users.ids())
  await eventually(
    async () => (await world.query("select from payout where state = 'open'")).length === 0,
    'every payout to be confirmed',
    SLOW_MS,
  )
  const doubled = `select swap_id from payout where state <> 'abandoned' group by swap_id having count(*) > 1`
  expect(await world.query(doubled)).toEqual([])
  expect(await world.query('select from ledger_entry group by posting, network, token having sum(units) <> 0')).toEqual(
    [],
  )
  expect(await world.query('select code, params from hold where closed_at is null')).toEqual([])
  expect(await world.query('select state from journal')).toEqual([{ state: 'running' }])
  await eventually(async () => (await wrongWallets(world)).length === 0, 'the ledger to agree with the chains', SLOW_MS)
}

async function wrongWallets(world: World): Promise<string[]> {
  const rows = await world.query<{ owner: string; network: string; token: string; units: string }>(
    "select owner, network, token, sum(units) as units from ledger_entry where account = 'wallet' group by 1, 2, 3",
  )
  const checked = rows.map(async ({ owner, network, token: key, units }) => {
    const token = world.sandbox.catalogue.network(network).tokens.find((one) => tokenKey(one) === key)
    const held = token ? await world.balance(token, owner) : null
    return `${held}` === units ? [] : [`${owner} on ${network} holds ${held} of ${key}, the books say ${units}`]
  })
  return (await Promise.all(checked)).flat()
}

it(
  'with two processes no request fails, no swap is lost and none is paid twice',
  async () => {
    const { world, users, start } = await openWorld()
    const [first, second] = [await start(previous), await start(previous)]
    expect(await migrationsIn(world)).toEqual(previousRelease().migrations)
    const balancer = await startBalancer(Number(world.sandbox.env.PORT), [first.url, second.url])
    stops.push(balancer.stop)
    const load = users.start()
    await load.untilPaid(3)
    const paths = ['/api/v2/networks', QUOTE, ...users.ids().map((id) => `/api/v2/swaps/${id}`)]
    const clients = keepAsking(world.sandbox.url, paths.slice(0, 4))

    // One after the other: at no time three processes that could sign.
    await balancer.use(second.url)
    await first.stop()
    const third = await start(PRESENT)
    expect(await migrationsIn(world)).toEqual(presentMigrations())
    // Both releases work on the new schema, and the old one signs.
    await balancer.use(second.url, third.url)
    await load.untilPaid(5)
    expect(second.ended()).toBeNull()
    await balancer.use(third.url)
    await second.stop()
    await load.untilPaid(3)
    const fourth = await start(PRESENT)
    await balancer.use(third.url, fourth.url)
    await load.untilPaid(3)

    const { asked, failures, longestGapMs } = await clients.end()
    await load.end()
    console.log(
      `two processes: ${asked} requests, ${failures.length} failed, longest wait ${Math.round(longestGapMs)} ms`,
    )
    expect([...failures, ...balancer.failed()]).toEqual([])
    await expectNothingLost(world, users)
    // The present release may have no migration of its own.
    await world.query("insert into kysely_migration (name, timestamp) values ('9999_newer', '') returning name")
    const refused = await command(previous, ['serve'], { ...world.sandbox.env, PORT: '0', INTERNAL_PORT: '0' })
    expect(refused).toMatchObject({ code: 1, printed: expect.stringContaining('was used by a newer version') })
  },
  SLOW_MS * 5,
)

it(
  'with one process the service is away for the time of a start',
  async () => {
    const { world, users } = await openWorld()
    const port = Number(world.sandbox.env.PORT)
    const old = await run(previous, world.sandbox.env, port)
    stops.push(old.stop)
    const load = users.start()
    await load.untilPaid(2)
    const clients = keepAsking(world.sandbox.url, ['/api/v2/networks', QUOTE])

    const migrated = await command(PRESENT, ['serve', '--migrate'], world.sandbox.env)
    expect(migrated).toEqual({ code: 0, printed: 'the database is up to date\n' })
    // The old process goes on.
    await load.untilPaid(2)
    const stopping = performance.now()
    await old.stop()
    const starting = performance.now()
    const present = await run(PRESENT, world.sandbox.env, port)
    const ready = performance.now()
    stops.push(present.stop)
    await load.untilPaid(2)

    const { longestGapMs } = await clients.end()
    await load.end()
    const [away, stopped, started] = [longestGapMs, starting - stopping, ready - starting].map((ms) =>
      (ms / 1000).toFixed(1),
    )
    console.log(`one process: away for ${away} s; the stop took ${stopped} s, the start ${started} s`)
    await expectNothingLost(world, users)
  },
  SLOW_MS * 5,
)
