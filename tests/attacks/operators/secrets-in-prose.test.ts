/** Attack B4, in prose: a secret that is pasted into a note, a reason or a name is stored in no table and logged nowhere. */
import { createHash } from 'node:crypto'
import { Writable } from 'node:stream'
import { fastify } from 'fastify'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandFor, helpFor, runCommand } from '../../../server/src/admin/cli/run.ts'
import { rememberDualControl } from '../../../server/src/store/operators/operators.ts'
import { startApi, type TestApi } from '../../support/service/api.ts'
import { openConsole, post, type TestConsole } from '../../support/service/console.ts'

let api: TestApi
let desk: TestConsole
let later = 0
const logged: string[] = []
beforeAll(async () => {
  api = await startApi({ FOUR_EYES_USD: '10' }, () => new Date(Date.now() + later))
  const stream = new Writable({
    write(line, _, done) {
      logged.push(String(line))
      done()
    },
  })
  const pass = (ms: number) => {
    later += ms
  }
  desk = openConsole(api.services, pass, fastify({ logger: { level: 'trace', stream } }))
  for (const name of ['mallory', 'bob']) await desk.person(name, 'admin')
  await rememberDualControl(api.services.database, 10)
})
afterAll(async () => {
  await desk.server.close()
  await api.stop()
})

/** Every row of every table, and every line of the log. */
async function everythingKept(): Promise<string[]> {
  const kept = [...logged]
  const client = new pg.Client({ connectionString: api.services.config.databaseUrl })
  await client.connect()
  const tables = await client.query<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.tables
     where table_schema = current_schema() and table_type = 'BASE TABLE'`,
  )
  for (const { name } of tables.rows) {
    const { rows } = await client.query<{ row: object }>(`select to_jsonb(stored) as row from ${name} as stored`)
    kept.push(...rows.map(({ row }) => `${name}: ${JSON.stringify(row)}`))
  }
  await client.end()
  return kept
}

async function keptOf(parts: string[]): Promise<string[]> {
  const written = parts.map((part) => JSON.stringify(part).slice(1, -1))
  return (await everythingKept()).filter((line) => written.some((part) => line.includes(part)))
}

async function does(...words: string[]): Promise<string> {
  const lines: string[] = []
  const { database, now } = api.services
  const own = { actor: 'mallory', role: 'admin', sign: () => '', print: (line: string) => lines.push(line) } as const
  await runCommand({ database, now, fourEyesUsd: 10, ...own }, words)
  return lines.join('\n')
}

/** Up to 64 bytes, others with each call and the same in every run. */
let made = 0
function bytes(length: number): Buffer {
  made++
  return createHash('sha512').update(`${made}`).digest().subarray(0, length)
}
const hex = (length: number) => bytes(length).toString('hex')
const word = (length: number) => bytes(64).toString('base64url').replace(/[-_]/g, '').slice(0, length)
const base32 = (length: number) =>
  [...bytes(length)].map((byte) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[byte % 32]).join('')
const groups = (text: string, length: number) => text.match(new RegExp(`.{1,${length}}`, 'g')) ?? []

/** A secret as it is pasted, and the longest part of it that is stored in one piece. */
const SECRETS: Record<string, () => [string, string?]> = {
  'a seed in hex': () => [hex(32)],
  'a seed in hex with spaces': () => [groups(hex(32), 2).join(' ')],
  'a seed in base64': () => [bytes(32).toString('base64')],
  'a seed in base64url': () => [bytes(32).toString('base64url')],
  'a seed in base32': () => [base32(52)],
  'a seed as a number': () => [`${BigInt(`0x${hex(32)}`)}`],
  'a seed in two words': () => [groups(hex(32), 32).join(' ')],
  'a seed over two lines': () => {
    const lines = groups(bytes(32).toString('base64'), 22)
    return [lines.join('\n'), lines[0] ?? '']
  },
  'an AWS secret access key': () => [bytes(30).toString('base64')],
  'the secret of an authenticator': () => [base32(32)],
  'the same in groups': () => [groups(base32(32).toLowerCase(), 4).join(' ')],
  'a database with its password': () => {
    const password = word(8)
    return [`postgres://causeway:${password}@db.example.com/causeway`, password]
  },
  'a password as a parameter': () => {
    const password = word(8)
    return [`https://example.com/login?user=ada&password=${password}`, password]
  },
  'a node with a key': () => {
    const key = hex(16)
    return [`https://mainnet.infura.io/v3/${key}`, key]
  },
  'a bearer token': () => {
    const token = word(40)
    return [`Bearer ${token}`, token]
  },
  'a live key': () => {
    const key = word(24)
    return [`sk_live_${key}`, key]
  },
  'a token of a bot': () => {
    const token = word(35)
    return [`123456789:${token}`, token]
  },
  'a webhook of Slack': () => {
    const token = word(24)
    return [`https://hooks.slack.com/services/T024BE91L/B0123ABCD/${token}`, token]
  },
}
const KINDS = Object.keys(SECRETS)

