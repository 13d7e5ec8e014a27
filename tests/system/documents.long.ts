/**
 * The operator's documents, followed literally: the commands of their marked blocks run as printed there, from an empty PostgreSQL of
 * Debian to a restored service. A block is marked by `<!-- documents-test: NAME -->`. Only what an operator replaces is replaced:
 * names, addresses, ids, amounts and ports.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Token } from '@causeway/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../devnet/src/ports.ts'
import { startDatabase } from '../support/database/database.ts'
import { actionOf, startWorld, type World } from '../support/processes/world.ts'
import { eventually } from '../support/runner/eventually.ts'
import { debianPrograms } from '../support/service/backup.ts'
import { type Client, clientOf, type WireSwap } from '../support/service/client.ts'
import { requirePrograms } from './programs.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const DOCS = path.join(ROOT, 'docs/operate')
const SLOW_MS = 300_000
const [FROM, TO] = ['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA'] as const
const COLD = `0x${randomBytes(20).toString('hex')}`
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/

requirePrograms({ openssl: 'openssl', pg_dump: 'postgresql', pg_restore: 'postgresql' })

/** The text of a marked block. */
function block(name: string): string {
  const found = readdirSync(DOCS).flatMap((file) => {
    const text = readFileSync(path.join(DOCS, file), 'utf8')
    return [...text.matchAll(/<!-- documents-test: (\S+) -->\n```\w+\n([\s\S]*?)```/g)]
      .filter(([, own]) => own === name)
      .map(([, , inside = '']) => inside)
  })
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} blocks ${name} in docs/operate`)
  return found[0]
}

/** The block with an operator's own values in place of the document's. A value that is not there is a fault of the document. */
function filled(name: string, values: Record<string, string> = {}): string {
  let text = block(name)
  for (const [from, to] of Object.entries(values)) {
    if (!text.includes(from)) throw new Error(`the block ${name} does not say ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}

let folder: string
let world: World
let database: Awaited<ReturnType<typeof startDatabase>>
let env: Record<string, string>
let client: Client
const running: { name: string; process: ChildProcess; printed(): string }[] = []

