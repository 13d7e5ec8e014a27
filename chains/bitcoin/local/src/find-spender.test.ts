/** Finds the transaction that spent a UTXO; one in a replaced block never counts. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { draw, type Lab, openLab, payment, replace } from './testbed.ts'

let lab: Lab
beforeAll(async () => {
  lab = await openLab()
})
afterAll(() => lab.devnet.stop())

it('a payout is proven dead even if its rival changed with a reorg', async () => {
  const [adapter, dearer, dearest] = await Promise.all(
    [10, 20, 40].map((rate) => lab.open('rivals', { fallback_fee_rate: rate })),
  )
  if (!adapter || !dearer || !dearest) throw new Error('three of them')
  await lab.devnet.fund(lab.network.nativeToken, adapter.treasury, 10_000_000n)
  const stateOf = async ({ signed, slot }: Awaited<ReturnType<typeof draw>>) =>
    (await adapter.status({ hash: signed.hash, slot, account: adapter.treasury }, nothingSigned)).state
  const first = await draw(adapter, payment(adapter, [await lab.stranger('rival'), 50_000n]))
  await adapter.broadcast(first.signed)
  const second = await replace(dearer, first)
  await dearer.broadcast(second.signed)
  await lab.mine()
  expect(await stateOf(second)).toBe('included')
  expect(await stateOf(first)).toBe('unknown')
  const third = await replace(dearest, first)
  await lab.devnet.reorg(lab.network.name, 1)
  await dearest.broadcast(third.signed)
  await lab.mine(lab.network.finalDepth)
  expect(await stateOf(third)).toBe('included')
  expect(await stateOf(first)).toBe('dead')
})
