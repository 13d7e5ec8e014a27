/**
 * A PostgreSQL that is made to fail as real ones do: it is killed, put back to an older copy, restored from a dump, or replaced by a
 * standby. Unlike the other databases of tests it syncs to disk. A proxy keeps its URL.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../../../devnet/src/ports.ts'
import { type Postgres, startPostgres } from '../../../devnet/src/postgres.ts'
import { debianPrograms } from '../service/backup.ts'
import { addSchema } from './database.ts'

const run = promisify(execFile)
const HOST = '127.0.0.1'
const NAME = 'causeway'
const RESTORED = 'causeway_restored'

export interface FailingCluster {
  /** Stays the same whatever happens to the servers. */
  url: string
  query<Row extends object>(sql: string): Promise<Row[]>
  /** A dump of the database; the returned function restores it into the same cluster, in place of the database. */
  dump(): Promise<() => Promise<void>>
  /** A copy of the files while the server runs; the returned function kills the server and starts it on the copy. */
  snapshot(): Promise<() => Promise<void>>
  /** A standby that follows. `isSynchronous`: no commit without it. */
  addStandby(isSynchronous: boolean): Promise<Standby>
  stop(): Promise<void>
}

interface Standby {
  /** Its own address; reads are answered while it follows. */
  url: string
  /** It gets nothing more from the primary. */
  freeze(): Promise<void>
  /** Kills the primary and makes the standby the database. */
  promote(): Promise<void>
}

interface Server {
  postgres: Postgres
  folder: string
  url: string
}

export async function startFailingCluster(): Promise<FailingCluster> {
  const programs = await debianPrograms()
  const base = await mkdtemp(path.join(os.tmpdir(), 'causeway-cluster-'))
  await run('chmod', ['755', base])
  let made = 0
  const nextFolder = () => path.join(base, `server-${++made}`)
  const start = async (folder: string, settings: Record<string, string> = {}): Promise<Server> => {
    const postgres = await startPostgres({ folder, settings, ...(programs ? { programs } : {}) })
    return { postgres, folder, url: settings.primary_conninfo ? '' : await postgres.openDatabase(NAME) }
  }
  let server = await start(nextFolder())
  await addSchema(server.url)
  const proxy = await startProxy(() => portOf(server.url))
  const ask = async <Row extends object>(url: string, ...statements: string[]): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => undefined)
    await client.connect()
    try {
      let rows: Row[] = []
      for (const statement of statements) rows = (await client.query<Row>(statement)).rows
      return rows
    } finally {
      await client.end()
    }
  }
  return {
    url: withPort(server.url, proxy.port),
    query: (sql) => ask(server.url, sql),
    async dump() {
      const restore = programs ? await dumpBy(programs, path.join(base, 'dump')) : await copyOf()
      return async () => {
        await ask(databaseAt(server.url, 'postgres'), `create database ${RESTORED} template template0`).catch(() => [])
        await restore()
        await ask(
          databaseAt(server.url, 'postgres'),
          `alter database ${NAME} with allow_connections false`,
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${NAME}'`,
          `alter database ${NAME} rename to ${NAME}_lost`,
          `alter database ${RESTORED} rename to ${NAME}`,
        )
      }
    },
    async snapshot() {
      const copy = await copyFiles()
      return async () => {
        await kill(server)
        server = await start(copy)
      }
    },
    async addStandby(isSynchronous) {
      const folder = await copyFiles()
      await addFile(folder, 'standby.signal', '')
      const { username, password, port } = new URL(server.url)
      const conninfo = `host=${HOST} port=${port} user=${username} password=${password}`
      // Without a timeout: a standby that was cut off must not connect again.
      const standby = await start(folder, { primary_conninfo: conninfo, wal_receiver_timeout: '0' })
      const following = "select pid from pg_stat_replication where state = 'streaming'"
      while ((await ask(server.url, following)).length === 0) await sleepBriefly()
      if (isSynchronous) {
        await ask(server.url, "alter system set synchronous_standby_names = '*'", 'select pg_reload_conf()')
        while ((await ask(server.url, `${following} and sync_state = 'sync'`)).length === 0) await sleepBriefly()
      }
      const own = new URL(server.url)
      own.port = (await readFile(path.join(folder, 'data/postmaster.pid'), 'utf8')).split('\n')[3] ?? ''
      return {
        url: own.href,
        async freeze() {
          for (const { pid } of await ask<{ pid: number }>(server.url, following)) process.kill(pid, 'SIGSTOP')
        },
        async promote() {
          await kill(server)
          await ask(databaseAt(own.href, 'postgres'), 'select pg_promote()')
          await ask(
            databaseAt(own.href, 'postgres'),
            "alter system set synchronous_standby_names = ''",
            'select pg_reload_conf()',
          )
          server = { ...standby, url: own.href }
        },
      }
    },
    async stop() {
      await proxy.stop()
      await server.postgres.stop()
      await rm(base, { recursive: true, force: true })
    },
  }

  /** Copies the files while the server runs, as pg_basebackup does. The copy starts as of the end of the copying. */
  async function copyFiles(): Promise<string> {
    const folder = nextFolder()
    const [from, to] = [server.folder, folder].map((one) => path.join(one, 'data')) as [string, string]
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    try {
      await client.query("select pg_backup_start('copy', true)")
      await copyLive(server.folder, folder)
      const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
      await copyLive(`${from}/pg_wal/.`, path.join(to, 'pg_wal'))
      await rm(path.join(to, 'postmaster.pid'))
      await addFile(folder, 'backup_label', rows[0]?.labelfile ?? '')
    } finally {
      await client.end()
    }
    return folder
  }

  async function dumpBy(folder: string, file: string): Promise<() => Promise<void>> {
    await run(path.join(folder, 'bin/pg_dump'), ['--format=custom', `--file=${file}`, server.url])
    return async () => {
      const target = databaseAt(server.url, RESTORED)
      await run(path.join(folder, 'bin/pg_restore'), ['--exit-on-error', `--dbname=${target}`, file])
    }
  }

  /** Without Debian's programs. */
  async function copyOf(): Promise<() => Promise<void>> {
    const admin = databaseAt(server.url, 'postgres')
    await ask(
      admin,
      `alter database ${NAME} with allow_connections false`,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${NAME}'`,
      `create database ${RESTORED} template ${NAME}`,
      `alter database ${NAME} with allow_connections true`,
    )
    return async () => undefined
  }
}

