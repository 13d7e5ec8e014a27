/** A restore without the signing journal: everything of before is held, and decided by a file out and a file in. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom } from '../../../../chains/simulated/local/src/account.ts'
import { holdOf } from '../../../../tests/support/service/holds.ts'
import { FROM, type Restorable, startRestorable, TO } from '../../../../tests/support/service/restorable.ts'
import { returnUnmatched } from '../../flow/swap/resolve-unmatched.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'

let world: Restorable
let file: string
beforeEach(async () => {
  world = await startRestorable()
  file = path.join(tmpdir(), `causeway-restore-${process.pid}-${crypto.randomUUID()}.tsv`)
})
afterEach(async () => {
  await rm(file, { force: true })
  await world.stop()
})

/** One swap that the backup has and that was paid after it, one that was not, and one that the backup lacks. */
async function loseJournal(): Promise<{ paid: CreatedSwap; unpaid: CreatedSwap; lost: CreatedSwap; hashes: string[] }> {
  const [paid, unpaid] = [await world.hand().swap(FROM, TO), await world.hand().swap(FROM, TO)]
  const backup = await world.backup()
  const base = world.hand().chain(TO).height
  const lost = await world.hand().swap(FROM, TO)
  for (const swap of [paid, lost]) world.hand().deposit(swap)
  await world.settle()
  const hashes = await world.sentSince(TO, base)
  world.hand().deposit(unpaid)
  await world.rollBackWithout(backup)
  for (let round = 0; round < 2; round++) await world.settle()
  await world.askAgain()
  return { paid, unpaid, lost, hashes }
}

/** The transaction that paid the recipient of a swap. */
function madeBy(swap: CreatedSwap, hashes: readonly string[]): string {
  const { destinationAddress } = swap.view.swap
  const found = hashes.find((hash) =>
    world
      .hand()
      .chain(TO)
      .find(hash)
      ?.landed.transaction.moves.some(({ to }) => to === destinationAddress),
  )
  return found ?? ''
}

async function decide(answers: Readonly<Record<string, string>>): Promise<string> {
  const text = await readFile(file, 'utf8')
  const lines = text.split('\n').map((line) => {
    const columns = line.split('\t')
    const answer = columns[0] === 'payout' ? answers[columns[1] ?? ''] : undefined
    return answer ? [...columns.slice(0, -1), answer].join('\t') : line
  })
  await writeFile(file, lines.join('\n'))
  return world.run('restore', 'import', file)
}

test('payouts of before are held; a file decides which were paid, all or none', async () => {
  const { paid, unpaid, lost, hashes } = await loseJournal()
  const had = [world.received(paid), world.received(unpaid), world.received(lost)]
  expect(had).toEqual([expect.any(BigInt), 0n, expect.any(BigInt)])
  const [made, owed] = [await world.payoutOf(paid), await world.payoutOf(unpaid)]
  for (const { id } of [made, owed])
    expect(await holdOf(world.hand().services.database, id)).toEqual({ code: 'restore_doubt' })
  await world.run('restore', 'export', file)
  const text = await readFile(file, 'utf8')
  for (const word of [made.id, owed.id, ...hashes]) expect(text).toContain(word)
  // One wrong line, and nothing is stored.
  await expect(decide({ [made.id]: 'paid abcd', [owed.id]: 'unpaid' })).rejects.toThrow('nothing is changed')
  await world.askAgain()
  await world.settle()
  expect(world.received(unpaid)).toBe(0n)

  await decide({ [made.id]: `paid ${madeBy(paid, hashes)}`, [owed.id]: 'unpaid' })
  await world.hand().runJobs()
  for (let round = 0; round < 2; round++) await world.settle()
  expect([await world.statusOf(paid), await world.statusOf(unpaid)]).toEqual(['completed', 'completed'])
  expect([world.received(paid), world.received(unpaid), world.received(lost)]).toEqual([had[0], owed.units, had[2]])
  await world.expectBooksEqualChains()
})

test('a deposit of a lost swap is not sent back before a decision, and new swaps wait for nothing', async () => {
  const { lost } = await loseJournal()
  const { id } = await world.depositOf(lost)
  const { services } = world.hand()
  await services.refresh()
  const back = accountFrom('an owner').address
  await returnUnmatched(services, id, back)
  await world.hand().runJobs()
  await world.settle()
  expect(world.hand().chain(FROM).balance(back, lost.view.swap.source.contract)).toBe(0n)
  for (const network of [FROM, TO]) await world.mineAndWatch(network, 14)
  const fresh = await world.hand().swap(FROM, TO)
  world.hand().deposit(fresh)
  for (let round = 0; round < 2; round++) await world.settle()
  expect(await world.statusOf(fresh)).toBe('completed')
})

test('a transaction that paid another person, or less, is not accepted for a payout; nor is one twice', async () => {
  const { paid, unpaid, hashes } = await loseJournal()
  const [made, owed] = [await world.payoutOf(paid), await world.payoutOf(unpaid)]
  await world.run('restore', 'export', file)
  const hash = madeBy(paid, hashes)
  await expect(decide({ [owed.id]: `paid ${hash}` })).rejects.toThrow('nothing is changed')
  await expect(decide({ [made.id]: `paid ${hash}`, [owed.id]: `paid ${hash}` })).rejects.toThrow('nothing is changed')
  await world
    .hand()
    .services.database.updateTable('payout')
    .set({ units: made.units * 2n })
    .where('id', '=', made.id)
    .execute()
  await expect(decide({ [made.id]: `paid ${hash}`, [owed.id]: '?' })).rejects.toThrow('nothing is changed')
  await world
    .hand()
    .services.database.updateTable('payout')
    .set({ units: made.units })
    .where('id', '=', made.id)
    .execute()
  await decide({ [made.id]: `paid ${hash}` })
  await world.run('restore', 'export', file)
  await expect(decide({ [owed.id]: `paid ${hash}` })).rejects.toThrow('that the ledger lacks')
  await decide({ [owed.id]: 'unpaid' })
  await world.hand().runJobs()
  for (let round = 0; round < 2; round++) await world.settle()
  expect([await world.statusOf(paid), await world.statusOf(unpaid)]).toEqual(['completed', 'completed'])
  expect(world.received(unpaid)).toBe(owed.units)
  await world.expectBooksEqualChains()
})
