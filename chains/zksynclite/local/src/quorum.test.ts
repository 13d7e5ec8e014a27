/** With a quorum, one server alone cannot confirm a payout. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { draw, payment, startChain, startProxy, statusOf, type Testbed } from './testbed.ts'

let bed: Testbed
beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed.local.stop())

test('a server that invents a landing is not trusted, and a real landing is reported by enough of them', async () => {
  const drawn = await draw(bed.adapter, payment(bed, await bed.stranger('invented'), 10n ** 15n))
  const { tx } = JSON.parse(drawn.signed.bytes.split('\n').at(-1) ?? '')
  const lying = await startProxy(bed.url, (path, result) =>
    path.startsWith('transactions/sync-tx:')
      ? { tx: { txHash: drawn.signed.hash, blockNumber: 1, status: 'finalized', op: tx } }
      : result,
  )
  await bed.mine(3)
  const two = await bed.open({ nodes: [lying.url, bed.url], quorum: 2 })
  await expect(statusOf(two, drawn)).rejects.toThrow(RetryLater)
  const same = await startProxy(bed.url, (_, result) => result)
  const three = await bed.open({ nodes: [lying.url, bed.url, same.url], quorum: 2 })
  expect(await statusOf(three, drawn)).toEqual({ state: 'unknown' })
  await bed.adapter.broadcast(drawn.signed)
  await bed.mine(3)
  expect(await statusOf(three, drawn)).toMatchObject({ state: 'included' })
  await Promise.all([lying.stop(), same.stop()])
})
