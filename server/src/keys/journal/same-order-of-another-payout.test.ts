/** Two swaps may pay the same amount to the same recipient: their orders are equal, the payouts are not. */
import { expect, test } from 'vitest'
import { makeFolder, openTestJournal, payout, proposal, sign } from './testing.ts'

const order = { kind: 'transfers', account: 'wallet', transfers: [{ to: 'somebody', token: 'native', units: '5' }] }

test('the bytes of one payout are not returned for another', async () => {
  const journal = await openTestJournal(makeFolder())
  await sign(journal, proposal(1, [payout('a')], { order }))
  // A rolled-back database gives the same nonce to another payout, while the first one waits in the mempool.
  expect(journal.judge(proposal(1, [payout('b')], { order }))).toMatchObject({
    is: 'refused',
    refusal: { code: 'slot_signed' },
  })
  await journal.end()
})

test('a slot is not bumped for another payout', async () => {
  const journal = await openTestJournal(makeFolder())
  await sign(journal, proposal(1, [payout('a')], { order }))
  expect(journal.judge(proposal(1, [payout('b')], { order, attempt: 1, purpose: 'bump' }))).toMatchObject({
    is: 'refused',
    refusal: { code: 'slot_signed' },
  })
  await journal.end()
})
