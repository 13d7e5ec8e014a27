/** A swap that was delivered in the restore gap is not refunded on the other network, whatever its node reports. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../../chains/simulated/local/src/account.ts'
import { FROM, type Restorable, startRestorable, TO } from '../../../../tests/support/service/restorable.ts'
import { reconcile } from '../../flow/reconciliation/reconcile.ts'
import { expireSwaps } from '../../flow/swap/expire.ts'
import { type CreatedSwap, createSwap } from '../../swaps/create-swap.ts'

let world: Restorable
beforeEach(async () => {
  world = await startRestorable()
})
afterEach(() => world.stop())

const refunds = accountFrom('forgotten refunds').address
async function coinSwap(): Promise<CreatedSwap> {
  const { services } = world.hand()
  await services.refresh()
  const nobody = { sourceAddress: null, sourceExchange: null, destinationExchange: null, correlationId: null }
  const no = { refuel: false, useDepository: false, useGasless: false, slippage: null, useNewDepositAddress: true }
  return createSwap(services, {
    ...{ ...nobody, ...no, sourceNetwork: FROM, destinationNetwork: TO, useDepositAddress: false },
    ...{ sourceToken: 'SIM', destinationToken: 'USDC' },
    ...{ amount: '1', referenceId: null, appId: null, appName: null },
    destinationAddress: accountFrom('forgotten recipient').address,
    refundAddress: refunds,
  })
}
/** Answers what was sent. */
function send({ view: { receiver, reference } }: CreatedSwap, units: bigint): string {
  const chain = world.hand().chain(FROM)
  const payer = accountFrom('forgotten payer')
  chain.mint(payer.address, null, chain.feePerMove + units)
  const moves = [{ from: payer.address, to: receiver, contract: null, units }]
  const transfer = { network: FROM, account: payer.address, nonce: chain.nonce(payer.address), fee: chain.feePerMove }
  const bytes = signedBy({ ...transfer, memo: `${reference}`, moves }, payer)
  chain.submit(bytes)
  return bytes
}
async function tick(ms: number): Promise<void> {
  world.hand().passTime(ms)
  await world.hand().services.refresh()
  await expireSwaps(world.hand().services)
  await world.hand().runJobs()
  await world.settle()
}

/**
 * A swap is delivered, and then the database forgets it. `lags`: the destination's node is still at its earlier height.
 */
async function deliverAndForget({ lags }: { lags: boolean }): Promise<{ swap: CreatedSwap; paid: bigint }> {
  const swap = await coinSwap()
  const backup = await world.backup()
  const then = world.hand().chain(TO).height
  send(swap, 10n ** 18n)
  await world.settle()
  expect(await world.statusOf(swap)).toBe('completed')
  const paid = world.received(swap)
  expect(paid).toBeGreaterThan(0n)
  if (lags) Object.assign(world.hand().node(TO).faults, { behind: world.hand().chain(TO).height - then })
  await world.goBackTo(backup)
  return { swap, paid }
}

const catchUp = () => Object.assign(world.hand().node(TO).faults, { behind: 0 })

async function sayRestored(): Promise<void> {
  await world.run('restored', '--watch', '20')
  await world.run('switch', 'resume', '--scope', 'service')
}

/** Prices have moved, so that the swap would be refunded; and its time passes. */
async function goOnDearer(): Promise<void> {
  world.hand().services.prices.SIM = '1500'
  await world.hand().services.refresh()
  await world.settle()
  for (const ms of [200_000, 31 * 60_000, 60_000]) await tick(ms)
  await world.askAgain()
  await world.settle()
}

async function expectPaidOnce({ swap, paid }: { swap: CreatedSwap; paid: bigint }): Promise<void> {
  const refunded = world.hand().chain(FROM).balance(refunds, null)
  expect({ received: world.received(swap), refunded }).toEqual({ received: paid, refunded: 0n })
}

test('nothing is sent back where everything is resumed without "restored"', async () => {
  const delivered = await deliverAndForget({ lags: false })
  expect(await world.run('switch', 'list')).toContain('npm run admin -- restored')
  await world.run('switch', 'resume', '--scope', 'service')
  await goOnDearer()
  expect(await world.run('switch', 'list')).toContain('npm run admin -- restored')
  await expectPaidOnce(delivered)
})

test.each([false, true])(
  'nothing is sent back where the node of the destination lagged at the start ("restored" said: %s)',
  async (isSaid) => {
    const delivered = await deliverAndForget({ lags: true })
    if (isSaid) await sayRestored()
    catchUp()
    await goOnDearer()
    await expectPaidOnce(delivered)
  },
)

test('nothing is refunded if that very transaction is found after "restored": everything is paused', async () => {
  const delivered = await deliverAndForget({ lags: true })
  await sayRestored()
  catchUp()
  // Another swap's payout checks again: the wallet sent a transaction that is not in the ledger.
  world.hand().passTime(61_000)
  const other = await world.hand().swap(FROM, TO)
  world.hand().services.prices.SIM = '1500'
  await world.hand().services.refresh()
  world.hand().deposit(other)
  await world.settle()
  expect(await world.run('switch', 'list')).toContain('run "npm run admin -- restored"')
  await goOnDearer()
  await expectPaidOnce(delivered)
})

test('nor where that wallet was halted before for the coins that are missing', async () => {
  const delivered = await deliverAndForget({ lags: true })
  await sayRestored()
  catchUp()
  // The balances tell first: two looks are enough.
  const { services } = world.hand()
  for (let look = 0; look < 3; look++) {
    await world.mineAndWatch(TO, 1)
    world.hand().passTime(61_000)
    await reconcile(services)
  }
  expect(await world.run('wallet', 'list')).toContain('are missing')
  const other = await world.hand().swap(FROM, TO)
  services.prices.SIM = '1500'
  await services.refresh()
  world.hand().deposit(other)
  await world.settle()
  await goOnDearer()
  await expectPaidOnce(delivered)
})

test('nor is a deposit paid again that a reorg took in that time and that is re-included long after', async () => {
  const chain = world.hand().chain(FROM)
  const swap = await coinSwap()
  const backup = await world.backup()
  const [before, base] = [chain.height, world.hand().chain(TO).height]
  const deposit = send(swap, 10n ** 18n)
  await world.settle()
  expect(await world.statusOf(swap)).toBe('completed')
  const paid = world.received(swap)
  chain.reorg(chain.height - before)
  const [txHash = ''] = await world.sentSince(TO, base)
  await world.goBackTo(backup)
  await world.sayRestored()
  await world.run('restored', 'accept', '--transaction', txHash)
  await world.resume()
  await world.settle()

  expect(chain.submit(deposit)).toBe('accepted')
  await world.settle()
  await world.askAgain()
  await world.settle()
  await expectPaidOnce({ swap, paid })
  const { id } = await world.payoutOf(swap)
  expect(await world.run('restored', 'list')).toContain(id)
  await world.run('restored', 'paid', '--payout', id, '--transaction', txHash)
  await world.askAgain()
  await world.settle()
  expect(await world.statusOf(swap)).toBe('completed')
  await expectPaidOnce({ swap, paid })
})
