import { afterAll, beforeAll, expect, it } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { sandboxKey } from '../../apps/accounts.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { admitSandboxApp, findApp, findLiveKey, listKeys, revokeKey } from './apps.ts'

let server: TestDatabase
let database: Database
beforeAll(async () => {
  server = await startDatabase()
  database = openDatabase(server.url)
})
afterAll(async () => {
  await database?.destroy()
  await server?.stop()
})

it('a sandbox restarted on the same data has the same keys, and a revoked key stays revoked', async () => {
  const keys = () => (['public', 'secret'] as const).map((kind) => ({ kind, ...sandboxKey('testnet', kind) }))
  await admitSandboxApp(database, 'testnet', keys())
  const app = await findApp(database, 'sandbox')
  const [first] = await listKeys(database, app?.id ?? '')
  await revokeKey(database, first?.id ?? '', new Date())
  await admitSandboxApp(database, 'testnet', keys())
  const live = await Promise.all(keys().map(({ hash }) => findLiveKey(database, hash, new Date())))
  expect(live.filter((key) => key?.appName === 'sandbox')).toHaveLength(1)
  expect(await listKeys(database, app?.id ?? '')).toHaveLength(2)
  expect(
    new Set([...keys(), sandboxKey('mainnet', 'public'), sandboxKey('mainnet', 'secret')].map(({ key }) => key)).size,
  ).toBe(4)
})
