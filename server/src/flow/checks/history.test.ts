/** Theft detection: a transaction of a wallet that the ledger does not have halts the wallet. */

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { found } from '../../../../tests/support/service/accounts.ts'
import { haltCauses } from '../../../../tests/support/service/holds.ts'
import { FROM, type Restorable, STUCK_MS, startRestorable, TO } from '../../../../tests/support/service/restorable.ts'
import { chainOf } from '../../catalogue/chains.ts'

let world: Restorable
beforeAll(async () => {
  world = await startRestorable()
})
afterAll(() => world.stop())
beforeEach(() => world.settle())

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
