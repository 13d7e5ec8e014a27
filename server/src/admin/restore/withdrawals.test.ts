/** After a rollback of the database a withdrawal is not paid again, whether it was ordered before the backup or after it. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accountFrom } from '../../../../chains/simulated/local/src/account.ts'
import { type Restorable, startRestorable } from '../../../../tests/support/service/restorable.ts'

const TO = 'BETA'
const COLD = accountFrom('a cold wallet').address
let world: Restorable
beforeEach(async () => {
  world = await startRestorable()
})
afterEach(() => world.stop())

const withdraw = (amount: string) =>
  world.run('wallet', 'withdraw', '--network', TO, '--token', 'USDC', '--amount', amount, '--to', COLD)
const received = () => {
  const token = world
    .hand()
    .services.catalogue.network(TO)
    .tokens.find(({ symbol }) => symbol === 'USDC')
  return world
    .hand()
    .chain(TO)
    .balance(COLD, token?.contract ?? null)
}

test('withdrawals that were paid after the backup are not paid again, and are booked once', async () => {
  await world.run('withdrawal', 'add', '--network', TO, '--address', COLD, '--note', 'safe')
  await world.settle()
  await world.hand().services.refresh()
  await withdraw('100')
  const backup = await world.backup()
  await withdraw('200')
  await world.settle()
  await world.settle()
  expect(received()).toBe(300_000_000n)
  await world.rollBackTo(backup)
  await world.restore()
  for (let round = 0; round < 2; round++) await world.settle()
  expect(received()).toBe(300_000_000n)
  await world.expectBooksEqualChains()
})
