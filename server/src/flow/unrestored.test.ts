/** "Resuming without `restored` pays nothing" (operate.md): also not a refund on a network whose own wallet did nothing unknown. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountFrom, signedBy } from '../../../chains/simulated/local/src/account.ts'
import { FROM, type Restorable, startRestorable, TO } from '../../../tests/support/restorable.ts'
import { type CreatedSwap, createSwap } from '../swaps/creating.ts'
import { expireSwaps } from './expire.ts'

let world: Restorable
beforeAll(async () => {
  world = await startRestorable()
})
afterAll(() => world.stop())

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

test('what was delivered on one network in the forgotten time is not sent back on the other', async () => {
  const swap = await coinSwap()
  const backup = await world.backup()
  send(swap, 10n ** 18n)
  await world.settle()
  expect(await world.statusOf(swap)).toBe('completed')
  expect(world.received(swap)).toBeGreaterThan(0n)

  await world.goBackTo(backup)
  expect(await world.run('switch', 'list')).toContain('npm run admin -- restored')
  // Step 4 is forgotten, and somebody resumes. Prices have moved meanwhile.
  await world.run('switch', 'resume', '--scope', 'service')
  world.hand().services.prices.SIM = '1500'
  await world.hand().services.refresh()
  await world.settle()
  await tick(200_000)
  await tick(31 * 60_000)
  await tick(60_000)
  expect(await world.run('switch', 'list')).toContain('npm run admin -- restored')
  expect(world.hand().chain(FROM).balance(refunds, null)).toBe(0n)
})
