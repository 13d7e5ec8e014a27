/** The operator's commands: what they change, what they refuse, and that every change is audited without secrets. */
import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { bareEnvironment } from '../../../../tests/support/processes/environment.ts'
import { admin, found } from '../../../../tests/support/service/accounts.ts'
import { startServices, type TestServices } from '../../../../tests/support/service/services.ts'
import { hashKey } from '../../apps/accounts.ts'

let database: TestDatabase
let services: TestServices
beforeAll(async () => {
  database = await startDatabase()
  services = await startServices(database.url)
})
afterAll(async () => {
  await services.stop()
  await database.stop()
})
const run = (...words: string[]) => admin(services, ...words)

test('a key is shown once and stored as a hash only', async () => {
  await run('app', 'create', 'shop')
  const key = found(
    /causeway_mainnet_[\w-]{43}/,
    await run('key', 'create', '--app', 'shop', '--environment', 'mainnet'),
  )
  const [row] = await services.database.selectFrom('api_key').selectAll().execute()
  expect(row).toMatchObject({ hash: hashKey(key), environment: 'mainnet', revoked_at: null })
  expect(JSON.stringify(row)).not.toContain(key.slice(-30))
  expect(await run('key', 'list', '--app', 'shop')).not.toContain(key)
  expect(await run('app', 'list')).toContain('shop')
})

test('a webhook is added with a secret that is shown once, listed without it, and removed', async () => {
  const url = 'https://shop.example/hooks'
  const printed = await run('webhook', 'add', '--app', 'shop', '--url', url)
  const secret = found(/whsec_[\w+/=]{44}/, printed)
  const listed = await run('webhook', 'list', '--app', 'shop')
  expect(listed).toContain(url)
  expect(listed).not.toContain(secret)
  const id = found(/[0-9a-f-]{36}/, listed)
  await run('webhook', 'remove', '--app', 'shop', '--id', id)
  expect(await run('webhook', 'list', '--app', 'shop')).toBe('shop has no webhook')
  await expect(run('webhook', 'remove', '--app', 'shop', '--id', id)).rejects.toThrow('has no webhook')
})

test('mistakes are reported clearly, and change nothing', async () => {
  const entries = async () => (await services.database.selectFrom('audit_log').select('id').execute()).length
  const before = await entries()
  const wrong: [string[], string][] = [
    [['cow'], 'there is no cow'],
    [['key', 'melt'], 'there is no "key melt"'],
    [['app', 'create'], '1 name is needed'],
    [['app', 'create', 'shop'], 'there is an app shop already'],
    [['app', 'create', '../x'], 'made of letters'],
    [['key', 'create', '--app', 'nobody', '--environment', 'testnet'], 'there is no app nobody'],
    [['key', 'create', '--app', 'shop'], '--environment is needed'],
    [['key', 'create', '--app', 'shop', '--environment', 'moon'], 'mainnet or testnet'],
    [['key', 'create', '--app', 'shop', '--color', 'red'], 'color'],
    [['key', 'revoke', '--id', 'x'], '--id is an id'],
    [['key', 'rotate', '--id', crypto.randomUUID()], 'there is no key'],
    [['webhook', 'add', '--app', 'shop', '--url', 'ftp://x'], '--url must begin with https'],
    [['webhook', 'add', '--app', 'shop', '--url', 'https://u:p@shop.example'], 'password'],
    [['webhook', 'replay', '--app', 'shop', '--swap', crypto.randomUUID()], 'no webhook events exist'],
  ]
  for (const [words, message] of wrong) await expect(run(...words), words.join(' ')).rejects.toThrow(message)
  expect(await entries()).toBe(before)
})

test('every change is in the audit log, by whom, and none of it is secret', async () => {
  const rows = await services.database.selectFrom('audit_log').selectAll().orderBy('id').execute()
  expect(rows.map(({ action }) => action)).toEqual(['app created', 'key created', 'webhook added', 'webhook removed'])
  expect(new Set(rows.map(({ actor }) => actor))).toEqual(new Set(['tester']))
  expect(JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? `${value}` : value))).not.toMatch(
    /whsec_|causeway_mainnet_[\w-]{10}/,
  )
  expect(await run('audit', 'list', '--last', '1')).toContain('webhook removed')
})

test('the program needs nothing but DATABASE_URL, and explains itself', async () => {
  const main = path.join(import.meta.dirname, 'main.ts')
  const start = (words: string[], env: Record<string, string> = {}) =>
    promisify(execFile)(process.execPath, [main, ...words], { env: { ...bareEnvironment(), ...env } })
  expect((await start(['help'])).stdout).toContain('npm run admin -- key rotate')
  await expect(start(['app', 'list'])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('DATABASE_URL'),
  })
  const fresh = await database.createEmpty()
  expect((await start(['app', 'list'], { DATABASE_URL: fresh })).stdout).toContain('no app yet')
})

test("a settings file may name the database and the operator's key", async () => {
  const main = path.join(import.meta.dirname, 'main.ts')
  const folder = mkdtempSync(path.join(os.tmpdir(), 'causeway-settings-'))
  const at = (name: string) => path.join(folder, name)
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  writeFileSync(at('ada.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(at('ada.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
  writeFileSync(at('settings'), `DATABASE_URL=${await database.createDatabase()}\nOPERATOR_KEY_FILE=${at('ada.pem')}\n`)
  const start = (file: string, ...words: string[]) =>
    promisify(execFile)(process.execPath, [main, ...words], {
      env: { PATH: process.env.PATH ?? '', CONFIG_FILE: file },
    })
  await start(at('settings'), 'operator', 'add', 'ada', '--role', 'admin', '--key', at('ada.pub'))
  await start(at('settings'), 'app', 'create', 'shop')
  await expect(start(at('nothing'), 'app', 'list')).rejects.toMatchObject({
    stderr: expect.stringContaining(`there is no file ${at('nothing')}`),
  })
})
