/** A slot that was closed as paid is judged unpaid only by a database that has every signature of it. */
import type { ChainAdapter } from '@causeway/core'
import { expect, test } from 'vitest'
import { makeFolder, openTestJournal, payout } from '../journal/testing.ts'
import { localOrders } from './local.ts'
import type { SignRequest } from './orders.ts'

let made = 0
const adapter = {
  maxSigningCost: () => ({ feeUnits: 1n }),
  sign: async () => ({ hash: `hash ${++made}`, bytes: 'the bytes' }),
} as unknown as ChainAdapter

const request: SignRequest = {
  ...{ database: 'the database of the tests', network: 'ALPHA', slot: ['1'], draft: '' as never, attempt: 0 },
  order: { kind: 'transfers', account: 'wallet', transfers: [] },
  ...{ purpose: 'new', payouts: [payout('a')], known: [], writer: ['writer', 1] },
}
const place = { network: 'ALPHA', account: 'wallet', slot: ['1'], evidence: null, freed: [] }

test('a database that lacks the fee bump that paid cannot free the payout', async () => {
  const orders = localOrders({ journal: await openTestJournal(makeFolder()), adapterOf: () => adapter })
  await orders.sign(request)
  await orders.sign({ ...request, attempt: 1, purpose: 'bump' })
  const lines = (await orders.recorded(place)).map(({ line }) => line.n)
  expect(await orders.close({ ...place, outcome: 'paid', lines })).toBe(true)
  // The database of before the fee bump: its only attempt is provably dropped, since the other one used the slot.
  expect(await orders.close({ ...place, outcome: 'unpaid', lines: lines.slice(0, 1) })).toBe(false)
  expect(await orders.sign({ ...request, slot: ['2'] })).toMatchObject({
    is: 'refused',
    refusal: { code: 'payout_signed' },
  })
  // A deep reorg took the payment: the database has both.
  expect(await orders.close({ ...place, outcome: 'unpaid', lines })).toBe(true)
  expect(await orders.sign({ ...request, slot: ['2'] })).toMatchObject({ is: 'signed' })
})
