/**
 * One dishonest admin with one key and console access tries to act as two people: by an invitation link, by people they
 * added alone, by removing others, by omitting a setting on the command line.
 */
import { execFile } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../../server/src/admin/cli/run.ts'
import { fingerprintOf } from '../../../server/src/admin/context/identity.ts'
import type { Role } from '../../../server/src/admin/context/roles.ts'
import { listSwitches, setSwitch } from '../../../server/src/store/limits/safeguards.ts'
import { listOperators, rememberDualControl } from '../../../server/src/store/operators/operators.ts'
import { startDatabase, type TestDatabase } from '../../support/database/database.ts'
import { bareEnvironment } from '../../support/processes/environment.ts'
import { openConsole, post, type TestConsole } from '../../support/service/console.ts'
import { startServices, type TestServices } from '../../support/service/services.ts'

const MAIN = path.join(import.meta.dirname, '../../../server/src/admin/cli/main.ts')
const SCOPE = 'network:ALPHA'
const folder = mkdtempSync(path.join(os.tmpdir(), 'causeway-four-eyes-'))

let database: TestDatabase
let services: TestServices
let desk: TestConsole
let later = 0
beforeAll(async () => {
  database = await startDatabase()
  services = await startServices(database.url, { FOUR_EYES_USD: '40' }, () => new Date(Date.now() + later))
  desk = openConsole(services, (ms) => {
    later += ms
  })
})
afterAll(async () => {
  await desk.server.close()
  await services.stop()
  await database.stop()
})

