/** If several paths to the operator must agree on a deposit, they must agree on its amount, not only on its batch. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { draw, ETH, payment, startLedger, startProxy, statusOf, type Testbed } from './testbed.ts'

let bed: Testbed
beforeAll(async () => {
  bed = await startLedger()
})
afterAll(() => bed.local.stop())

interface Row {
  token: { type: string; data: { quantity: string } }
  message: { amount: string; nonce: string }
}

/** Another amount under the same id in the same batch; its message is unchanged. */
const liar = () =>
  startProxy(bed.url, (path, answer) => {
    if (!/^v1\/transfers\/\d+$/.test(path)) return answer
    const { head, result: row } = answer as { head: unknown; result: Row }
    const data = { ...row.token.data, quantity: `${900n * BigInt(row.token.data.quantity)}` }
    const message = { ...row.message, amount: `${900n * BigInt(row.message.amount)}`, nonce: '4711' }
    return { head, result: { ...row, token: { ...row.token, data }, message } }
  })

test('a deposit is credited only with the amount that enough of them report', async () => {
  const action = { toAddress: bed.treasury, units: ETH, callData: '1000001' }
  const id = await bed.local.deposit(bed.user, bed.native, action)
  await bed.mine(3)
  const ours = staticWatchlist(bed.treasury)
  const lying = await liar()
  const two = await bed.open({ nodes: [lying.url, bed.url], quorum: 2 })
  await expect(two.inspect(id, ours)).rejects.toThrow(RetryLater)
  const other = await startProxy(bed.url, (_, answer) => answer)
  const three = await bed.open({ nodes: [lying.url, bed.url, other.url], quorum: 2 })
  expect(await three.inspect(id, ours)).toMatchObject({
    state: 'included',
    sightings: [{ txHash: id, amount: { units: ETH }, reference: 1_000_001n }],
  })
  await Promise.all([lying.stop(), other.stop()])
})

test('one that invents a landing is not trusted, and a real landing is reported by enough', async () => {
  const to = await bed.stranger('invented')
  const drawn = await draw(bed.adapter, payment(bed, to, ETH))
  const { stark_signature, ...message } = JSON.parse(drawn.signed.bytes).body.requests[0]
  const lying = await startProxy(bed.url, (path, answer) => {
    if (!path.startsWith('v1/transfers?')) return answer
    const { head } = answer as { head: unknown }
    const token = { type: 'ETH', data: { token_address: '', quantity: `${ETH}` } }
    const row = { transaction_id: '99', user: bed.treasury, receiver: to, token, batch: head, message, stark_signature }
    return { head, result: [row] }
  })
  const two = await bed.open({ nodes: [lying.url, bed.url], quorum: 2 })
  await expect(statusOf(two, drawn)).rejects.toThrow(RetryLater)
  const same = await startProxy(bed.url, (_, answer) => answer)
  const three = await bed.open({ nodes: [lying.url, bed.url, same.url], quorum: 2 })
  expect(await statusOf(three, drawn)).toEqual({ state: 'unknown' })
  await bed.adapter.broadcast(drawn.signed)
  await bed.mine(3)
  expect(await statusOf(three, drawn)).toMatchObject({ state: 'included' })
  await Promise.all([lying.stop(), same.stop()])
})
