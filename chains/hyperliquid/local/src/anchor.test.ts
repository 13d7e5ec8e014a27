/** A balance at a second is the balance of that time, whichever backend answers for the balance and for the ledger. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { ONE_USDC, sent, startChain, startProxy, type Testbed } from './testbed.ts'

let bed: Testbed
beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed.local.stop())

/** A gateway whose ledger ends before this moment. */
async function lagging() {
  const hidden = { from: Number.POSITIVE_INFINITY }
  const proxy = await startProxy(bed.url, async ({ type }, pass) => {
    if (type !== 'userNonFundingLedgerUpdates') return undefined
    const { body } = await pass()
    return { body: (body as { time: number }[]).filter(({ time }) => time < hidden.from) }
  })
  return { ...proxy, hidden, adapter: await bed.open({ nodes: [proxy.url] }) }
}

it('a payment that the ledger does not show yet gives no balance for a second before it', async () => {
  const { adapter, hidden, stop } = await lagging()
  const wanted = [{ owner: bed.treasury, token: bed.native }]
  await bed.local.mine(bed.network.name, 5)
  const { units: before } = await adapter.balances(wanted)
  await bed.local.mine(bed.network.name, 60)
  hidden.from = Date.now() + 60_000
  await sent(bed.adapter, bed.payment(bed.user.address, 7n * ONE_USDC))
  await expect(adapter.balances(wanted)).rejects.toThrow(RetryLater)
  hidden.from = Number.POSITIVE_INFINITY
  expect((await adapter.balances(wanted)).units).toEqual(before)
  await bed.local.mine(bed.network.name, 5)
  expect((await adapter.balances(wanted)).units).toEqual([(before[0] ?? 0n) - 7n * ONE_USDC])
  await stop()
})

it('a balance that no ledger explains is reported after a while: it may be a theft', async () => {
  let aheadMs = 0
  const real = Date.now.bind(Date)
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => real() + aheadMs)
  const { adapter, hidden, stop } = await lagging()
  const wanted = [{ owner: bed.treasury, token: bed.native }]
  await bed.local.mine(bed.network.name, 5)
  const { units: before } = await adapter.balances(wanted)
  await bed.local.mine(bed.network.name, 60)
  hidden.from = Date.now() + 60_000
  await sent(bed.adapter, bed.payment(bed.user.address, 2n * ONE_USDC))
  await bed.local.mine(bed.network.name, 5)
  await expect(adapter.balances(wanted)).rejects.toThrow(RetryLater)
  aheadMs = 121_000
  expect((await adapter.balances(wanted)).units).toEqual([(before[0] ?? 0n) - 2n * ONE_USDC])
  clock.mockRestore()
  await stop()
})
