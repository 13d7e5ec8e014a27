/** A relay that would fail on chain gets no higher fee: it would fail at our cost. */
import type { ChainAdapter, Order } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom } from '../../../../chains/simulated/local/src/account.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { insertAuthorization, insertCall } from '../../store/swaps/gasless.ts'
import { pay } from '../payouts/pay.ts'

const [FROM, TO] = ['ALPHA', 'BETA']

let database: TestDatabase
let hand: Hand
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url, { STUCK_AFTER_SECONDS: '60' })
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

test('a relay that is over is not signed again with a higher fee', async () => {
  const { services } = hand
  const { database: db } = services
  const chain = chainOf(services.chains, FROM)
  const swap = await hand.swap(FROM, TO)
  const token = swap.view.swap.source
  const owner = accountFrom('an owner').address
  const account = chain.treasury
  const payout = await insertCall(db, {
    ...{ kind: 'relay', token, units: 1n, account, to: account, call: 'a call', now: services.now() },
  })
  const validBefore = new Date(services.now().getTime() + 600_000)
  await insertAuthorization(
    db,
    { swapId: swap.view.swap.id, token, owner, nonce: '1', signature: 's', validBefore },
    payout,
  )
  // The simulated family supports no calls: any transaction replaces it.
  const { prepare, sign } = chain
  const native = chain.network.nativeToken
  const plain: Order = { kind: 'transfers', account, transfers: [{ to: owner, amount: { token: native, units: 1n } }] }
  const [isOfCall, instead] = [(order: Order) => order.kind === 'transfers', plain]
  Object.assign(chain, {
    prepare: (order: Order, ...rest: [never, bigint]) => prepare(isOfCall(order) ? instead : order, ...rest),
    sign: async (...[order, slot, draft]: Parameters<ChainAdapter['sign']>) =>
      sign(isOfCall(order) ? instead : order, slot, draft),
  })
  await pay(services, payout.id)
  const attempts = () => db.selectFrom('attempt').select(['number', 'cancels']).execute()
  expect(await attempts()).toEqual([{ number: 0, cancels: false }])
  // Stuck, and over.
  hand.passTime(900_000)
  await services.refresh()
  await db.updateTable('swap').set({ status: 'expired' }).where('id', '=', swap.view.swap.id).execute()
  await pay(services, payout.id)
  Object.assign(chain, { prepare, sign })
  expect((await attempts()).filter(({ number, cancels }) => number > 0 && !cancels)).toEqual([])
})
