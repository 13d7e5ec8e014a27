/**
 * Expiry, the swap's state and screening of the owner are checked right before a relay is signed (docs/security.md).
 */
import { type ChainAdapter, type Order, RetryLater } from '@causeway/core'
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
  hand = await startHand(database.url)
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

test('a relay whose slot was taken while the signer was down is not signed after expiry or listing', async () => {
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
  let isAway = true
  let signed = 0
  Object.assign(chain, {
    prepare: (_: Order, ...rest: [null, bigint]) => prepare(plain, ...rest),
    sign: (_: Order, ...rest: Parameters<ChainAdapter['sign']> extends [Order, ...infer Rest] ? Rest : never) => {
      if (isAway) throw new RetryLater('the signer is away')
      signed++
      return sign(plain, ...rest)
    },
  })
  await pay(services, payout.id)
  const row = () => db.selectFrom('payout').selectAll().where('id', '=', payout.id).executeTakeFirstOrThrow()
  expect(await row()).toMatchObject({ started: true, sent_at: null })

  // The signer is back a quarter of an hour later: the authorization has expired, the swap is over, the owner is listed.
  hand.passTime(900_000)
  await db.updateTable('swap').set({ status: 'expired' }).where('id', '=', swap.view.swap.id).execute()
  Object.assign(services, { screener: { name: 'list', screen: async () => ({ address: owner, reason: 'listed' }) } })
  isAway = false
  await pay(services, payout.id)
  Object.assign(chain, { prepare, sign })
  expect({ signed, sent: (await row()).sent_at !== null }).toEqual({ signed: 0, sent: false })
})