/** The server may remove files meanwhile; the write-ahead log makes up for them. */
async function copyLive(from: string, to: string): Promise<void> {
  await run('cp', ['-a', from, to]).catch((error: { stderr?: string }) => {
    const lines = (error.stderr ?? '').split('\n').filter(Boolean)
    if (lines.length === 0 || !lines.every((line) => line.includes('No such file'))) throw error
  })
}

/** Into the data folder, with its owner. */
async function addFile(folder: string, name: string, text: string): Promise<void> {
  const data = path.join(folder, 'data')
  await writeFile(path.join(data, name), text)
  await run('chown', [`--reference=${data}`, path.join(data, name)])
}

/** As a power failure does: the server and all its processes at once. */
async function kill({ folder, postgres }: Server): Promise<void> {
  const [pid = ''] = (await readFile(path.join(folder, 'data/postmaster.pid'), 'utf8')).split('\n')
  const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', pid]).catch(() => ({ stdout: '' }))
  for (const one of [pid, ...stdout.split(/\s+/).filter(Boolean)]) {
    try {
      process.kill(Number(one), 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  await postgres.stop()
}

async function startProxy(target: () => number): Promise<{ port: number; stop(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const onward = connect(target(), HOST)
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  const port = await freePort(HOST)
  await new Promise<void>((resolve) => server.listen(port, HOST, resolve))
  return {
    port,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}

function withPort(url: string, port: number): string {
  const other = new URL(url)
  other.port = `${port}`
  return other.href
}

function databaseAt(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

function sleepBriefly(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50))
}
