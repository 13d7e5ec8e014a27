/**
 * `deploy/ha`: etcd, two Patroni nodes with a synchronous standby, HAProxy, all of Debian. The primary dies under load. No swap is lost or
 * paid twice, and payouts go on within half a minute, without a person.
 */
import { type ChildProcess, execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ended, serve } from '../support/processes/crashing.ts'
import { openUsers, SLOW_MS, type Users } from '../support/processes/users.ts'
import { startWorld, type World } from '../support/processes/world.ts'
import { eventually } from '../support/runner/eventually.ts'
import { requirePrograms } from './programs.ts'

const SCRIPT = path.join(import.meta.dirname, '../../deploy/ha/cluster.sh')
const [FROM, TO] = ['ETHEREUM_SEPOLIA', 'ARBITRUM_SEPOLIA'] as const
/** The promise of docs/operate/ha.md. */
const MOST_PAUSED_MS = 30_000

requirePrograms({ patroni: 'patroni', etcd: 'etcd-server', haproxy: 'haproxy', psql: 'postgresql', curl: 'curl' })
// PostgreSQL runs as another user, who must reach the folder.
const folder = path.join(mkdtempSync('/tmp/causeway-ha-'), 'cluster')
const cluster = (...words: string[]) =>
  execFileSync(SCRIPT, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

let world: World
let users: Users
let service: ReturnType<typeof supervise>
let pool: pg.Pool

beforeAll(async () => {
  execFileSync('chmod', ['755', path.dirname(folder)])
  const printed = cluster('start', folder)
  const url = /^DATABASE_URL=(.+)$/m.exec(printed)?.[1] ?? ''
  const readUrl = /^DATABASE_READ_URL=(.+)$/m.exec(printed)?.[1] ?? ''
  pool = new pg.Pool({ connectionString: url, max: 1 })
  pool.on('error', () => undefined)
  const journal = mkdtempSync(path.join(tmpdir(), 'causeway-ha-journal-'))
  const database = async () => ({ url, stop: async () => undefined })
  world = await startWorld(
    { STUCK_AFTER_SECONDS: '3', JOURNAL_FOLDER: journal },
    false,
    [FROM, TO],
    undefined,
    database,
  )
  users = openUsers(world, FROM, TO)
  service = supervise({ DATABASE_READ_URL: readUrl })
  await users.pay(0)
}, SLOW_MS * 2)
afterAll(async () => {
  await service?.stop()
  await world?.stop()
  await pool?.end()
  cluster('stop', folder)
}, SLOW_MS)

/** Starts the service again whenever it ends, as systemd does. */
function supervise(more: Record<string, string>) {
  let isOver = false
  let child: ChildProcess | null = null
  let listeningAt = 0
  const run = async () => {
    while (!isOver) {
      child = await serve(world, undefined, more).catch(() => null)
      listeningAt = Date.now()
      if (child) await ended(child)
    }
  }
  const running = run()
  return {
    listeningAt: () => listeningAt,
    async stop() {
      isOver = true
      child?.kill('SIGKILL')
      await running
    },
  }
}

async function rows<Row extends object>(sql: string): Promise<Row[]> {
  return (await pool.query<Row>(sql)).rows
}

/** The node behind the port of the primary. */
async function primary(): Promise<string> {
  const [row] = await rows<{ port: number }>('select inet_server_port() as port')
  return `node${(Number(row?.port) - 25_002) / 2}`
}

/** Whether Patroni says that the node has every commit before it is acknowledged. */
async function isSynchronous(node: string): Promise<boolean> {
  const port = 25_003 + 2 * Number(node.slice('node'.length))
  return (await fetch(`http://127.0.0.1:${port}/synchronous`).catch(() => null))?.status === 200
}

/** How long after this moment the first payout was signed. Exact: both clocks are this machine's. */
async function pausedMs(since: Date): Promise<number> {
  return eventually(
    async () => {
      const [row] = await rows<{ at: Date | null }>(
        `select min(created_at) as at from attempt where created_at > '${since.toISOString()}'`,
      ).catch(() => [])
      return row?.at ? row.at.getTime() - since.getTime() : undefined
    },
    'a payout after the failover',
    SLOW_MS,
  )
}

it(
  'the primary dies under load: no swap is lost or paid twice, and payouts pause for less than 30 s',
  async () => {
    for (const round of [1, 2]) {
      const load = users.start()
      await load.untilPaid(2)
      const dying = await primary()
      const at = new Date()
      cluster('kill', folder, dying)
      const paused = await pausedMs(at)
      await load.untilPaid(3)
      await load.end()
      const [listening, signed] = [service.listeningAt() - at.getTime(), paused].map((ms) => (ms / 1000).toFixed(1))
      console.log(
        `${round}: ${dying} killed; the service listened after ${listening} s, and signed a payout after ${signed} s`,
      )
      expect(paused).toBeLessThan(MOST_PAUSED_MS)
      expect(await primary()).not.toBe(dying)
      // No swap that was made for a client is lost.
      const known = (await rows<{ id: string }>('select id from swap')).map(({ id }) => id)
      expect(known).toEqual(expect.arrayContaining(users.ids()))
      await users.expectPaid(users.ids())
      expect(await rows('select state from journal')).toEqual([{ state: 'running' }])
      // The dead node comes back as the standby, and every commit waits for it again.
      cluster('node', folder, dying)
      await eventually(() => isSynchronous(dying), 'the synchronous standby', SLOW_MS)
    }
  },
  SLOW_MS * 5,
)