beforeAll(async () => {
  // An install whose files are links, so that what the commands write stays out of the repository.
  folder = mkdtempSync(path.join(os.tmpdir(), 'causeway-documents-'))
  for (const name of readdirSync(ROOT)) {
    if (!name.startsWith('.')) symlinkSync(path.join(ROOT, name), path.join(folder, name))
  }
  const programs = await debianPrograms()
  if (!programs) throw new Error('missing: apt-get install postgresql')
  database = await startDatabase(undefined, programs)
  const url = await database.createEmpty()
  world = await startWorld({}, false, [FROM, TO], undefined, async () => ({ url, stop: async () => undefined }))
  const port = async () => `${await freePort('127.0.0.1')}`
  const { NETWORKS = '', PRICES_FILE = '' } = world.sandbox.env
  const nodes = Object.entries(world.sandbox.env).filter(([name]) => name.startsWith('NODES_'))
  env = {
    ...{ PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`, HOME: folder },
    ...{ DATABASE_URL: url, NETWORKS, PRICES_FILE, ENVIRONMENT: 'testnet' },
    ...{ PORT: await port(), INTERNAL_PORT: await port(), SIGNER_PORT: await port() },
    ...{ DATA_FOLDER: path.join(folder, 'data'), SWEEP_INTERVAL_SECONDS: '10', OPERATOR_KEY_FILE: 'ada.pem' },
    ...Object.fromEntries(nodes),
  }
  client = clientOf(`http://127.0.0.1:${env.PORT}`)
}, SLOW_MS)

afterAll(async () => {
  await stop(...running.map(({ name }) => name))
  await world?.stop()
  await database?.stop()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

/** Runs the lines of a shell as an operator types them; returns what they print. Throws at the first that fails. */
async function sh(text: string, more: Record<string, string> = {}): Promise<string> {
  // The local chains run in this process, so it must not block.
  const options = { cwd: folder, env: { ...env, ...more }, maxBuffer: 1e8 }
  const { error, out, err } = await new Promise<{ error: Error | null; out: string; err: string }>((resolve) => {
    execFile('bash', ['-euo', 'pipefail', '-c', text], options, (error, out, err) => resolve({ error, out, err }))
  })
  if (error) throw new Error(`${text}\nfailed:\n${out}${err}`)
  return out
}

/** Starts the lines of a shell as a supervisor does, and waits until they print this. */
async function start(name: string, text: string, until: string, more: Record<string, string> = {}): Promise<void> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', `exec env ${text.replaceAll('\\\n', ' ').trim()}`], {
    ...{ cwd: folder, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] },
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (printed) => lines.push(`${printed}`))
  running.push({ name, process: child, printed: () => lines.join('') })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${name} ended with ${code}:\n${lines.join('')}`)
  })
  await Promise.race([
    eventually(async () => lines.join('').includes(until), `${name} to print ${until}`, SLOW_MS),
    ended,
  ])
}

async function stop(...names: string[]): Promise<void> {
  for (const one of running.filter(({ name }) => names.includes(name))) {
    const ended = once(one.process, 'exit')
    one.process.kill('SIGTERM')
    await ended
    running.splice(running.indexOf(one), 1)
  }
}

/** The last line of a block that is one command. */
const lines = (text: string) =>
  text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
const line = (name: string, contains: string, values: Record<string, string> = {}) => {
  const found = lines(filled(name, values)).find((one) => one.includes(contains))
  if (!found) throw new Error(`the block ${name} has no line with ${contains}`)
  return found
}

const usdc = (network: string) => world.token(network, 'USDC')
const idIn = (text: string, after: RegExp) => {
  const row = text.split('\n').find((one) => after.test(one)) ?? ''
  const [id] = UUID.exec(row) ?? []
  if (!id) throw new Error(`no id in the line with ${after}:\n${text}`)
  return id
}

async function create(
  amount: number,
  more: Record<string, unknown> = {},
): Promise<{ swap: WireSwap; recipient: string }> {
  const recipient = world.stranger()
  const body = {
    ...{ source_network: FROM, source_token: 'USDC', destination_network: TO, destination_token: 'USDC' },
    ...{ destination_address: recipient, amount, ...more },
  }
  const swap = await eventually(() => client.create(body), 'a swap to be created', SLOW_MS)
  return { swap, recipient }
}

const pay = (swap: WireSwap) => world.deposit(usdc(FROM), actionOf(swap))

/** The printed commands of the signer's machine, on this machine's port. */
const signer = () =>
  filled('signer', {
    '/var/lib/signer/journal': path.join(folder, 'signer-journal'),
    'networks/mainnet': env.NETWORKS ?? '',
  })
const service = { SIGNER: 'remote', SIGNER_TOKEN_FILE: 'signer-token.txt' }

it(
  'keys: a keystore, a token and a policy, and the signer prints its wallets, which are funded',
  async () => {
    expect(await sh(filled('keystore', { mainnet: 'testnet' }))).toContain('the keystore opens with this password')
    await sh(filled('signer-token'))
    const approver = async (file: string) =>
      /^ {2}([0-9a-f]{64})$/m.exec(await sh(filled('approver', { 'approver.pem': file })))?.[1] ?? ''
    const keys = { '9f3c…': await approver('approver.pem'), '04ab…': await approver('ben.pem') }
    const { networks, ...policy } = JSON.parse(filled('policy', keys))
    const [rules] = Object.values(networks)
    // An operator who follows the document lists their own networks; approvals are asked for above 50 USDC here.
    const own = JSON.parse(JSON.stringify(rules).replace('"approval_above":"5000"', '"approval_above":"50"'))
    const written = { ...policy, networks: { [FROM]: own, [TO]: { ...own, withdrawals: [COLD] } } }
    writeFileSync(path.join(folder, 'policy.json'), JSON.stringify(written))
    const wallets = await sh(`${signer().trim()} -- check`)
    for (const network of [FROM, TO]) {
      const address = new RegExp(`${network}.*?(0x[0-9a-fA-F]{40})`).exec(wallets)?.[1]
      if (!address) throw new Error(`no wallet of ${network}:\n${wallets}`)
      const fund = (token: Token, whole: bigint) =>
        world.devnet(network).fund(token, address, whole * 10n ** BigInt(token.decimals))
      await fund(usdc(network), 10_000n)
      await fund(world.token(network, 'ETH'), 50n)
    }
    await start('signer', signer(), 'signer started')
  },
  SLOW_MS,
)

it(
  'the service: people, split roles, and a doctor that finds nothing',
  async () => {
    env.SIGNER_URL = `http://127.0.0.1:${env.SIGNER_PORT}`
    expect(filled('service')).toContain(
      'SIGNER=remote SIGNER_URL=http://127.0.0.1:8790 SIGNER_TOKEN_FILE=signer-token.txt npm run serve',
    )
    Object.assign(env, service)
    const { OPERATOR_KEY_FILE: _, ...own } = env
    env = own
    const keys = lines(filled('people'))
    await sh(keys[0] ?? '')
    await sh((keys[0] ?? '').replaceAll('ada', 'bob'))
    await sh(keys.slice(1).join('\n'))
    env.OPERATOR_KEY_FILE = 'ada.pem'
    await start(
      'work',
      line('roles', 'ROLES=watch,work', { 8082: `${await freePort('127.0.0.1')}` }),
      'service started',
    )
    await start('api', line('roles', 'ROLES=api'), 'service started')
    await eventually(async () => (await sh('npm run admin -- wallet list')).includes(TO), 'the wallets', SLOW_MS)
    const said = await sh(filled('doctor', { BASE_MAINNET: FROM, ETHEREUM_MAINNET: TO, '/ETH': '/USDC' }))
    expect(said).not.toMatch(/^\s*fail/m)
    expect(said).toMatch(/^\s*ok/m)
  },
  SLOW_MS,
)

