/** PgBouncer in front of Debian's PostgreSQL: session mode works, transaction mode is refused in one line. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { freePort } from '../../devnet/src/ports.ts'
import { startPostgres } from '../../devnet/src/postgres.ts'
import { openPool } from '../../server/src/store/db/database.ts'
import { actionOf, startWorld, unitsOf } from '../support/processes/world.ts'
import { eventually } from '../support/runner/eventually.ts'
import { debianPrograms } from '../support/service/backup.ts'
import { requirePrograms } from './programs.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

/** A fresh database behind a PgBouncer; the URL goes through it. */
async function startPooled(mode: 'session' | 'transaction'): Promise<{ url: string; stop(): Promise<void> }> {
  const { pgbouncer } = requirePrograms({ pgbouncer: 'pgbouncer' })
  const programs = await debianPrograms()
  if (!programs) throw new Error('missing: apt-get install postgresql')
  const postgres = await startPostgres({ programs })
  const direct = new URL(await postgres.createDatabase())
  const folder = await mkdtemp(path.join(os.tmpdir(), 'causeway-pgbouncer-'))
  await chmod(folder, 0o755)
  const port = await freePort('127.0.0.1')
  const users = path.join(folder, 'users.txt')
  const file = path.join(folder, 'pgbouncer.ini')
  await writeFile(users, `"${direct.username}" "${direct.password}"\n`)
  await writeFile(
    file,
    `[databases]
* = host=127.0.0.1 port=${direct.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = 100
max_client_conn = 200
`,
  )
  // It refuses to run as root.
  const bouncer: ChildProcess = spawn(pgbouncer, process.getuid?.() === 0 ? ['-u', 'postgres', file] : [file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const printed: string[] = []
  bouncer.stderr?.on('data', (text) => printed.push(`${text}`))
  await eventually(async () => printed.join('').includes('process up'), 'PgBouncer to start')
  const url = new URL(direct)
  url.port = `${port}`
  url.searchParams.delete('host')
  return {
    url: url.href,
    async stop() {
      const ended = once(bouncer, 'exit')
      bouncer.kill('SIGTERM')
      await ended
      await postgres.stop()
    },
  }
}

it('in session mode the service swaps', async () => {
  const world = await startWorld({}, true, ['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA'], undefined, () =>
    startPooled('session'),
  )
  stops.push(world.stop)
  const usdc = world.token('BASE_SEPOLIA', 'USDC')
  const recipient = world.stranger()
  const swap = await world.client.create({
    source_network: 'ETHEREUM_SEPOLIA',
    source_token: 'ETH',
    destination_network: 'BASE_SEPOLIA',
    destination_token: 'USDC',
    destination_address: recipient,
    amount: 0.05,
  })
  await world.deposit(world.token('ETHEREUM_SEPOLIA', 'ETH'), actionOf(swap))
  await world.client.reaches(swap.swap.id, 'completed')
  expect(await world.balance(usdc, recipient)).toBe(unitsOf(swap.quote.receive_amount, usdc))
  // The pooler passes the timeouts on.
  const pool = openPool(world.sandbox.databaseUrl, 1)
  stops.push(() => pool.end())
  expect((await pool.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '30s' }])
}, 180_000)

it('transaction mode is refused at the start, in one line', async () => {
  const world = await startWorld({}, false, ['ETHEREUM_SEPOLIA'], undefined, () => startPooled('transaction'))
  stops.push(world.stop)
  for (const words of [['serve'], ['admin', 'app', 'list']]) {
    const service = spawn(process.execPath, ['server/launch.mjs', ...words], {
      cwd: ROOT,
      env: { ...process.env, ...world.sandbox.env, INTERNAL_PORT: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const printed: string[] = []
    service.stderr.on('data', (text) => printed.push(`${text}`))
    const [code] = await once(service, 'close')
    expect([code, printed.join('')]).toEqual([
      1,
      expect.stringMatching(/^[^\n]*is behind a pooler that shares connections between transactions: [^\n]*\n$/),
    ])
  }
}, 180_000)
