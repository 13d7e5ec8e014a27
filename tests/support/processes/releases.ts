/** Releases as they are installed: a commit in a folder of its own, and its processes, started by the command of docs/operate/install.md. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { freePort } from '../../../devnet/src/ports.ts'
import { eventually } from '../runner/eventually.ts'

export const PRESENT = path.join(import.meta.dirname, '../../..')
const LOCK = 'package-lock.json'
/** Importing everything on two busy cores. */
const START_MS = 120_000

interface Installed {
  folder: string
  remove(): Promise<void>
}

/** The files of a commit, with this checkout's packages, or with its own if it locks others. */
export async function install(commit: string): Promise<Installed> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'causeway-release-'))
  const archive = execFileSync('git', ['archive', commit], { cwd: PRESENT, maxBuffer: 1e9 })
  execFileSync('tar', ['-x'], { cwd: folder, input: archive })
  const lockOf = (root: string) => readFile(path.join(root, LOCK), 'utf8')
  if ((await lockOf(folder)) === (await lockOf(PRESENT))) await borrowPackages(folder)
  else execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts'], { cwd: folder, stdio: 'inherit' })
  return { folder, remove: () => rm(folder, { recursive: true }) }
}

/** Links to the packages of others; our own packages must be those of the folder. */
async function borrowPackages(folder: string): Promise<void> {
  const lock = JSON.parse(await readFile(path.join(folder, LOCK), 'utf8')) as { packages: Record<string, unknown> }
  const nested = Object.keys(lock.packages).flatMap((place) => /^([^/].*\/node_modules)\//.exec(place)?.[1] ?? [])
  const places = new Set(['node_modules', ...nested.filter((place) => !place.startsWith('node_modules/'))])
  for (const place of places) {
    const from = path.join(PRESENT, place)
    await mkdir(path.join(folder, place), { recursive: true })
    for (const name of await readdir(from).catch(() => []))
      if (name !== '@causeway') await symlink(path.join(from, name), path.join(folder, place, name))
  }
  const ours = 'node_modules/@causeway'
  await mkdir(path.join(folder, ours))
  for (const name of await readdir(path.join(PRESENT, ours)))
    await symlink(await readlink(path.join(PRESENT, ours, name)), path.join(folder, ours, name))
}

export interface Running {
  url: string
  /** How it ended, or null while it runs. */
  ended(): string | null
  /** SIGTERM, as systemd stops it. */
  stop(): Promise<void>
}

/** Starts the service of a folder, and resolves when it is ready. `port`: any free one if absent. */
export async function run(folder: string, env: Readonly<Record<string, string>>, port?: number): Promise<Running> {
  const [PORT, INTERNAL_PORT] = [port ?? (await freePort('127.0.0.1')), await freePort('127.0.0.1')].map(String)
  const child = start(folder, ['serve'], { ...env, PORT: `${PORT}`, INTERNAL_PORT: `${INTERNAL_PORT}` })
  const isGone = () => child.exitCode !== null || child.signalCode !== null
  await eventually(
    async () => isGone() || (await fetch(`http://127.0.0.1:${INTERNAL_PORT}/ready`)).ok,
    'the service to be ready',
    START_MS,
  )
  if (isGone()) throw new Error(`the service of ${folder} ended with ${child.exitCode ?? child.signalCode}`)
  return {
    url: `http://127.0.0.1:${PORT}`,
    ended: () => (isGone() ? `${child.exitCode ?? child.signalCode}` : null),
    async stop() {
      if (isGone()) return
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}

/** Runs a command of a folder to its end. Returns its exit code and what it printed. */
export async function command(
  folder: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; printed: string }> {
  const child = start(folder, words, env, 'pipe')
  const printed: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => printed.push(`${text}`))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, printed: printed.join('') }
}

function start(
  folder: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  output: 'inherit' | 'pipe' = 'inherit',
): ChildProcess {
  return spawn(process.execPath, ['server/launch.mjs', ...words], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
  })
}
