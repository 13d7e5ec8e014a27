/** A slot is closed as unpaid only by a database that knows all of its signatures. */
import { expect, test } from 'vitest'
import { makeFolder, openTestJournal, payout, proposal, sign, unpaid } from '../journal/testing.ts'
import { localOrders } from './local.ts'

test('a slot with a signature that the database does not name is not closed as unpaid', async () => {
  const journal = await openTestJournal(makeFolder())
  const orders = localOrders({
    journal,
    adapterOf: () => {
      throw new Error('no adapter is asked')
    },
  })
  const first = await sign(journal, proposal(1, [payout('a')]))
  const bump = await sign(journal, proposal(1, [payout('a')], { attempt: 1, purpose: 'bump' }))
  expect(await orders.close({ ...unpaid(1), lines: [first.n] })).toBe(false)
  expect(journal.judge(proposal(2, [payout('a')]))).toMatchObject({ is: 'refused' })
  expect(await orders.close({ ...unpaid(1), lines: [first.n, bump.n] })).toBe(true)
  expect(journal.judge(proposal(2, [payout('a')]))).toMatchObject({ is: 'free' })
  await journal.end()
})
