/**
 * Deposits that no scan has seen when their address is swept: the network deletes an emptied account with its ledger.
 */
import type { Order, SweepSource, Token } from '@causeway/core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { drain, ONE_USDC, sent, startChain, statusOf, type Testbed } from './testbed.ts'

let bed: Testbed
let adapter: Testbed['adapter']

beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed.local.stop())
beforeEach(async () => {
  adapter = await bed.open()
})

const sweep = (source: SweepSource, token: Token = bed.native): Order => ({
  ...{ kind: 'sweep', account: bed.treasury, token, sources: [source] },
})

it('a deposit that was swept before any scan saw it is still reported', async () => {
  const source = await bed.fresh()
  const start = (await drain(adapter, null, source.address)).next
  const first = await bed.local.transfer(bed.user, bed.native, source.address, 3n * ONE_USDC)
  const seen = await drain(adapter, start, source.address)
  expect(seen.sightings).toMatchObject([{ txHash: first }])
  const { next } = await drain(adapter, seen.next, source.address)
  const second = await bed.local.transfer(bed.other, bed.native, source.address, 5n * ONE_USDC)
  const drawn = await sent(adapter, sweep(source))
  expect(await statusOf(adapter, drawn)).toMatchObject({ state: 'included' })
  const { sightings } = await drain(adapter, next, source.address)
  expect(sightings).toMatchObject([
    { txHash: second, amount: { units: 5n * ONE_USDC }, refundableSender: bed.other.address },
  ])
})

it('an earlier deposit stays known after its address was reset, and no gateway is blamed', async () => {
  const source = await bed.fresh()
  const ours = staticWatchlist(bed.treasury, source.address)
  const start = (await drain(adapter, null, source.address)).next
  const first = await bed.local.transfer(bed.user, bed.native, source.address, 3n * ONE_USDC)
  const seen = await drain(adapter, start, source.address)
  const { next } = await drain(adapter, seen.next, source.address)
  await sent(adapter, sweep(source))
  const second = await bed.local.transfer(bed.other, bed.native, source.address, 5n * ONE_USDC)
  expect((await drain(adapter, next, source.address)).sightings).toMatchObject([{ txHash: second }])
  expect(await adapter.inspect(first, ours)).toMatchObject({ state: 'included', sightings: [{ txHash: first }] })
  expect(adapter.nodeHealth()).toMatchObject([{ trouble: null }])
})
