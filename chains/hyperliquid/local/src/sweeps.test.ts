/**
 * Sweeps on the local chain: one action each, signed by the address's own key; the network deletes emptied accounts.
 */
import { type Order, RetryLater, type SweepSource, type Token } from '@causeway/core'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { drain, draw, ONE_USDC, sent, startChain, statusOf, type Testbed } from './testbed.ts'

let bed: Testbed
let adapter: Testbed['adapter']

beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed.local.stop())
beforeEach(async () => {
  adapter = await bed.open()
})

const sweep = (sources: SweepSource[], token: Token = bed.native): Order => ({
  ...{ kind: 'sweep', account: bed.treasury, token, sources },
})

async function paid(units: bigint): Promise<SweepSource & { hash: string }> {
  const source = await bed.fresh()
  return { ...source, hash: await bed.local.transfer(bed.user, bed.native, source.address, units) }
}

/** A scan reported the balance there, and it is stored. */
async function told(address: string): Promise<void> {
  let { next } = await drain(adapter, null, address)
  for (let scans = 0; scans < 2; scans++) next = (await drain(adapter, next, address)).next
}

it('an address is swept by one action, and only one sweep is requested at a time', async () => {
  const source = await paid(ONE_USDC + 3n)
  await told(source.address)
  const before = await bed.units(bed.treasury)
  const drawn = await sent(adapter, sweep([source]))
  expect(drawn.slot).toHaveLength(1)
  expect(await statusOf(adapter, drawn)).toMatchObject({ state: 'included', feeUnits: 0n })
  expect(await bed.units(bed.treasury)).toBe(before + ONE_USDC + 3n)
  expect(adapter.depositAddresses?.maxSources).toBe(1)
  const six = await Promise.all(Array.from({ length: 6 }, () => bed.fresh()))
  await expect(adapter.prepare(sweep(six), null)).rejects.toThrow('1 to 5')
})

it('of both balances of an address the greater one is swept first, so that no part waits for another', async () => {
  const source = await paid(2n * ONE_USDC)
  await bed.play('devnet_row', {
    address: source.address,
    delta: {
      ...{ type: 'internalTransfer', usdc: '2.5', fee: '0.0' },
      ...{ user: bed.other.address.toLowerCase(), destination: source.address.toLowerCase() },
    },
    perp: '2500000',
  })
  await told(source.address)
  const before = await bed.units(bed.treasury)
  const first = await sent(adapter, sweep([source]))
  expect(first.slot).toHaveLength(1)
  expect(await statusOf(adapter, first)).toMatchObject({ state: 'included' })
  expect(await bed.units(bed.treasury)).toBe(before + (5n * ONE_USDC) / 2n)
  expect(await bed.units(source.address)).toBe(2n * ONE_USDC)
  await told(source.address)
  const second = await sent(adapter, sweep([source]))
  expect(await statusOf(adapter, second)).toMatchObject({ state: 'included' })
  expect(await bed.units(bed.treasury)).toBe(before + (9n * ONE_USDC) / 2n)
  expect(await bed.units(source.address)).toBe(0n)
})

it('an account funded over the bridge pays its dollar out of the swept amount', async () => {
  const source = await bed.fresh()
  await bed.play('devnet_bridge', { address: source.address, units: '10000000' })
  await told(source.address)
  const before = await bed.units(bed.treasury)
  const drawn = await sent(adapter, sweep([source]))
  expect(await statusOf(adapter, drawn)).toMatchObject({ state: 'included', feeUnits: ONE_USDC })
  expect(await bed.units(bed.treasury)).toBe(before + 9n * ONE_USDC)
  expect(await bed.units(source.address)).toBe(0n)
})

it('a deposit equal to the swept amount is seen, even if no scan ran in between', async () => {
  const source = await bed.fresh()
  const start = (await drain(adapter, null, source.address)).next
  await bed.local.transfer(bed.user, bed.native, source.address, 3n * ONE_USDC)
  const seen = await drain(adapter, start, source.address)
  const drawn = await draw(adapter, sweep([source]))
  // Scanned between signing and execution.
  const { next } = await drain(adapter, seen.next, source.address)
  await adapter.broadcast(drawn.signed)
  expect(await statusOf(adapter, drawn)).toMatchObject({ state: 'included' })
  const second = await bed.local.transfer(bed.other, bed.native, source.address, 3n * ONE_USDC)
  const { sightings } = await drain(adapter, next, source.address)
  expect(sightings).toMatchObject([{ txHash: second, refundableSender: bed.other.address }])
})

it('an address with an unchanged balance is re-read after an hour: another process may have swept it', async () => {
  let aheadMs = 0
  const real = Date.now.bind(Date)
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => real() + aheadMs)
  const scanning = await bed.open()
  const source = await bed.fresh()
  const start = (await drain(scanning, null, source.address)).next
  await bed.local.transfer(bed.user, bed.native, source.address, 3n * ONE_USDC)
  const seen = await drain(scanning, start, source.address)
  await sent(adapter, sweep([source]))
  const second = await bed.local.transfer(bed.other, bed.native, source.address, 3n * ONE_USDC)
  aheadMs = 3_601_000
  const { sightings } = await drain(scanning, seen.next, source.address)
  expect(sightings).toMatchObject([{ txHash: second }])
  clock.mockRestore()
})

it('a sweep stays known after the network forgot its account, and a later deposit there is separate', async () => {
  const source = await bed.fresh()
  const ours = staticWatchlist(bed.treasury, source.address)
  const start = (await drain(adapter, null, source.address)).next
  const first = await bed.local.transfer(bed.user, bed.native, source.address, 3n * ONE_USDC)
  const seen = await drain(adapter, start, source.address)
  expect(seen.sightings).toMatchObject([{ txHash: first, amount: { units: 3n * ONE_USDC } }])
  await drain(adapter, seen.next, source.address)
  await sent(adapter, sweep([source]))
  expect(await bed.units(source.address)).toBe(0n)
  expect(await adapter.inspect(first, ours)).toMatchObject({
    state: 'included',
    sightings: [{ txHash: first, amount: { units: 3n * ONE_USDC } }],
  })
  const second = await bed.local.transfer(bed.other, bed.native, source.address, 5n * ONE_USDC)
  const { sightings } = await drain(adapter, seen.next, source.address)
  expect(sightings).toMatchObject([
    { txHash: second, amount: { units: 5n * ONE_USDC }, refundableSender: bed.other.address },
  ])
})

it('nothing is signed for an address that its number does not give', async () => {
  const source = await paid(ONE_USDC)
  const wrong = { ...source, index: source.index + 1_000 }
  await expect(adapter.prepare(sweep([wrong]), null)).rejects.toThrow('not a deposit address of ours')
  const honest = await draw(adapter, sweep([source]))
  const slot = [`${source.address}/${wrong.index}:${Date.now()}`]
  await expect(adapter.sign(sweep([wrong]), slot, honest.draft)).rejects.toThrow('not a deposit address of ours')
})

it('a sweep is not cancelled, and its slot takes no nonce of the treasury', async () => {
  const drawn = await draw(adapter, sweep([await paid(ONE_USDC)]))
  const cancel: Order = { kind: 'cancel', account: bed.treasury }
  await expect(adapter.prepare(cancel, drawn.signed)).rejects.toThrow(RetryLater)
  const draft = await adapter.prepare(cancel, null)
  await expect(adapter.sign(cancel, drawn.slot, draft)).rejects.toThrow('not a slot of the treasury')
})

it('an empty address is not swept', async () => {
  await expect(adapter.prepare(sweep([await bed.fresh()]), null)).rejects.toThrow('nothing lies there')
})
