/** `restore` with a journal that is not the newest one of this database: nothing is stored, and nothing is resumed. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { admin } from '../../../../tests/support/service/accounts.ts'
import { FROM, type Restorable, startRestorable, TO } from '../../../../tests/support/service/restorable.ts'
import { hashOf } from '../../keys/journal/line.ts'
import type { JournalLines } from '../../keys/journal/read.ts'

let world: Restorable
beforeEach(async () => {
  world = await startRestorable()
})
afterEach(() => world.stop())

async function payOne() {
  const swap = await world.hand().swap(FROM, TO)
  world.hand().deposit(swap)
  await world.settle()
  expect(world.received(swap)).toBeGreaterThan(0n)
  return swap
}

const stored = async () => (await world.hand().services.database.selectFrom('attempt').select('hash').execute()).length

/** Each command that reads the journal. */
async function expectRefused(journal: JournalLines, why: string): Promise<void> {
  const before = await stored()
  for (const words of [[], ['--apply', '--watch', '0'], ['--resume']])
    await expect(admin({ ...world.hand().services, journal }, 'restore', ...words), words.join(' ')).rejects.toThrow(
      why,
    )
  expect(await stored()).toBe(before)
  expect(world.hand().services.signing.stopped).toBe('rolled_back')
}

test('of another service', async () => {
  const backup = await world.backup()
  await payOne()
  await world.rollBackTo(backup)
  const { journal } = world.hand().services
  await expectRefused({ ...journal, id: 'another' }, 'belongs to another database')
})

test('whose oldest lines were pruned after the backup was made', async () => {
  const backup = await world.backup()
  await payOne()
  await payOne()
  await world.rollBackTo(backup)
  const { journal } = world.hand().services
  const [first] = [...journal.after(0)].filter(({ content }) => content.type === 'signed')
  const pruned = { ...journal, after: (n: number) => journal.after(Math.max(n, first?.n ?? 0)) }
  await expectRefused(pruned, 'the journal has no lines')
})

test('that went another way since the backup', async () => {
  await payOne()
  const backup = await world.backup()
  await payOne()
  await world.rollBackTo(backup)
  const { journal } = world.hand().services
  const forked = {
    ...journal,
    *after(n: number) {
      for (const entry of journal.after(n)) yield { ...entry, hash: hashOf(entry.hash) }
    },
  }
  await expectRefused(forked, 'put the newest one back')
})
