/** Theft detection: a transaction of a wallet that the ledger does not have halts the wallet. */

import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { found } from '../../../../tests/support/service/accounts.ts'
import { haltCauses, holdOf } from '../../../../tests/support/service/holds.ts'
import { FROM, type Restorable, STUCK_MS, startRestorable, TO } from '../../../../tests/support/service/restorable.ts'
import { chainOf } from '../../catalogue/chains.ts'

let world: Restorable
beforeAll(async () => {
  world = await startRestorable()
})
afterAll(() => world.stop())
beforeEach(() => world.settle())

test('nothing is paid while a node holds a transaction of the wallet that the ledger lacks', async () => {
  const { services } = world.hand()
  const chain = chainOf(services.chains, TO)
  const { lateTransactions } = chain
  const unknown = async () => [{ txHash: 'not ours', slot: ['99'] }]
  Object.assign(chain, { lateTransactions: { ...lateTransactions, mempoolTransactions: unknown } })
  world.hand().passTime(STUCK_MS + 1)
  const swap = await world.hand().swap(FROM, TO)
  world.hand().deposit(swap)
  await world.settle()
  expect(world.received(swap)).toBe(0n)
  const hold = await holdOf(services.database, (await world.payoutOf(swap)).id)
  expect(hold).toEqual({ code: 'unknown_pending', network: TO, txHash: 'not ours' })
  // However long it lasts, the payout is not given up: the transaction may be this payment.
  world.hand().passTime(services.config.payoutGiveUpMs + 1000)
  await world.askAgain()
  expect((await world.payoutOf(swap)).state).toBe('open')
  Object.assign(chain, { lateTransactions })
  await world.askAgain()
  await world.settle()
  expect(world.received(swap)).toBeGreaterThan(0n)
})

test('nothing is paid while no node can tell what the wallet has sent', async () => {
  const chain = chainOf(world.hand().services.chains, TO)
  const { lateTransactions } = chain
  const unanswered = () => Promise.reject(new RetryLater('no node tells'))
  Object.assign(chain, { lateTransactions: { ...lateTransactions, mempoolTransactions: unanswered } })
  world.hand().passTime(STUCK_MS + 1)
  const swap = await world.hand().swap(FROM, TO)
  world.hand().deposit(swap)
  await world.settle()
  expect(world.received(swap)).toBe(0n)
  expect(await world.payoutOf(swap)).toMatchObject({ state: 'open', started: false })
  Object.assign(chain, { lateTransactions })
  await world.askAgain()
  await world.settle()
  expect(world.received(swap)).toBeGreaterThan(0n)
})

test('a transaction that another party signs with the key halts that wallet, and pauses nothing else', async () => {
  const early = await world.hand().swap(FROM, TO)
  world.hand().deposit(early)
  await world.settle()
  expect(await world.statusOf(early)).toBe('completed')
  const chain = chainOf(world.hand().services.chains, TO)
  const token = chain.network.nativeToken
  const transfers = [{ to: early.view.swap.destinationAddress, amount: { token, units: 5n } }]
  const theft = { kind: 'transfers', account: chain.treasury, transfers } as const
  const draft = await chain.prepare(theft, null)
  const slot = await chain.nextSlot(theft, draft, [])
  const stolen = await chain.sign(theft, slot, draft)
  await chain.broadcast(stolen)
  world.hand().chain(TO).mine(1)
  world.hand().passTime(STUCK_MS + 1)
  const late = await world.hand().swap(FROM, TO)
  world.hand().deposit(late)
  await world.settle()
  expect(world.received(late)).toBe(0n)
  const outflow = { code: 'unknown_outflow', network: TO, txHash: stolen.hash, count: 1 }
  expect(await haltCauses(world.hand().services.database)).toEqual([[outflow]])
  expect(found(/nothing is paused/, await world.run('switch', 'list'))).toBe('nothing is paused')
})
