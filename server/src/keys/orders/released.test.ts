/** A released allocation of a slot is never signed. Another allocation of the same slot is. */
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

const place = { network: 'ALPHA', account: 'wallet', slot: ['1'] }
const request: SignRequest = {
  ...{ database: 'the database of the tests', network: 'ALPHA', slot: ['1'], draft: '' as never, attempt: 0 },
  order: { kind: 'transfers', account: 'wallet', transfers: [] },
  ...{ purpose: 'new', payouts: [payout('a')], known: [], writer: ['writer', 1], allocation: 'first' },
}
const RELEASED = { is: 'refused', refusal: { code: 'slot_released' } }
const open = async () => localOrders({ journal: await openTestJournal(makeFolder()), adapterOf: () => adapter })

test('a released allocation is refused; the slot is free for another one', async () => {
  const orders = await open()
  expect(await orders.release(place, 'first')).toEqual([])
  expect(await orders.sign(request)).toEqual(RELEASED)
  const other = { ...request, allocation: 'second', payouts: [payout('b')] }
  expect(await orders.sign(other)).toMatchObject({ is: 'signed' })
  expect(await orders.sign(request)).toEqual(RELEASED)
})

test('an allocation with a signature is not released: its fees can still be bumped', async () => {
  const orders = await open()
  await orders.sign(request)
  expect(await orders.release(place, 'first')).toHaveLength(1)
  expect(await orders.sign({ ...request, attempt: 1, purpose: 'bump' })).toMatchObject({ is: 'signed' })
})

test('a UTXO that was free again can be released unsigned once more', async () => {
  const orders = await open()
  await orders.sign(request)
  const lines = (await orders.recorded(place)).map(({ line }) => line.n)
  await orders.close({ ...place, evidence: null, outcome: 'unpaid', freed: ['1'], lines })
  expect(await orders.release(place, 'second')).toHaveLength(1)
  expect(await orders.sign({ ...request, allocation: 'second' })).toEqual(RELEASED)
  expect(await orders.sign({ ...request, allocation: 'third' })).toMatchObject({ is: 'signed' })
})
