/**
 * A relay whose permit was relayed before: the database has forgotten it, the journal has not. Its key in the journal
 * (`p:NETWORK/TOKEN/OWNER/NONCE`) stops a second one, whether the rollback is noticed or not.
 */
import type { ChainAdapter, Order } from '@causeway/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom } from '../../../../chains/simulated/local/src/account.ts'
import { holdOf } from '../../../../tests/support/service/holds.ts'
import { FROM, type Restorable, startRestorable } from '../../../../tests/support/service/restorable.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { bindNonce, insertAuthorization, insertCall } from '../../store/swaps/gasless.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { pay } from '../payouts/pay.ts'

const OWNER = accountFrom('an owner').address
let world: Restorable
beforeEach(async () => {
  world = await startRestorable()
})
afterEach(() => world.stop())

/** Orders the relay of a permit for a swap, and lets it be paid. */
async function relay(swap: CreatedSwap, nonce: string): Promise<PayoutRow> {
  const { services } = world.hand()
  const { database } = services
  const chain = chainOf(services.chains, FROM)
  const [account, token] = [chain.treasury, swap.view.swap.source]
  const payout = await insertCall(database, {
    ...{ kind: 'relay', token, units: 1n, account, to: account, call: 'a call', now: services.now() },
  })
  const validBefore = new Date(services.now().getTime() + 6_000_000)
  const entry = { swapId: swap.view.swap.id, token, owner: OWNER, nonce, signature: 's', validBefore }
  expect(await insertAuthorization(database, entry, payout)).not.toBeNull()
  // The simulated family supports no calls: any transaction replaces it.
  const { prepare, sign } = chain
  const transfers = [{ to: OWNER, amount: { token: chain.network.nativeToken, units: 1n } }]
  const plain: Order = { kind: 'transfers', account, transfers }
  const isCall = (order: Order) => order.kind === 'transfers' && order.call !== undefined
  Object.assign(chain, {
    prepare: (order: Order, ...rest: [never, bigint]) => prepare(isCall(order) ? plain : order, ...rest),
    sign: (...[order, slot, draft]: Parameters<ChainAdapter['sign']>) =>
      sign(isCall(order) ? plain : order, slot, draft),
  })
  await pay(services, payout.id)
  Object.assign(chain, { prepare, sign })
  return payout
}

/** How many transactions were signed for this relay. */
async function signedFor({ id }: PayoutRow): Promise<number> {
  const { database } = world.hand().services
  const rows = database.selectFrom('attempt').innerJoin('slot_payout', 'slot_payout.slot_id', 'attempt.slot_id')
  return (await rows.select('hash').where('payout_id', '=', id).execute()).length
}

test('a rollback that nothing has noticed: the permit is not relayed again, and signing stops', async () => {
  const [first, second] = [await world.coinSwap('Alice'), await world.coinSwap('Bob')]
  const backup = await world.backup()
  expect(await signedFor(await relay(first, '7'))).toBe(1)
  // Mined: the next relay gets another nonce, so only its permit can stop it.
  await world.settle()
  const { journal } = world.hand().services
  await world.goBackTo(backup, { journal, isAudited: false })
  for (const chain of world.hand().services.chains.values()) delete chain.audit
  expect(await signedFor(await relay(second, '7'))).toBe(0)
  expect(world.hand().services.signing.stopped).toBe('rolled_back')
})

test('after the restore the permit is not relayed again; another permit is', async () => {
  const [first, second, third] = [
    await world.coinSwap('Alice'),
    await world.coinSwap('Bob'),
    await world.coinSwap('Carol'),
  ]
  const backup = await world.backup()
  await relay(first, '7')
  await world.rollBackTo(backup)
  await world.restore()
  const again = await relay(second, '7')
  expect(await signedFor(again)).toBe(0)
  expect(await holdOf(world.hand().services.database, again.id)).toMatchObject({ code: 'restore_doubt' })
  await world.settle()
  expect(await signedFor(again)).toBe(0)
  expect(world.hand().services.signing.stopped).toBeNull()
  expect(await signedFor(await relay(third, '8'))).toBe(1)
})

test('a relay that no node has is sent again as it was signed, and its permit stays used', async () => {
  const [first, second] = [await world.coinSwap('Alice'), await world.coinSwap('Bob')]
  const backup = await world.backup()
  const lost = await relay(first, '7')
  const { database } = world.hand().services
  const attempt = await database.selectFrom('attempt').select('hash').orderBy('created_at', 'desc').executeTakeFirst()
  world
    .hand()
    .chain(FROM)
    .evict(attempt?.hash ?? '')
  await world.rollBackTo(backup)
  await world.restore()
  await world.settle()
  expect((await world.sentSince(FROM, 0)).includes(attempt?.hash ?? '')).toBe(true)
  expect(await signedFor(lost)).toBe(1)
  expect(await signedFor(await relay(second, '7'))).toBe(0)
})

test('the nonce of a permit belongs to one swap, for good', async () => {
  const [first, second] = [await world.coinSwap('Alice'), await world.coinSwap('Bob')]
  const { database, now } = world.hand().services
  const bind = ({ view: { swap } }: CreatedSwap, nonce: string) => {
    const permit = { owner: OWNER, nonce, signature: 's', validBefore: now() }
    return bindNonce(database, { swapId: swap.id, token: swap.source, ...permit })
  }
  expect([await bind(first, '7'), await bind(second, '7'), await bind(first, '7')]).toEqual([true, false, true])
  expect(await bind(second, '8')).toBe(true)
})
