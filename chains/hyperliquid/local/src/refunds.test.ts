/**
 * Asking whether a refund reaches a sender is expensive. Transfers from many accounts cause few such requests and never
 * delay the report of a deposit.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { drain, ONE_USDC, startChain, startProxy, type Testbed } from './testbed.ts'

let bed: Testbed

beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed.local.stop())

const GRAINS = 30

/** A little dust for each, from senders with nothing left. */
async function dust(address: string, users: readonly string[]): Promise<void> {
  for (const user of users) {
    const words = { type: 'send', user, destination: address.toLowerCase(), sourceDex: 'spot', destinationDex: 'spot' }
    const delta = { ...words, token: 'USDC', amount: '0.00000001', fee: '0.0', nativeTokenFee: '0.0', nonce: 1 }
    await bed.play('devnet_row', { address, delta: { ...delta, feeToken: 'USDC' }, spot: [[0, '1']] })
  }
}

const stranger = (number: number) => `0x${number.toString(16).padStart(40, '5')}`

/** A gateway that records the role requests; `isOut` makes it answer none. */
async function counting(isOut = false) {
  const asked: string[] = []
  const proxy = await startProxy(bed.url, ({ type, user }) => {
    if (type !== 'userRole') return undefined
    asked.push(user ?? '')
    return isOut ? { status: 429, body: null } : undefined
  })
  const settings = { ...bed.network.settings, weight_per_minute: 900 }
  return { ...proxy, asked, adapter: await bed.open({ nodes: [proxy.url], settings }) }
}

it('thirty dust deposits of one emptied sender cost one request, in the scan and in every later check', async () => {
  const { address } = await bed.fresh()
  const { adapter, asked, stop } = await counting()
  const { next } = await drain(adapter, null, address)
  await dust(
    address,
    Array.from({ length: GRAINS }, () => stranger(1)),
  )
  const scan = await drain(adapter, next, address)
  expect(scan.sightings.map(({ refundableSender: from }) => from)).toEqual(Array.from({ length: GRAINS }, () => null))
  expect(asked).toEqual([stranger(1)])
  const again = await drain(adapter, next, address)
  expect(again.sightings).toHaveLength(GRAINS)
  await adapter.inspect(scan.sightings[0]?.txHash ?? '', staticWatchlist(bed.treasury, address))
  expect(asked).toEqual([stranger(1)])
  await stop()
})

it('of thirty senders only few are looked up, and all their deposits are reported', async () => {
  const { address } = await bed.fresh()
  const { adapter, asked, stop } = await counting()
  const { next } = await drain(adapter, null, address)
  await dust(
    address,
    Array.from({ length: GRAINS }, (_, number) => stranger(100 + number)),
  )
  expect((await drain(adapter, next, address)).sightings).toHaveLength(GRAINS)
  expect(asked).toEqual([stranger(100), stranger(101), stranger(102), stranger(103)])
  await stop()
})

it('a gateway without roles costs the refund address, not the deposit, and is asked once', async () => {
  const { address } = await bed.fresh()
  const { adapter, asked, stop } = await counting(true)
  const { next } = await drain(adapter, null, address)
  for (let count = 0; count < 3; count++) await bed.local.transfer(bed.user, bed.native, address, ONE_USDC)
  const { sightings } = await drain(adapter, next, address)
  expect(sightings.map(({ refundableSender: from, fundingAddresses: senders }) => [from, senders])).toEqual(
    Array.from({ length: 3 }, () => [null, [bed.user.address]]),
  )
  expect(await adapter.inspect(sightings[0]?.txHash ?? '', staticWatchlist(bed.treasury, address))).toMatchObject({
    state: 'included',
    sightings: [{ refundableSender: null }],
  })
  expect(asked).toHaveLength(1)
  await stop()
})
