/** After a restore: what was sent in the forgotten time and has not landed may do so for a while. Until then nothing is sent for it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FROM, type Restorable, startRestorable, TO } from '../../../../tests/support/service/restorable.ts'
import { chainOf } from '../../catalogue/chains.ts'

const LINGER_MS = 3_600_000

let world: Restorable
beforeAll(async () => {
  world = await startRestorable()
})
afterAll(() => world.stop())

test('a payout pending in the backup is sent when nothing can land any more, even if the chain is empty', async () => {
  await world.run('switch', 'pause', '--scope', 'service', '--what', 'payouts', '--reason', 'backup')
  const swap = await world.hand().swap(FROM, TO)
  world.hand().deposit(swap)
  await world.settle()
  await world.goBackTo(await world.backup())
  const chain = chainOf(world.hand().services.chains, TO)
  chain.lateTransactions = { maxForgottenTxAgeMs: LINGER_MS }
  expect(await world.sayRestored()).toContain(`${TO}: 0 transactions that the books did not know`)
  await world.resume()
  await world.hand().services.safeguards.refresh()
  for (let rounds = 0; rounds < 2; rounds++) await world.settle()
  await world.askAgain()
  await world.settle()
  expect(world.received(swap)).toBe(0n)
  const payout = await world.payoutOf(swap)
  expect(payout).toMatchObject({ state: 'open', started: false })
  expect(await world.run('restored', 'list')).toContain(payout.id)
  await expect(world.run('restored', 'unpaid', '--payout', payout.id)).rejects.toThrow('may still land until')
  world.hand().passTime(LINGER_MS + 1)
  await world.hand().services.refresh()
  await world.askAgain()
  await world.settle()
  expect(await world.statusOf(swap)).toBe('completed')
  expect(world.received(swap)).toBeGreaterThan(0n)
})
