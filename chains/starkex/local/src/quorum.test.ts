/** Where several ways to the operator must agree on a deposit, they must agree on what came, and not only on where it stands. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/watchlist.ts'
import { ETH, startLedger, startProxy, type Testbed } from './testing.ts'

let bed: Testbed
beforeAll(async () => {
  bed = await startLedger()
})
afterAll(() => bed.local.stop())

interface Row {
  token: { type: string; data: { quantity: string } }
  message: { amount: string; nonce: string }
}

/** Another amount under the same name in the same batch; its message says the same. */
const liar = () =>
  startProxy(bed.url, (path, answer) => {
    if (!/^v1\/transfers\/\d+$/.test(path)) return answer
    const { head, result: row } = answer as { head: unknown; result: Row }
    const data = { ...row.token.data, quantity: `${900n * BigInt(row.token.data.quantity)}` }
    const message = { ...row.message, amount: `${900n * BigInt(row.message.amount)}`, nonce: '4711' }
    return { head, result: { ...row, token: { ...row.token, data }, message } }
  })

test('a deposit counts only as what enough of them say that it is', async () => {
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