it(
  'a swap is paid',
  async () => {
    const { swap, recipient } = await create(20)
    await pay(swap)
    await client.reaches(swap.swap.id, 'completed')
    expect(await world.balance(usdc(TO), recipient)).toBeGreaterThan(19_000_000n)
  },
  SLOW_MS,
)

it(
  'a payout above a limit is held, and paid when it is approved',
  async () => {
    await sh(line('hold', 'limit set', { 5000: '30' }))
    const { swap } = await create(40)
    await pay(swap)
    const held = await eventually(
      async () => {
        const printed = await sh(line('hold', 'payout held'))
        return printed.includes(swap.swap.id) ? printed : undefined
      },
      'the payout to be held',
      SLOW_MS,
    )
    const [payoutId = '', , holdId = ''] = [
      ...(held
        .split('\n')
        .find((row) => row.includes(swap.swap.id))
        ?.matchAll(new RegExp(UUID, 'g')) ?? []),
    ].map(String)
    await sh(line('hold', 'payout approve', { PAYOUT_ID: payoutId, HOLD_ID: holdId }))
    await client.reaches(swap.swap.id, 'completed')
  },
  SLOW_MS,
)

it(
  'a payout above the signer’s limit needs a signature of an approver',
  async () => {
    await sh('npm run admin -- limit clear --kind approval_above --scope service')
    const { swap } = await create(80)
    await pay(swap)
    const printed = await eventually(
      async () => {
        const found = await sh(line('hold', 'payout held'))
        return found.includes('approval') && found.includes(swap.swap.id) ? found : undefined
      },
      'the payout to be held by the signer',
      SLOW_MS,
    )
    const [PAYOUT_ID = '', , HOLD_ID = ''] = [
      ...(printed
        .split('\n')
        .find((row) => row.includes(swap.swap.id))
        ?.matchAll(new RegExp(UUID, 'g')) ?? []),
    ].map(String)
    const [text = '', sign = '', approve = ''] = lines(filled('approval', { PAYOUT_ID, HOLD_ID }))
    await sh(text)
    const signature = (await sh(sign)).trim().split('\n').at(-1)?.trim() ?? ''
    await sh(approve.replace('SIGNATURE', signature))
    await client.reaches(swap.swap.id, 'completed')
  },
  SLOW_MS,
)

