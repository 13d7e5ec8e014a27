/** Sweeps on the local chain: several addresses in one, each by its own key; what is emptied is forgotten by the network. */
import { type Order, RetryLater, type SweepSource, type Token } from '@causeway/core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { unlessLater } from '../../../../tests/support/conformance-world.ts'
import { staticWatchlist } from '../../../../tests/support/watchlist.ts'
import { drain, draw, inSlotOf, ONE_USDC, sent, startChain, statusOf, type Testbed } from './testing.ts'

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

it('five addresses come home in one order, and a sixth is refused', async () => {
  const sources = []
  for (let count = 0; count < 5; count++) sources.push(await paid(ONE_USDC + BigInt(count)))
  const before = await bed.units(bed.treasury)
  const drawn = await sent(adapter, sweep(sources))
  expect(drawn.slot).toHaveLength(5)
  expect(await statusOf(adapter, drawn)).toMatchObject({ state: 'included', feeUnits: 0n })
  expect(await bed.units(bed.treasury)).toBe(before + 5n * ONE_USDC + 10n)
  expect(adapter.depositAddresses?.maxSources).toBe(5)
  await expect(adapter.prepare(sweep([...sources, await paid(ONE_USDC)]), null)).rejects.toThrow('1 to 5')
})

it('both balances of an address are emptied, each by an action of its own', async () => {
  const source = await paid(3n * ONE_USDC)
  await bed.play('devnet_row', {
    address: source.address,
    delta: {
      ...{ type: 'internalTransfer', usdc: '2.5', fee: '0.0' },
      ...{ user: bed.other.address.toLowerCase(), destination: source.address.toLowerCase() },
    },
    perp: '2500000',
  })
  expect(await bed.units(source.address)).toBe((11n * ONE_USDC) / 2n)
  const before = await bed.units(bed.treasury)
  const drawn = await sent(adapter, sweep([source]))
  expect(drawn.slot).toHaveLength(2)
  expect(await statusOf(adapter, drawn)).toMatchObject({ state: 'included' })
  expect(await bed.units(bed.treasury)).toBe(before + (11n * ONE_USDC) / 2n)
  expect(await bed.units(source.address)).toBe(0n)
})

it('an account that came over the bridge pays its dollar out of what is swept', async () => {
  const source = await bed.fresh()
  await bed.play('devnet_bridge', { address: source.address, units: '10000000' })
  const before = await bed.units(bed.treasury)
  const drawn = await sent(adapter, sweep([source]))
  expect(await statusOf(adapter, drawn)).toMatchObject({ state: 'included', feeUnits: ONE_USDC })
  expect(await bed.units(bed.treasury)).toBe(before + 9n * ONE_USDC)
  expect(await bed.units(source.address)).toBe(0n)
})

it('a sweep of which a part has landed waits for the rest, and goes on by the same bytes', async () => {
  const sources = [await paid(2n * ONE_USDC), await paid(4n * ONE_USDC)]
  const drawn = await draw(adapter, sweep(sources))
  const [{ action, nonce, signature }] = JSON.parse(drawn.signed.bytes)
  expect(await bed.node.post({ action, nonce, signature })).toBeNull()
  expect(await statusOf(adapter, drawn)).toEqual({ state: 'pending' })
  const before = await bed.units(bed.treasury)
  // Written anew it is the same sweep, also of the address where nothing lies any more.
  const again = await inSlotOf(adapter, drawn, drawn.order)
  expect(JSON.parse(again.signed.bytes).map((one: { action: { amount: string } }) => one.action.amount)).toEqual([
    '2',
    '4',
  ])
  await unlessLater(adapter.broadcast(drawn.signed))
  expect(await statusOf(adapter, drawn)).toMatchObject({ state: 'included' })
  expect(await bed.units(bed.treasury)).toBe(before + 4n * ONE_USDC)
})

it('what was swept is still known where its account is forgotten, and a later deposit there counts by itself', async () => {
  const source = await bed.fresh()
  const ours = staticWatchlist(bed.treasury, source.address)
  const start = (await drain(adapter, null, source.address)).next
  const first = await bed.local.transfer(bed.user, bed.native, source.address, 3n * ONE_USDC)
  const seen = await drain(adapter, start, source.address)
  expect(seen.sightings).toMatchObject([{ txHash: first, amount: { units: 3n * ONE_USDC } }])
  await sent(adapter, sweep([source]))
  expect(await bed.units(source.address)).toBe(0n)
  expect(await adapter.inspect(first, ours)).toMatchObject({
    state: 'included',
    sightings: [{ txHash: first, amount: { units: 3n * ONE_USDC } }],
  })
  const second = await bed.local.transfer(bed.other, bed.native, source.address, 5n * ONE_USDC)
  const { sightings } = await drain(adapter, seen.next, source.address)
  expect(sightings).toMatchObject([{ txHash: second, amount: { units: 5n * ONE_USDC }, from: bed.other.address }])
})

it('nothing is signed for an address that its number does not give', async () => {
  const source = await paid(ONE_USDC)
  const wrong = { ...source, index: source.index + 1_000 }
  await expect(adapter.prepare(sweep([wrong]), null)).rejects.toThrow('not a deposit address of ours')
  const honest = await draw(adapter, sweep([source]))
  const slot = [`${source.address}/${wrong.index}:${Date.now()}`]
  await expect(adapter.sign(sweep([wrong]), slot, honest.draft)).rejects.toThrow('not a deposit address of ours')
})

it('a sweep is not cancelled, and its slot takes nothing of the treasury', async () => {
  const drawn = await draw(adapter, sweep([await paid(ONE_USDC)]))
  const cancel: Order = { kind: 'cancel', account: bed.treasury }
  await expect(adapter.prepare(cancel, drawn.signed)).rejects.toThrow(RetryLater)
  const draft = await adapter.prepare(cancel, null)
  await expect(adapter.sign(cancel, drawn.slot, draft)).rejects.toThrow('not a slot of the treasury')
})

it('an address where nothing lies is not swept', async () => {
  await expect(adapter.prepare(sweep([await bed.fresh()]), null)).rejects.toThrow('nothing lies there')
})
