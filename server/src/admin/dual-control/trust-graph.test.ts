/** The web of trust: how two operators are recognised as controlled by one person, and what commands record. */
import { generateKeyPairSync } from 'node:crypto'
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

test('two names are one person if a single person vouches for both', () => {
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
  // A person who added two others controls both; an unknown person may be controlled by anyone.
  expect(behind([...chain, ['d', 'a']], 'c', 'd')).toBe('a')
  expect(behind([], 'd', 'e')).toBe('d')
})

test('commands record who added whom, and that the first two admins are founders', async () => {
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
  expect(await written()).toEqual({
    founders: ['ada', 'bob'],
    vouchers: ['bob by ada', 'carol by ada', 'carol by bob', 'olaf by ada'],
  })
})
