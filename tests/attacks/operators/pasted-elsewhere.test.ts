/** Attack B4, varied: a private key that is given under another option, or in the place of a name, must not be stored. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../../server/src/admin/cli/run.ts'
import { rememberDualControl } from '../../../server/src/store/operators/operators.ts'
import { startApi, type TestApi } from '../../support/service/api.ts'
import { openConsole, post, type TestConsole } from '../../support/service/console.ts'

let api: TestApi
let desk: TestConsole
let later = 0
beforeAll(async () => {
  api = await startApi({ FOUR_EYES_USD: '10' }, () => new Date(Date.now() + later))
  desk = openConsole(api.services, (ms) => {
    later += ms
  })
  for (const name of ['mallory', 'bob']) await desk.person(name, 'admin')
  await rememberDualControl(api.services.database, 10)
})
afterAll(async () => {
  await desk.server.close()
  await api.stop()
})

async function does(...words: string[]): Promise<string> {
  const lines: string[] = []
  const { database, now } = api.services
  const own = { actor: 'mallory', role: 'admin', sign: () => '', print: (line: string) => lines.push(line) } as const
  await runCommand({ database, now, fourEyesUsd: 10, ...own }, words)
  return lines.join('\n')
}

function keys() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const key = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  return { pem, key, secret: pem.split('\n')[1] ?? 'missing' }
}

async function places(secret: string): Promise<string[]> {
  const { database } = api.services
  const audit = JSON.stringify((await database.selectFrom('audit_log').selectAll().execute()).map(({ data }) => data))
  const requests = JSON.stringify(
    (await database.selectFrom('request').selectAll().execute()).map(({ words, reason }) => [words, reason]),
  )
  return [...(audit.includes(secret) ? ['audit'] : []), ...(requests.includes(secret) ? ['requests'] : [])]
}

test.each(['--pubkey', '--public-key', '--Key', '--keys', '--pem'])('the command line: %s', async (option) => {
  const { pem, key, secret } = keys()
  await does('operator', 'add', 'gil', '--role', 'admin', option, pem).catch(() => '')
  await does('operator', 'add', 'gil', '--role', 'admin', '--key', key, `${option}=${pem}`).catch(() => '')
  expect(await places(secret)).toEqual([])
})

test('the command line: no option at all', async () => {
  const { pem, secret } = keys()
  const said = await does('operator', 'add', 'gil', '--role', 'admin', '--', pem).catch((error: Error) => error.message)
  expect(await places(secret), said).toEqual([])
})

test('the command line: a role', async () => {
  const { pem, key, secret } = keys()
  const said = await does('operator', 'add', 'gil', `--role=${pem}`, '--key', key).catch(
    (error: Error) => error.message,
  )
  expect(await places(secret), said).toEqual([])
})

test('the command line: operator role', async () => {
  const { pem, secret } = keys()
  const said = await does('operator', 'role', 'bob', '--role', 'admin', '--pem', pem).catch((e: Error) => e.message)
  expect(await places(secret), said).toEqual([])
})

test('the console: another field', async () => {
  const { pem, key, secret } = keys()
  const seat = await desk.seat('mallory')
  const values = { role: 'admin', key, pem }
  const answer = await desk
    .told(post('/act', { noun: 'operator', verb: 'add', names: ['eve'], values, reason: 'new' }, seat))
    .catch((error: Error) => error.message)
  expect(await places(secret), JSON.stringify(answer)).toEqual([])
})

test('the console: the body of the key in the place of the name', async () => {
  const { key, secret } = keys()
  const seat = await desk.seat('bob')
  const answer = await desk
    .told(
      post(
        '/act',
        { noun: 'operator', verb: 'add', names: [secret], values: { role: 'admin', key }, reason: 'new' },
        seat,
      ),
    )
    .catch((error: Error) => error.message)
  expect(await places(secret), JSON.stringify(answer)).toEqual([])
})

/** Everywhere that a command of one person alone, or of two, would store it. */
const RELATIVES: ((secret: string) => string[])[] = [
  (secret) => ['app', 'create', secret],
  (secret) => ['swap', 'note', '--id', crypto.randomUUID(), '--text', `it is ${secret}`],
  (secret) => ['switch', 'pause', '--scope', 'service', '--what', 'both', '--reason', secret],
  (secret) => ['switch', 'resume', '--scope', `network:${secret}`],
  (secret) => ['switch', 'resume', '--scope', `token:BETA/${secret}`],
  (secret) => ['limit', 'clear', '--kind', 'swap_max', '--scope', `route:${secret}/x>BETA/native`],
  (secret) => ['wallet', 'release', '--network', 'BETA', '--wallet', 'sim1wallet', '--accept', `${secret}=5`],
  (secret) => ['limit', 'set', '--kind', 'swap_max', '--scope', 'service', '--usd', secret],
  (secret) => ['key', 'create', '--app', secret, '--environment', 'testnet'],
  (secret) => ['key', 'create', '--app', 'shop', '--environment', 'testnet', '--kind', secret],
  (secret) => ['operator', 'role', secret, '--role', 'admin'],
  (secret) => ['operator', 'remove', secret],
  (secret) => ['operator', 'vouch', 'bob', '--fingerprint', secret],
  (secret) => ['withdrawal', 'add', '--network', 'BETA', '--address', 'sim1safe', '--note', secret],
  (secret) => ['withdrawal', 'add', '--network', 'BETA', '--address', secret, '--note', 'safe'],
  (secret) => ['wallet', 'rotate', '--network', 'BETA', '--to', secret, '--apply', 'yes'],
  (secret) => ['depository', 'rotate', '--network', 'BETA', '--from', secret, '--to', secret],
  (secret) => ['depository', 'unpause', '--network', secret],
  (secret) => ['restore', 'import', secret],
  (secret) => ['restore', '--resume', '--without', secret],
  (secret) => ['campaign', 'resume', '--name', secret],
  (secret) => ['journal', 'init', secret],
  (secret) => ['webhook', 'add', '--app', 'shop', '--url', `https://shop.example/${secret}`],
  (secret) => ['erase', '--address', secret],
  (secret) => [secret],
  (secret) => ['operator', secret],
]
const BODIES: Record<string, () => string> = {
  'the body of a PEM': () => keys().secret,
  '32 bytes in hex': () => randomBytes(32).toString('hex'),
  '32 bytes in hex with 0x': () => `0x${randomBytes(32).toString('hex')}`,
}

