/** A look through a node that lagged proves nothing of what was delivered: it is not sent back on the other network. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../chains/simulated/local/src/account.ts'
import { FROM, type Restorable, startRestorable, TO } from '../../../tests/support/restorable.ts'
import { type CreatedSwap, createSwap } from '../swaps/creating.ts'
import { expireSwaps } from './expire.ts'

let world: Restorable
beforeEach(async () => {
  world = await startRestorable()
})
afterEach(() => world.stop())

const refunds = accountFrom('unrestored refunds').address
async function coinSwap(): Promise<CreatedSwap> {
  const { services } = world.hand()
  await services.refresh()
  const nobody = { sourceAddress: null, sourceExchange: null, destinationExchange: null, correlationId: null }
  const no = { refuel: false, useDepository: false, useGasless: false, slippage: null, useNewDepositAddress: true }
  return createSwap(services, {
    ...{ ...nobody, ...no, sourceNetwork: FROM, destinationNetwork: TO, useDepositAddress: false },
    ...{ sourceToken: 'SIM', destinationToken: 'USDC' },
    ...{ amount: '1', referenceId: null, appId: null, appName: null },
    destinationAddress: accountFrom('unrestored recipient').address,
    refundAddress: refunds,
  })
}
function send({ view: { receiver, sequence } }: CreatedSwap, units: bigint): void {
  const chain = world.hand().chain(FROM)
  const payer = accountFrom('unrestored payer')
  chain.mint(payer.address, null, chain.feePerMove + units)
  const moves = [{ from: payer.address, to: receiver, contract: null, units }]
  const transfer = { network: FROM, account: payer.address, nonce: chain.nonce(payer.address), fee: chain.feePerMove }
  chain.submit(signedBy({ ...transfer, memo: `${sequence}`, moves }, payer))
}
async function tick(ms: number): Promise<void> {
  world.hand().passTime(ms)
  await world.hand().services.refresh()
  await expireSwaps(world.hand().services)
  await world.hand().runJobs()
  await world.settle()
}

for (const isSaid of [false, true])
  test(`the node of the destination lagged ${isSaid ? 'at "restored" and ' : ''}at the start: what it delivered is not sent back`, async () => {
    const swap = await coinSwap()
    const backup = await world.backup()
    const then = world.hand().chain(TO).height
    send(swap, 10n ** 18n)
    await world.settle()
    expect(await world.statusOf(swap)).toBe('completed')
    const paid = world.received(swap)
    expect(paid).toBeGreaterThan(0n)

    const { faults } = world.hand().node(TO)
    Object.assign(faults, { behind: world.hand().chain(TO).height - then })
    await world.goBackTo(backup)
    const said = isSaid ? await world.run('restored', '--watch', '20', '--addresses', '1000') : ''
    if (isSaid) await world.run('switch', 'resume', '--scope', 'service')
    // The node has caught up.
    Object.assign(faults, { behind: 0 })
    world.hand().services.prices.SIM = '1500'
    await world.hand().services.refresh()
    await world.settle()
    await tick(200_000)
    await tick(31 * 60_000)
    await tick(60_000)
    await world.askAgain()
    await world.settle()
    const rows = await world
      .hand()
      .services.database.selectFrom('payout')
      .select(['kind', 'network', 'state', 'held_reason'])
      .where('swap_id', '=', swap.view.swap.id)
      .execute()
    expect(
      { received: world.received(swap), refunded: world.hand().chain(FROM).balance(refunds, null) },
      `${said}\n${JSON.stringify(rows)} ${await world.run('switch', 'list')}`,
    ).toEqual({ received: paid, refunded: 0n })
  })

for (const isSaid of [true])
  test(`the wallet that delivered it is halted for that very transaction: it is not sent back on the other network`, async () => {
    const swap = await coinSwap()
    const backup = await world.backup()
    const then = world.hand().chain(TO).height
    send(swap, 10n ** 18n)
    await world.settle()
    expect(await world.statusOf(swap)).toBe('completed')
    const paid = world.received(swap)
    expect(paid).toBeGreaterThan(0n)

    const { faults } = world.hand().node(TO)
    Object.assign(faults, { behind: world.hand().chain(TO).height - then })
    await world.goBackTo(backup)
    const said = isSaid ? await world.run('restored', '--watch', '20', '--addresses', '1000') : ''
    if (isSaid) await world.run('switch', 'resume', '--scope', 'service')
    // The node has caught up.
    Object.assign(faults, { behind: 0 })
    // Another swap's payout looks again, and the wallet is halted: it sent what the books do not know.
    world.hand().passTime(61_000)
    const other = await world.hand().swap(FROM, TO)
    world.hand().services.prices.SIM = '1500'
    await world.hand().services.refresh()
    world.hand().deposit(other)
    await world.settle()
    expect(await world.run('wallet', 'list')).toContain('which the books do not know')
    await world.hand().services.refresh()
    await world.settle()
    await tick(200_000)
    await tick(31 * 60_000)
    await tick(60_000)
    await world.askAgain()
    await world.settle()
    const rows = await world
      .hand()
      .services.database.selectFrom('payout')
      .select(['kind', 'network', 'state', 'held_reason'])
      .where('swap_id', '=', swap.view.swap.id)
      .execute()
    expect(
      { received: world.received(swap), refunded: world.hand().chain(FROM).balance(refunds, null) },
      `${said}\n${JSON.stringify(rows)} ${await world.run('switch', 'list')}`,
    ).toEqual({ received: paid, refunded: 0n })
  })