/** Each key is a file; one person may have created many. */
function keyFor(name: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const [mine, given] = [path.join(folder, `${name}.pem`), path.join(folder, `${name}.pub`)]
  writeFileSync(mine, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(given, publicKey.export({ type: 'spki', format: 'pem' }))
  const signed = (text: string) => sign(null, Buffer.from(text), privateKey).toString('base64')
  const fingerprint = fingerprintOf(publicKey.export({ type: 'spki', format: 'der' }).toString('base64'))
  return { mine, given, signed, fingerprint }
}
const keys: Record<string, ReturnType<typeof keyFor>> = {}

/** Runs the command line in this process; returns its output. */
async function does(who: string, role: Role, ...words: string[]): Promise<string> {
  const lines: string[] = []
  const { database: db, now, config } = services
  const settings = () => config
  const own = {
    settings,
    actor: who,
    role,
    sign: keys[who]?.signed ?? (() => ''),
    print: (line: string) => lines.push(line),
  }
  await runCommand({ database: db, now, fourEyesUsd: 40, ...own }, words)
  return lines.join('\n')
}
async function add(by: string, name: string, role: Role): Promise<string> {
  keys[name] ??= keyFor(name)
  return does(by, 'admin', 'operator', 'add', name, '--role', role, '--key', keys[name].given)
}
const idIn = (printed: string) => /--id ([0-9a-f-]{36})/.exec(printed)?.[1] ?? ''
const confirm = (who: string, printed: string) => does(who, 'admin', 'request', 'confirm', '--id', idIn(printed))
const vouch = (by: string, name: string, fingerprint: string) =>
  does(by, 'admin', 'operator', 'vouch', name, '--fingerprint', fingerprint)

async function fingerprint(name: string): Promise<string> {
  const person = (await listOperators(services.database)).find((other) => other.name === name)
  return fingerprintOf(person?.public_key ?? '')
}

/** One operator requests the end of a pause, the other confirms. Returns null, or why it was refused. */
async function opens(asker: string, confirmer: string): Promise<string | null> {
  await setSwitch(services.database, { scope: SCOPE, stops_swaps: true, stops_payouts: true, reason: 'a look' })
  const asked = await does(asker, 'admin', 'switch', 'resume', '--scope', SCOPE)
  expect(asked).toContain('nothing is done yet')
  const why = await confirm(confirmer, asked).then(
    () => null,
    (error: Error) => error.message,
  )
  expect((await listSwitches(services.database)).length).toBe(why === null ? 0 : 1)
  return why
}

test('the first two admins count as two people, although one added the other', async () => {
  await add('mallory', 'mallory', 'admin')
  // While there are no others, a single admin adds anyone.
  await add('mallory', 'sock-a', 'operator')
  await add('mallory', 'bob', 'admin')
  expect(await opens('mallory', 'bob')).toBeNull()
  expect(await opens('bob', 'mallory')).toBeNull()
})

test('people added by one person alone do not count as a second person', async () => {
  await rememberDualControl(services.database, undefined)
  // As before dual control was introduced.
  const { database: db, now, config } = services
  const alone = { database: db, now, settings: () => config, actor: 'mallory', role: 'admin' as const }
  for (const name of ['sock-b', 'sock-c', 'sock-d']) {
    keys[name] = keyFor(name)
    const words = ['operator', 'add', name, '--role', 'admin', '--key', keys[name].given]
    await runCommand({ ...alone, print: () => 0 }, words)
  }
  await does('mallory', 'admin', 'operator', 'role', 'sock-a', '--role', 'admin').then((asked) => confirm('bob', asked))
  const onlyMallory = /only mallory vouches for/
  expect(await opens('mallory', 'sock-a')).toMatch(onlyMallory)
  expect(await opens('sock-a', 'mallory')).toMatch(onlyMallory)
  expect(await opens('sock-a', 'sock-b')).toMatch(onlyMallory)
  // Vouching for one another does not help them.
  await vouch('sock-a', 'sock-b', await fingerprint('sock-b'))
  await vouch('sock-b', 'sock-c', await fingerprint('sock-c'))
  await vouch('sock-c', 'sock-a', await fingerprint('sock-a'))
  for (const [asker, confirmer] of [
    ['mallory', 'sock-c'],
    ['sock-b', 'sock-c'],
    ['sock-c', 'mallory'],
  ] as const)
    expect(await opens(asker, confirmer), `${asker} ${confirmer}`).toMatch(onlyMallory)
  // Together with another person they count: mallory and bob are two.
  expect(await opens('sock-a', 'bob')).toBeNull()
})

test('a second admin who vouches by the fingerprint makes them count', async () => {
  await expect(vouch('bob', 'sock-c', '0123456789abcdef')).rejects.toThrow('not the fingerprint')
  await expect(vouch('sock-c', 'sock-c', await fingerprint('sock-c'))).rejects.toThrow(
    'an operator cannot vouch for themself',
  )
  expect(await opens('mallory', 'sock-c')).not.toBeNull()
  await vouch('bob', 'sock-c', await fingerprint('sock-c'))
  expect(await opens('mallory', 'sock-c')).toBeNull()
  expect(await opens('bob', 'sock-c')).toBeNull()
  // People they vouch for in turn are accepted; another person whom mallory added alone is not.
  expect(await opens('mallory', 'sock-b')).toBeNull()
  expect(await opens('mallory', 'sock-d')).toMatch(/only mallory vouches/)
})

test('both the requester and the confirmer of a new person vouch for them; the key is the requested one', async () => {
  const asked = await add('mallory', 'carol', 'admin')
  const print = (await does('bob', 'admin', 'request', 'list')).split('\n').find((line) => line.includes(idIn(asked)))
  expect(print).toContain(`fingerprint of the key: ${keys.carol?.fingerprint}`)
  // The file has changed by the time of the confirmation.
  writeFileSync(keys.carol?.given ?? '', 'gone')
  await confirm('bob', asked)
  expect(await fingerprint('carol')).toBe(keys.carol?.fingerprint)
  expect(await opens('mallory', 'carol')).toBeNull()
  expect(await opens('carol', 'bob')).toBeNull()
})

test('an invitation link is useless to the person who made it', async () => {
  await desk.person('dora', 'admin')
  const link = async () => /#([\w-]+)/.exec(await does('mallory', 'admin', 'operator', 'invite', 'dora'))?.[1] ?? ''
  const invite = await link()
  const opened = await desk.told(post('/invite', { invite }))
  const { code_secret: secret, sign: text } = opened
  expect(text).toMatch(/^Causeway: I am dora and set my password at the console, by [0-9a-f]{64}\.$/)
  const code = () => desk.codeOf('thief')
  desk.setSecret('thief', secret)
  const accept = (signature?: string) =>
    post('/invite/accept', {
      invite,
      password: 'another password',
      code: code(),
      ...(signature === undefined ? {} : { signature }),
    })
  for (const signature of [undefined, '', 'AAAA', keys.mallory?.signed(text), keys.bob?.signed(text)])
    expect(await desk.refused(accept(signature))).toEqual([400, 'NOT_VALID'])
  // Dora's signature for one opening of the link is not valid for another opening.
  const hers = desk.signedBy('dora', text)
  const again = await desk.told(post('/invite', { invite }))
  desk.setSecret('thief', again.code_secret)
  expect(await desk.refused(accept(hers))).toEqual([400, 'NOT_VALID'])
  // Dora's own password is unchanged, and her key sets a new one.
  await desk.seat('dora')
  await desk.told(desk.acceptance('dora', invite, await desk.told(post('/invite', { invite }))))
  await desk.seat('dora')
})

test("a link made with one's own key needs no other signature; one made at the console does", async () => {
  const invite = /#([\w-]+)/.exec(await does('dora', 'admin', 'operator', 'invite', 'dora'))?.[1] ?? ''
  const opened = await desk.told(post('/invite', { invite }))
  expect(opened.sign).toBeNull()
  await desk.told(desk.acceptance('dora', invite, opened))
  const seat = await desk.seat('dora')
  const told = await desk.told(post('/act', { noun: 'operator', verb: 'invite', names: ['dora'], reason: 'x' }, seat))
  const other = /#([\w-]+)/.exec(told.lines.join())?.[1] ?? ''
  expect((await desk.told(post('/invite', { invite: other }))).sign).toContain('I am dora')
})

test('removing all others at the same moment does not leave one admin alone', async () => {
  const { database: db } = services
  const admins = async () => (await listOperators(db)).filter((row) => row.role === 'admin' && row.disabled_at === null)
  const others = (await admins()).map(({ name }) => name).filter((name) => name !== 'mallory')
  expect(others.length).toBeGreaterThan(3)
  await Promise.allSettled(others.map((name) => does('mallory', 'admin', 'operator', 'remove', name)))
  expect(await admins()).toHaveLength(2)
})

test('the command line uses the service’s settings, whatever is left out', async () => {
  await setSwitch(services.database, { scope: SCOPE, stops_swaps: true, stops_payouts: true, reason: 'a look' })
  const env = { ...bareEnvironment(), DATABASE_URL: database.url, OPERATOR_KEY_FILE: keys.mallory?.mine ?? '' }
  await rememberDualControl(services.database, 40)
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, [MAIN, 'switch', 'resume', '--scope', SCOPE], { env }, (_error, out, err) =>
      resolve(`${out}${err}`.trim()),
    )
  })
  expect(said).toContain('another person confirms')
  expect((await listSwitches(services.database)).map(({ scope }) => scope)).toContain(SCOPE)
})

test('a role that may only stop things cannot start them by stopping less', async () => {
  const pause = (what: string) =>
    does('olaf', 'operator', 'switch', 'pause', '--scope', 'network:BETA', '--what', what, '--reason', 'a look')
  expect(await pause('both')).toBe('network:BETA: swaps and payouts paused')
  expect(await pause('swaps')).toBe('network:BETA: swaps and payouts paused')
})