test.each(Object.keys(BODIES))('relatives on the command line: %s', async (kind) => {
  for (const relative of RELATIVES) {
    const secret = BODIES[kind]?.() ?? ''
    const words = relative(secret)
    const said = await does(...words).catch((error: Error) => error.message)
    expect(said, words.join(' ')).not.toContain(secret)
    expect(await places(secret), words.join(' ')).toEqual([])
  }
})

const NO_ADDRESSES: Record<string, () => string> = {
  'a seed in base64': () => randomBytes(32).toString('base64'),
  'bytes with colons, as openssl prints them': () =>
    randomBytes(32)
      .toString('hex')
      .replace(/..(?=.)/g, '$&:'),
  'a secret access key of KMS': () => randomBytes(30).toString('base64'),
  'the secret of an authenticator': () => 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  'the word of an invitation': () => randomBytes(32).toString('base64url'),
}

test.each(Object.keys(NO_ADDRESSES))('in the place of an address at the console: %s', async (kind) => {
  const seat = await desk.seat('mallory')
  const secret = NO_ADDRESSES[kind]?.() ?? ''
  const acts = [
    { noun: 'wallet', verb: 'rotate', values: { network: 'BETA', to: secret, apply: 'yes' } },
    { noun: 'withdrawal', verb: 'add', values: { network: 'BETA', address: secret, note: 'safe' } },
  ]
  for (const act of acts) {
    const answer = await desk.server.inject(post('/act', { ...act, reason: 'new keys' }, seat))
    expect([answer.statusCode, answer.body.includes(secret)], act.noun).toEqual([400, false])
    expect(await places(secret), act.noun).toEqual([])
  }
})

test('a private key as openssl or a JWK writes it, in a note', async () => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const { d = '' } = privateKey.export({ format: 'jwk' })
  const colons = Buffer.from(d, 'base64url')
    .toString('hex')
    .replace(/..(?=.)/g, '$&:')
  const lines = (colons.match(/.{1,45}/g) ?? []).join('\n    ')
  const notes: [string, string][] = [
    [d, JSON.stringify(privateKey.export({ format: 'jwk' }))],
    [colons.slice(0, 40), `ED25519 Private-Key:\npriv:\n    ${lines}`],
    [colons, colons],
  ]
  for (const [secret, note] of notes) {
    await does('withdrawal', 'add', '--network', 'BETA', '--address', 'sim1safe', '--note', note).catch(() => '')
    expect(await places(secret), note).toEqual([])
  }
})

test('a reason at the console', async () => {
  const seat = await desk.seat('mallory')
  const { pem, secret } = keys()
  const act = { noun: 'switch', verb: 'pause', values: { scope: 'service', what: 'both' } }
  for (const reason of [pem, secret, `the old private key was 0x${randomBytes(32).toString('hex')}`]) {
    const answer = await desk.server.inject(post('/act', { ...act, reason }, seat))
    expect([answer.statusCode, answer.body.includes(secret)]).toEqual([400, false])
    expect(await places(secret)).toEqual([])
  }
  const hash = `0x${randomBytes(32).toString('hex')}`
  await desk.told(post('/act', { ...act, reason: `the transaction ${hash} is not ours` }, seat))
})

test('fields that the console does not know are refused without repeating them', async () => {
  const seat = await desk.seat('bob')
  const { secret } = keys()
  const act = { noun: 'app', verb: 'create', names: ['blue'], values: {}, reason: 'new' }
  for (const more of [{ pem: secret }, { [secret]: 'x' }, { values: { [secret]: 'x' } }, { names: ['blue', secret] }]) {
    const answer = await desk.server.inject(post('/act', { ...act, ...more }, seat))
    expect([answer.statusCode, answer.body.includes(secret)]).toEqual([400, false])
  }
  expect(await places(secret)).toEqual([])
})
