/** A slot and its payouts are reserved only while they are being signed. */
import { type ChainAdapter, RetryLater } from '@causeway/core'
import { expect, test } from 'vitest'
import { makeFolder, openTestJournal, payout } from '../journal/testing.ts'
import { localOrders } from './local.ts'
import type { SignRequest } from './orders.ts'

const request: SignRequest = {
  ...{ database: 'the database of the tests', network: 'ALPHA', slot: ['1'], draft: '' as never, attempt: 0 },
  order: { kind: 'transfers', account: 'wallet', transfers: [] },
  ...{ purpose: 'new', payouts: [payout('a')], known: [], writer: ['writer', 1] },
}

test('an adapter that throws synchronously leaves nothing reserved', async () => {
  let isAway = true
  const adapter = {
    maxSigningCost: () => ({ feeUnits: 1n }),
    sign: () => {
      if (isAway) throw new RetryLater('the signer is away')
      return Promise.resolve({ hash: 'the hash', bytes: 'the bytes' })
    },
  } as unknown as ChainAdapter
  const orders = localOrders({ journal: await openTestJournal(makeFolder()), adapterOf: () => adapter })
  await expect(orders.sign(request)).rejects.toThrow('away')
  isAway = false
  expect(await orders.sign(request)).toMatchObject({ is: 'signed' })
})
