/** Who stands behind whom: as commands write it down, and as a database from before finds it in its audit log. */
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Database, openDatabase } from '../../store/db/database.ts'
import { listOperators, listVouchers } from '../../store/operators/operators.ts'
import { runCommand } from '../cli/run.ts'
import { commonController } from './trust-graph.ts'

let own: TestDatabase
let database: Database
beforeAll(async () => {
  own = await startDatabase()
  database = openDatabase(own.url)
})
afterAll(async () => {
  await database.destroy()
  await own.stop()
})

const people =
  (...founders: string[]) =>
  (name: string) => ({ name, is_founder: founders.includes(name) })
const vouched = (...pairs: [operator: string, voucher: string][]) =>
  pairs.map(([operator, voucher]) => ({ operator, voucher }))

test('two are one where everybody who knows both of them is one person', () => {
  const all = ['a', 'b', 'c', 'd', 'e'].map(people('a', 'b'))
  const behind = (vouches: [string, string][], one: string, other: string) =>
    commonController(all, vouched(...vouches), [one, other])
  expect(behind([['b', 'a']], 'a', 'b')).toBeNull()
  expect(behind([['c', 'a']], 'a', 'c')).toBe('a')
  expect(behind([['c', 'a']], 'c', 'a')).toBe('a')
  expect(behind([['c', 'a']], 'b', 'c')).toBeNull()
  const chain: [string, string][] = [
    ['c', 'a'],
    ['d', 'c'],
    ['e', 'd'],
  ]
  expect(behind(chain, 'a', 'e')).toBe('a')
  expect(behind(chain, 'c', 'e')).toBe('c')
  expect(behind([...chain, ['e', 'b']], 'a', 'e')).toBeNull()
  // Of two whom one person let in that one stands behind both, and of somebody whom nobody knows everybody may.
  expect(behind([...chain, ['d', 'a']], 'c', 'd')).toBe('a')
  expect(behind([], 'd', 'e')).toBe('d')
})

test('a database from before finds who let whom in, and everybody sets their password anew', async () => {
  const keyOf = () => generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }).toString()
  const asked: string[] = []
  const add = (actor: string, name: string, role: string, fourEyesUsd?: number) =>
    runCommand(
      {
        ...{ database, actor, role: 'admin' as const, now: () => new Date(), print: () => 0 },
        ...{ asked: (id: string) => asked.push(id), ...(fourEyesUsd === undefined ? {} : { fourEyesUsd }) },
      },
      ['operator', 'add', name, '--role', role, `--key=${keyOf()}`],
    )
  await add('ada', 'ada', 'admin')
  await add('ada', 'olaf', 'operator')
  await add('ada', 'bob', 'admin')
  await add('console ada', 'carol', 'admin', 40)
  const confirming = { database, actor: 'bob', role: 'admin' as const, now: () => new Date(), fourEyesUsd: 40 }
  await runCommand({ ...confirming, print: () => 0 }, ['request', 'confirm', '--id', asked[0] ?? ''])
  const written = async () => ({
    founders: (await listOperators(database)).filter(({ is_founder }) => is_founder).map(({ name }) => name),
    vouchers: (await listVouchers(database)).map(({ operator, voucher }) => `${operator} by ${voucher}`).toSorted(),
  })
  const before = await written()
  expect(before).toEqual({
    founders: ['ada', 'bob'],
    vouchers: ['bob by ada', 'carol by ada', 'carol by bob', 'olaf by ada'],
  })
  await sql.raw("update operator set password = 'x', code_secret = 'y'").execute(database)
  await sql
    .raw('drop table operator_voucher, four_eyes; alter table operator drop is_founder, drop invite_proven')
    .execute(database)
  const file = path.join(import.meta.dirname, '../../../migrations/0131_vouching.sql')
  await sql.raw(readFileSync(file, 'utf8')).execute(database)
  expect(await written()).toEqual(before)
  expect((await listOperators(database)).filter(({ password, code_secret }) => password ?? code_secret)).toEqual([])
})
