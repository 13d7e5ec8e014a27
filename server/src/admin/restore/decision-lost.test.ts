/** After a restore: a word that a payout was made is carried out, whatever had become of the payout before. */

import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { holdWords } from '../../../../tests/support/service/holds.ts'
import { FINAL, FROM, type Restorable, startRestorable, TO } from '../../../../tests/support/service/restorable.ts'
import { chainOf } from '../../catalogue/chains.ts'
import { abandonReturn, returnUnmatched } from '../../flow/swap/resolve-unmatched.ts'
import { readPayout } from '../../store/payouts/payouts.ts'
import { holdUndone } from '../../store/payouts/undone.ts'
import { markPaid } from '../../store/restore/words.ts'

let world: Restorable
beforeAll(async () => {
  world = await startRestorable()
})
afterAll(() => world.stop())

test('a payout that was undone and paid again in the restore gap is made once that is decided', async () => {
  const swap = await world.hand().swap(FROM, TO, { amount: '5' })
  world.hand().deposit(swap)
  await world.mineAndWatch(FROM, 20)
  const payout = await world.payoutOf(swap)
  // As a slot that failed after its confirmation leaves it: open, without a slot, waiting for an operator.
  const block = { number: 1n, hash: 'replaced' }
  const evidence = { usedBy: 'another', block, reason: 'another transaction used its slot' }
  const { database, now } = world.hand().services
  await holdUndone(database, { ...payout, tx_hash: 'former', block_number: 1n }, evidence, now())
  const backup = await world.backup()
  const base = world.hand().chain(TO).height
  await world.run('payout', 'approve', ...(await holdWords(world.hand().services.database, payout.id)))
  await world.hand().runJobs()
  await world.settle()
  expect(await world.statusOf(swap)).toBe('completed')
  const had = world.received(swap)
  const [txHash = ''] = await world.sentSince(TO, base)

  await world.goBackTo(backup)
  await world.sayRestored()
  await world.settle()
  await world.resume()
  expect(await world.run('restored', 'paid', '--payout', payout.id, '--transaction', txHash)).toContain(
    'counts as made',
  )
  const trouble = await world
    .hand()
    .runJobs()
    .then(
      () => null,
      (error: Error) => error.message,
    )
  await world.settle().catch(() => undefined)
  expect({ trouble, status: await world.statusOf(swap), got: world.received(swap) }).toEqual({
    trouble: null,
    status: 'completed',
    got: had,
  })
})

test('a return that is marked as made is not given up by a worker with an older view', async () => {
  const { services, chain: chainAt } = world.hand()
  const { database } = services
  const contract = services.catalogue.network(FROM).tokens.find(({ symbol }) => symbol === 'USDC')?.contract ?? null
  const { treasury } = chainOf(services.chains, FROM)
  const payer = accountFrom('a payer of nobody')
  const chain = chainAt(FROM)
  chain.mint(payer.address, null, chain.feePerMove)
  chain.mint(payer.address, contract, 50_000_000n)
  const moves = [{ from: payer.address, to: treasury, contract, units: 50_000_000n }]
  const transfer = { network: FROM, account: payer.address, nonce: 0n, fee: chain.feePerMove, memo: null, moves }
  chain.submit(signedBy(transfer, payer))
  await world.mineAndWatch(FROM, 2 * FINAL + 1)
  const deposits = () => database.selectFrom('deposit').selectAll().where('from_address', '=', payer.address)
  const { id } = await deposits().executeTakeFirstOrThrow()
  await services.refresh()
  await returnUnmatched(services, id, accountFrom('home of nobody').address)
  const rows = database.selectFrom('payout').selectAll().where('deposit_id', '=', id)
  const payout = await rows.executeTakeFirstOrThrow()
  // The worker has found nothing against giving it up; the operator then names what made it; the worker goes on.
  await markPaid(database, payout.id, 'made in the forgotten time')
  await abandonReturn(services, payout).catch(() => undefined)
  const { resolution } = await deposits().executeTakeFirstOrThrow()
  expect({ state: (await readPayout(database, payout.id))?.state, resolution }).toEqual({
    state: 'open',
    resolution: 'refunded',
  })
})
