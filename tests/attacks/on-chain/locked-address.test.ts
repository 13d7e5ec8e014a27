/**
 * Griefing on Cosmos chains: a deposit address is no account until its first coins come. A stranger reads it in the swap and sends one unit
 * that is locked there, before the owner pays. Only that unit is locked: the owner's coins must be credited without an operator.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressOn } from '../../../chains/cosmos/local/src/accounts.ts'
import { lockedSend, sendOf } from '../../../chains/cosmos/local/src/foreign-messages.ts'
import {
  person,
  sendAs,
  sightedAs,
  startChain,
  type TestChain,
  testNetwork,
} from '../../../chains/cosmos/local/src/testbed.ts'

const [owner, stranger] = [person(0), person(1)]
const osmo = (units: bigint) => ({ denom: 'uosmo', units })

let chain: TestChain
beforeAll(async () => {
  chain = await startChain(testNetwork({}, { scan: 'results' }))
})
afterAll(() => chain.local.stop())

test("one locked unit of a stranger casts no doubt on the owner's coins", async () => {
  const { network, adapter } = chain
  const fresh = (await adapter.depositAddresses?.derive(7)) ?? ''
  await sendAs(chain, stranger, { messages: [lockedSend(addressOn(network, stranger), fresh, osmo(1n))] })
  const paid = { messages: [sendOf(addressOn(network, owner), fresh, osmo(50_000_000n))] }
  const seen = await sightedAs(chain, owner, paid, fresh)
  const [own] = seen.filter(({ amount }) => amount.units === 50_000_000n)
  expect(own?.amount.units).toBe(50_000_000n)
  expect(own?.doubt).toBeUndefined()
})
