/** Recorded answers of toncenter: the adapter reads them, and the local chain answers in the same form. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { shapeDifferences } from '../../../../tests/support/chains/recordings.ts'
import { accountState } from '../../src/node/calls.ts'
import recording from './recordings/toncenter.json' with { type: 'json' }
import { startChain, type Testbed } from './testbed.ts'

const { active, uninitialized } = recording.answers

let bed: Testbed
beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed.local.stop())

it('an active account and one that does not exist yet are read', () => {
  expect(accountState('x').read(active)).toMatchObject({
    ...{ balance: 1_000_000_995_239_999n, isActive: true, last: { lt: 57_000_001n } },
    ...{ head: { number: 539n }, codeHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  })
  expect(accountState('x').read(uninitialized)).toMatchObject({
    balance: 0n,
    isActive: false,
    last: null,
    codeHash: null,
  })
})

it.each([
  ['an active account', active, () => bed.user.address],
  ['one that does not exist yet', uninitialized, () => bed.stranger('unknown')],
])('the local chain shows %s as toncenter does', async (_, recorded, addressOf) => {
  const params = { address: await addressOf() }
  const body = JSON.stringify({ id: '1', jsonrpc: '2.0', method: 'getAddressInformation', params })
  const answer = await (await fetch(bed.url, { method: 'POST', body })).json()
  expect(shapeDifferences(recorded, (answer as { result: unknown }).result, EXTRA)).toEqual([])
})

const UNREAD = 'the local chain leaves out what nothing reads'
const EXTRA = {
  '@type': UNREAD,
  '@extra': UNREAD,
  extra_currencies: UNREAD,
  'last_transaction_id.@type': UNREAD,
  frozen_hash: UNREAD,
  balance: 'toncenter writes a zero as a number, all others as text: both are read',
}
