/**
 * Builds the image and runs it as a container engine does, with Debian's buildah and runc: the image's own user, entry point and
 * environment, a read-only root, no capabilities, the host's network. Needs root and the packages that `PACKAGES` names.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { requirePrograms } from './programs.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const DOCKERFILE = 'deploy/Dockerfile'
const IMAGE = 'localhost/causeway-system-test'
/** Works without kernel support for overlays and without user namespaces. */
const ENV = { ...process.env, STORAGE_DRIVER: 'vfs', BUILDAH_ISOLATION: 'chroot' }

interface ImageConfig {
  User: string
  Env: string[]
  Entrypoint: string[]
  Cmd: string[]
  WorkingDir: string
  Volumes: Record<string, object>
  StopSignal: string
  Healthcheck: { Test: string[] }
}

export interface Image {
  config: ImageConfig
  run(command: readonly string[], options?: RunOptions): Container
  remove(): void
}

interface RunOptions {
  env?: Record<string, string>
  /** Files and folders of this machine that the container reads, at the same path. */
  readable?: readonly string[]
}

export interface Container {
  process: ChildProcess
  /** All that it printed so far. */
  output(): string
  ended: Promise<number | null>
  /** Runs another program in the same container; throws if it fails. */
  exec(command: readonly string[]): string
  signal(name: string): void
}

export function buildImage(): Image {
  requirePrograms({ buildah: 'buildah', mmdebstrap: 'mmdebstrap', runc: 'runc' })
  const base = /^FROM (\S+)/m.exec(readFileSync(path.join(ROOT, DOCKERFILE), 'utf8'))?.[1] ?? ''
  const suite = /-(\w+)-slim$/.exec(base)?.[1] ?? ''
  execFileSync(path.join(import.meta.dirname, 'base-image.sh'), [base, process.execPath, suite], shown)
  // The docker format keeps the health check; the OCI format has none.
  buildah('bud', '--quiet', '--layers', '--pull-never', '--format', 'docker', '-f', DOCKERFILE, '-t', IMAGE, '.')
  const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', IMAGE)) as { Docker: { config: ImageConfig } }
  const container = buildah('from', '--pull-never', IMAGE)
  const rootfs = buildah('mount', container)
  return {
    config: Docker.config,
    run: (command, options = {}) => start(rootfs, Docker.config, command, options),
    remove() {
      buildah('rm', container)
      buildah('rmi', IMAGE)
    },
  }
}

const shown = { cwd: ROOT, env: ENV, stdio: ['ignore', 'inherit', 'inherit'] as const } as Parameters<
  typeof execFileSync
>[2]

function buildah(...words: string[]): string {
  const stdio = ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe']
  return execFileSync('buildah', words, { cwd: ROOT, env: ENV, encoding: 'utf8', stdio, maxBuffer: 1e8 }).trim()
}

let started = 0

function start(rootfs: string, config: ImageConfig, command: readonly string[], options: RunOptions): Container {
  const { env = {}, readable = [] } = options
  const [uid, gid] = config.User.split(':').map(Number)
  if (!uid || !gid) throw new Error(`the image's user is not a number: ${config.User}`)
  const folder = mkdtempSync(path.join(os.tmpdir(), 'causeway-container-'))
  const volumes = Object.keys(config.Volumes).map((destination, index) => {
    const source = path.join(folder, `volume-${index}`)
    mkdirSync(source)
    chownSync(source, uid, gid)
    return { destination, source, type: 'none', options: ['rbind', 'rw'] }
  })
  const scratch = (destination: string, mode: string) => ({
    destination,
    type: 'tmpfs',
    source: 'tmpfs',
    options: ['nosuid', `mode=${mode}`],
  })
  const spec = {
    ociVersion: '1.0.2',
    process: {
      user: { uid, gid },
      args: command,
      cwd: config.WorkingDir,
      env: [...config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)],
      noNewPrivileges: true,
      capabilities: { bounding: [], effective: [], permitted: [] },
    },
    root: { path: rootfs, readonly: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      scratch('/dev', '755'),
      // Readable folders may be below /tmp: they are mounted after it.
      scratch('/tmp', '1777'),
      ...volumes,
      ...readable.map((place) => ({ destination: place, source: place, type: 'none', options: ['rbind', 'ro'] })),
    ],
    linux: { namespaces: [{ type: 'mount' }, { type: 'pid' }, { type: 'ipc' }] },
  }
  writeFileSync(path.join(folder, 'config.json'), JSON.stringify(spec))
  const id = `causeway-test-${process.pid}-${++started}`
  const child = spawn('runc', ['run', '--bundle', folder, id], { stdio: ['ignore', 'pipe', 'pipe'] })
  const printed: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => printed.push(`${text}`))
  return {
    process: child,
    output: () => printed.join(''),
    ended: new Promise((resolve) => child.once('close', resolve)),
    exec: (words) => execFileSync('runc', ['exec', id, ...words], { encoding: 'utf8', stdio: 'pipe' }),
    signal: (name) => execFileSync('runc', ['kill', id, name]),
  }
}
