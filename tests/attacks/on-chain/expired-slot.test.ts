/**
 * UTXOs of an expired Fuel slot are released by the signer too: by its own check of the chain at final depth, never
 * because the service says so.
 */
import type { ChainAdapter } from '@causeway/core'
import { family } from '@causeway/fuel'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Attempt, draw, type Lab, openLab, payment } from '../../../chains/fuel/local/src/testbed.ts'
import { mnemonicSigner } from '../../../server/src/keys/keystore/mnemonic.ts'
import { openSigner, PHRASE } from '../signer/signer.ts'

/** Short enough for a test. */
const EXPIRES = 30
const COIN = 5n * 10n ** 9n

let lab: Lab
let alice: string
let bob: string
beforeAll(async () => {
  lab = await openLab({ expires_after_blocks: EXPIRES })
  const treasury = await family.treasury(lab.network, mnemonicSigner(PHRASE))
  ;[alice, bob] = [await lab.stranger('alice'), await lab.stranger('bob')]
  await lab.devnet.fund(lab.native, treasury, 10n * COIN)
  await lab.mine(lab.network.finalDepth + 1)
})
afterAll(() => lab.devnet.stop())

const untilOf = ({ slot }: Attempt) => Number(slot.at(-1)?.split(':')[1])

/** Mines up to this height. */
async function reach(adapter: ChainAdapter, height: number): Promise<void> {
  const { block } = await adapter.balances([])
  await lab.mine(height - Number(block?.number))
}

/** Says that the slot of an attempt is over, and signs another order with its UTXOs, by a current draft and slot. */
async function again(
  adapter: ChainAdapter,
  free: Awaited<ReturnType<typeof openSigner>>['free'],
  { slot }: Attempt,
  to: string,
) {
  await free(adapter.treasury, slot)
  const order = payment(adapter, [to, lab.native, 7_000n])
  const draft = await adapter.prepare(order, null)
  const fresh = await adapter.nextSlot(order, draft, [])
  const coins = slot.slice(0, -1)
  const until = fresh.at(-1)?.split(':')[1]
  return adapter.sign(order, [...coins, `until:${until}:${coins[0]}`], draft)
}

it('reuses the coins of a slot once its last block is final, and not a block earlier', async () => {
  const { attacker, free } = await openSigner(family, lab.network)
  const adapter = await attacker()
  const first = await draw(adapter, payment(adapter, [alice, lab.native, 5_000n]))
  await reach(adapter, untilOf(first) + lab.network.finalDepth - 1)
  await expect(again(adapter, free, first, bob)).rejects.toThrow('was signed for another order')
  await lab.mine()
  const second = await again(adapter, free, first, bob)
  await adapter.broadcast(second)
  await lab.mine()
  expect([await lab.units(alice), await lab.units(bob)]).toEqual([0n, 7_000n])
  await expect(adapter.broadcast(first.signed)).rejects.toThrow()
})

it('keeps the coins for their order if one of its own nodes does not answer', async () => {
  const { attacker, free } = await openSigner(family, { ...lab.network, nodes: [lab.url, 'http://127.0.0.1:9'] })
  const adapter = await attacker()
  const first = await draw(adapter, payment(adapter, [alice, lab.native, 6_000n]))
  await reach(adapter, untilOf(first) + lab.network.finalDepth)
  await expect(again(adapter, free, first, bob)).rejects.toThrow('was signed for another order')
})

it('rejects a slot with a coin of another slot that may still be mined', async () => {
  const { attacker, free } = await openSigner(family, lab.network)
  const adapter = await attacker()
  const order = payment(adapter, [alice, lab.native, 8_000n])
  const first = await draw(adapter, order)
  await reach(adapter, untilOf(first) + lab.network.finalDepth)
  const draft = await adapter.prepare(order, null)
  const coins = first.slot.slice(0, -1)
  await adapter.sign(order, [...coins, `until:${untilOf(first) + 10 * EXPIRES}:${coins[0]}`], draft)
  await expect(again(adapter, free, first, bob)).rejects.toThrow('was signed for another order')
})
