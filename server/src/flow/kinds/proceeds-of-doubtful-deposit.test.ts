/** The proceeds of a sale belong to all deposits that it sold, so each of them may hold their refund. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { createExchangeDouble } from '../../../../tests/support/chains/exchange-double.ts'
import { startDatabase, type TestDatabase } from '../../../../tests/support/database/database.ts'
import { type Hand, startHand } from '../../../../tests/support/service/manual-driver.ts'
import { chainOf } from '../../catalogue/chains.ts'
import type { CreatedSwap } from '../../swaps/create-swap.ts'
import { mayPayByRecord, withoutSlot } from '../checks/gate.ts'
import { pay } from '../payouts/pay.ts'
import { applyEvent } from '../swap/advance.ts'

const NETWORK = 'ALPHA'
const TIER = 2

let database: TestDatabase
let hand: Hand
const double = createExchangeDouble(() => hand)
beforeAll(async () => {
  database = await startDatabase()
  hand = await startHand(database.url)
  double.install()
})
afterAll(async () => {
  await hand.stop()
  await database.stop()
})

async function mine(blocks: number): Promise<void> {
  hand.chain(NETWORK).mine(blocks)
  await hand.watch(NETWORK)
}

/** A deposit of its own sender. */
function deposit({ view: { swap, reference, receiver } }: CreatedSwap, units: bigint): string {
  const chain = hand.chain(NETWORK)
  const payer = accountFrom(`payer of ${units}`)
  const { contract } = swap.source
  chain.mint(payer.address, null, chain.feePerMove)
  chain.mint(payer.address, contract, units)
  const moves = [{ from: payer.address, to: receiver, contract, units }]
  const terms = { network: NETWORK, account: payer.address, nonce: 0n, fee: chain.feePerMove, memo: `${reference}` }
  chain.submit(signedBy({ ...terms, moves }, payer))
  return chain.mempool.at(-1)?.hash ?? ''
}

test('the proceeds of a sale are not refunded while one of the sold deposits cannot be located', async () => {
  const { services } = hand
  const swap = await double.swapWith('sale')
  const { id, requestedUnits } = swap.view.swap
  const part = (requestedUnits ?? 0n) / 5n
  deposit(swap, (requestedUnits ?? 0n) - part)
  const doubtful = deposit(swap, part)
  await mine(TIER)
  const payouts = services.database.selectFrom('payout').selectAll().where('swap_id', '=', id).orderBy('number')
  const [sale] = await payouts.execute()
  Object.assign(double.exchange, { received: BigInt(sale?.leg?.minUnits ?? 0), allowance: sale?.units })
  await pay(services, sale?.id ?? '')
  // While the sale is on its way, no node can say any more where the smaller deposit is.
  const look = { network: NETWORK, tx_hash: doubtful, class: 'unlocatable' as const, due: 0n, since: 0n }
  await services.database.insertInto('deposit_look').values(look).execute()
  chainOf(services.chains, NETWORK).inspect = () => Promise.reject(new RetryLater('no node answers'))
  await mine(services.catalogue.network(NETWORK).finalDepth + 1)
  await applyEvent(services, id, { type: 'payout_abandoned', kind: 'output', depositId: null })
  const refund = (await payouts.execute()).find(({ kind }) => kind === 'refund')
  expect(refund).toMatchObject({ state: 'open', token: sale?.leg?.buys })
  const objections = await mayPayByRecord(services, services.database, refund ? [withoutSlot(refund)] : [], 'new')
  expect(objections.get(refund?.id ?? '')?.map(({ hold }) => hold)).toEqual([
    { code: 'deposit_unlocatable', txHash: doubtful },
  ])
})