it(
  'owed and unmatched money is refunded',
  async () => {
    const to = world.stranger()
    const wallets = await sh('npm run admin -- wallet list')
    const wallet = new RegExp(`${FROM}.*?(0x[0-9a-fA-F]{40})`).exec(wallets)?.[1] ?? ''
    await world.devnet(FROM).transfer(world.account(FROM, 0), usdc(FROM), wallet, 15_000_000n)
    await world.devnet(FROM).mine(FROM, 20)
    const listed = await eventually(
      async () => {
        const printed = await sh(line('refund', 'unmatched list'))
        return UUID.test(printed) && printed.includes('confirmed') ? printed : undefined
      },
      'the unmatched deposit',
      SLOW_MS,
    )
    expect(await sh(line('refund', 'swap list'))).toContain('nothing is owed')
    await sh(line('refund', 'unmatched refund', { DEPOSIT_ID: idIn(listed, /confirmed/), ADDRESS: to }))
    await eventually(
      async () => {
        await world.devnet(FROM).mine(FROM, 5)
        return (await world.balance(usdc(FROM), to)) > 0n
      },
      'the refund',
      SLOW_MS,
    )
  },
  SLOW_MS,
)

it(
  'funding is announced, money is withdrawn to a listed address, and a rotation is practised',
  async () => {
    const values = { ETHEREUM_MAINNET: TO, '0x…': world.stranger() }
    await sh(filled('funding', { ...values, 25000: '100' }))
    expect(await sh('npm run admin -- funding list')).toContain('100 USDC')
    await sh(line('withdrawal', 'withdrawal add', { ...values, '0x…': COLD }))
    const withdrawal = line('withdrawal', 'wallet withdraw', { ...values, 25000: '40', '0x…': COLD })
    // Refused until the wallet's balance was compared with the ledger for the first time.
    await eventually(() => sh(withdrawal), 'the withdrawal to be ordered', SLOW_MS)
    await eventually(async () => (await world.balance(usdc(TO), COLD)) === 40_000_000n, 'the withdrawal', SLOW_MS)
    expect((await sh(line('withdrawal', 'payout list'))).toLowerCase()).toContain(COLD)
    expect(await sh(`npm run admin -- wallet rotate --network ${TO}`)).toContain('0x')
  },
  SLOW_MS,
)

it(
  'a backup is restored, and what was paid since is in the signer’s journal',
  async () => {
    await sh(filled('backup'))
    const { swap, recipient } = await create(20)
    await pay(swap)
    await client.reaches(swap.swap.id, 'completed')
    const paid = await world.balance(usdc(TO), recipient)
    await stop('api', 'work')
    const NEW_DATABASE_URL = await database.createEmpty()
    await sh(filled('restore'), { NEW_DATABASE_URL })
    env.DATABASE_URL = NEW_DATABASE_URL
    const applied = await eventually(
      async () => {
        await sh('npm run admin -- restore')
        return await sh('npm run admin -- restore --apply')
      },
      'the restore',
      SLOW_MS,
    )
    expect(applied).not.toContain('NOT DONE')
    await start(
      'work',
      line('roles', 'ROLES=watch,work', { 8082: `${await freePort('127.0.0.1')}` }),
      'service started',
    )
    await start('api', line('roles', 'ROLES=api'), 'service started')
    await sh(`${signer().trim()} -- resume`)
    await sh('npm run admin -- restore --resume')
    const next = await create(20)
    await pay(next.swap)
    await client.reaches(next.swap.swap.id, 'completed')
    expect(await world.balance(usdc(TO), recipient), 'paid once').toBe(paid)
  },
  SLOW_MS,
)
