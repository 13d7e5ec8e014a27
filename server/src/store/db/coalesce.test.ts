/** Concurrent identical requests become one statement, and no caller waits for another's lock. */
import { expect, test } from 'vitest'
import { coalesce } from './coalesce.ts'
import type { Database } from './database.ts'

/** Only the object's identity matters: each has its own set of lanes. */
const someDatabase = () => ({}) as Database

/** Statements that finish on demand. */
function statements() {
  const begun: { items: string[]; end: () => void }[] = []
  const ask = coalesce(
    (_: Database, items: string[]) =>
      new Promise<string[]>((resolve) => {
        begun.push({ items, end: () => resolve(items.map((item) => `${item}!`)) })
      }),
  )
  return { begun, ask }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a call during a running statement goes with the next one', async () => {
  const { begun, ask } = statements()
  const database = someDatabase()
  const first = ask(database, 'a')
  await turn()
  const others = ['b', 'c', 'd'].map((item) => ask(database, item))
  await turn()
  expect(begun.map(({ items }) => items)).toEqual([['a']])
  begun[0]?.end()
  expect(await first).toBe('a!')
  await turn()
  expect(begun.map(({ items }) => items)).toEqual([['a'], ['b', 'c', 'd']])
  begun[1]?.end()
  expect(await Promise.all(others)).toEqual(['b!', 'c!', 'd!'])
})

test('a statement that waits for a lock delays no other', async () => {
  const { begun, ask } = statements()
  const database = someDatabase()
  const stuck = ask(database, 'stuck')
  await turn()
  const next = ask(database, 'next')
  await expect.poll(() => begun.length).toBe(2)
  begun[1]?.end()
  expect(await next).toBe('next!')
  begun[0]?.end()
  expect(await stuck).toBe('stuck!')
})

test('two databases do not share', async () => {
  const { begun, ask } = statements()
  const asked = [ask(someDatabase(), 'a'), ask(someDatabase(), 'b')]
  await turn()
  expect(begun.map(({ items }) => items)).toEqual([['a'], ['b']])
  for (const { end } of begun) end()
  expect(await Promise.all(asked)).toEqual(['a!', 'b!'])
})
