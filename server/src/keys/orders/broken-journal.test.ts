/** A transaction leaves the signer only if its line is on disk. */

import type { ChainAdapter } from '@causeway/core'
import { expect, test } from 'vitest'
import { makeFolder, openTestJournal, payout } from '../journal/testing.ts'
import { localOrders } from './local.ts'
import type { SignRequest } from './orders.ts'

const adapter = {
  maxSigningCost: () => ({ feeUnits: 1n }),
  sign: async () => ({ hash: 'the hash', bytes: 'the bytes' }),
} as unknown as ChainAdapter

const request: SignRequest = {
  ...{ database: 'the database of the tests', network: 'ALPHA', slot: ['1'], draft: '' as never, attempt: 0 },
  order: { kind: 'transfers', account: 'wallet', transfers: [] },
  ...{ purpose: 'new', payouts: [payout('a')], known: [], writer: ['writer', 1] },
}

test('a retry does not get the bytes of a line that could not be written', async () => {
  const folder = makeFolder()
  let isFull = false
  const journal = await openTestJournal(folder, {
    sync: async (file) => {
      if (isFull) throw new Error('no space left on device')
      await file.datasync()
    },
  })
  const orders = localOrders({ journal, adapterOf: () => adapter })
  isFull = true
  await expect(orders.sign(request)).rejects.toThrow('could not be written')
  // The payout's next try shortly after.
  const answer = await orders.sign(request).catch(() => null)
  expect(answer?.is).not.toBe('signed')
})

test('adopted attempts after a failed write are on disk', async () => {
  const folder = makeFolder()
  let isFull = false
  const journal = await openTestJournal(folder, {
    sync: async (file) => {
      if (isFull) throw new Error('no space left on device')
      await file.datasync()
    },
  })
  const orders = localOrders({ journal, adapterOf: () => adapter })
  isFull = true
  await orders.sign(request).catch(() => undefined)
  const slot = { network: 'ALPHA', account: 'wallet', slot: ['1'] }
  await expect(orders.recorded(slot), 'its slot must not be released either').rejects.toThrow('being signed')
})

test('a second request gets the bytes only when the line of the first is synced', async () => {
  const [syncing, synced] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isSlow = false
  const journal = await openTestJournal(makeFolder(), {
    sync: async () => {
      if (!isSlow) return
      syncing.resolve()
      await synced.promise
    },
  })
  const orders = localOrders({ journal, adapterOf: () => adapter })
  isSlow = true
  const first = orders.sign(request)
  await syncing.promise
  let isAnswered = false
  const second = orders.sign(request).then((answer) => {
    isAnswered = answer.is === 'signed'
  })
  for (let ticks = 0; ticks < 10; ticks++) await new Promise((resolve) => setImmediate(resolve))
  expect(isAnswered).toBe(false)
  synced.resolve()
  await Promise.all([first, second])
})