function pasted(kind: string): { text: string; part: string } {
  const [text, part = text] = SECRETS[kind]?.() ?? ['missing']
  return { text, part }
}

/** The commands that take prose, each with words that it accepts. */
const TAKES_PROSE: Record<string, (prose: string) => string[]> = {
  'swap note': (prose) => ['--id', crypto.randomUUID(), `--text=${prose}`],
  'switch pause': (prose) => ['--scope', 'service', '--what', 'both', `--reason=${prose}`],
  'wallet halt': (prose) => ['--network', 'BETA', '--wallet', 'sim1wallet', `--reason=${prose}`],
  'campaign pause': (prose) => ['--name', 'spring', '--what', 'both', `--reason=${prose}`],
  'withdrawal add': (prose) => ['--network', 'BETA', '--address', 'sim1safe', `--note=${prose}`],
}

test('these are all commands that take prose', () => {
  const commands = [...helpFor([]).matchAll(/^ {2}npm run admin -- (\w+ [a-z]+)/gm)].map(([, command = '']) => command)
  const prose = commands.filter((command) => {
    const { names = [], options = {} } = commandFor(command.split(' '))?.command.takes ?? {}
    return [...names, ...Object.values(options)].some(({ isProse }) => isProse)
  })
  expect(prose.toSorted()).toEqual(Object.keys(TAKES_PROSE).toSorted())
})

test.each(Object.keys(TAKES_PROSE))('the command line: %s', async (command) => {
  const parts: string[] = []
  for (const kind of KINDS) {
    for (const around of ['SECRET', 'we use it now: SECRET', 'the old one\nSECRET\nis gone']) {
      const { text, part } = pasted(kind)
      const words = TAKES_PROSE[command]?.(around.replace('SECRET', () => text)) ?? []
      const said = await does(...command.split(' '), ...words).catch((error: Error) => error.message)
      expect(said, kind).toContain('Nothing is done or stored. If it is a secret, replace it')
      expect(said, kind).not.toContain(part)
      parts.push(part)
    }
  }
  expect(await keptOf(parts)).toEqual([])
})

/** The reason that the console asks for, also with an answer to a hold or to another's request. */
const ID = crypto.randomUUID()
const ACTS = [
  { noun: 'app', verb: 'create', names: ['blue'], values: {} },
  { noun: 'operator', verb: 'role', names: ['bob'], values: { role: 'operator' } },
  { noun: 'payout', verb: 'approve', values: { id: ID, hold: ID } },
  { noun: 'payout', verb: 'reject', values: { id: ID } },
  { noun: 'request', verb: 'confirm', values: { id: ID } },
  { noun: 'request', verb: 'refuse', values: { id: ID } },
  { noun: 'switch', verb: 'pause', values: { scope: 'service', what: 'both' } },
  { noun: 'switch', verb: 'resume', values: { scope: 'service' } },
  { noun: 'wallet', verb: 'release', values: { network: 'BETA', wallet: 'sim1wallet', hold: ID } },
  { noun: 'webhook', verb: 'remove', values: { app: 'shop', id: ID } },
]

test.each(ACTS)('the console: the reason of $noun $verb', async (act) => {
  const seat = await desk.seat('mallory')
  const parts: string[] = []
  for (const kind of KINDS) {
    const { text, part } = pasted(kind)
    const answer = await desk.server.inject(post('/act', { ...act, reason: `it was ${text}` }, seat))
    expect([answer.statusCode, answer.body.includes(part)], kind).toEqual([400, false])
    expect(answer.body, kind).toContain('Nothing is done or stored')
    parts.push(part)
  }
  expect(await keptOf(parts)).toEqual([])
})

/** Names that a command stores or looks up. */
const NAMED: ((name: string) => string[])[] = [
  (name) => ['app', 'create', name],
  (name) => ['key', 'create', '--app', name, '--environment', 'testnet'],
  (name) => ['operator', 'invite', name],
  (name) => ['operator', 'vouch', name, '--fingerprint', '0123456789abcdef'],
  (name) => ['campaign', 'resume', '--name', name],
  (name) => ['webhook', 'events', '--app', 'shop', '--id', ID, '--events', name],
  (name) => ['restore', 'import', name],
]

test.each(KINDS)('the command line, in the place of a name: %s', async (kind) => {
  const parts: string[] = []
  for (const named of NAMED) {
    const { text, part } = pasted(kind)
    const said = await does(...named(text)).catch((error: Error) => error.message)
    expect(said).not.toContain(part)
    parts.push(part)
  }
  expect(await keptOf(parts)).toEqual([])
})

test('what is public may be named', async () => {
  const note = `OPS-123: tx 0x${hex(32)} of user 0x${hex(20)} reverted, see https://jira.example.com/browse/OPS-123`
  await does('switch', 'pause', '--scope', 'network:BETA', '--what', 'swaps', '--reason', note)
  expect((await keptOf([note])).join()).toContain('audit_log')
})
