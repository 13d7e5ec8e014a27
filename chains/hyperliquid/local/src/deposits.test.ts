/** Deposits to our addresses and transfers that only look like deposits: hostile, odd and late ones. */
import { RetryLater, type Scan } from '@causeway/core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { drain, ONE_USDC, startChain, startProxy, type Testbed } from './testbed.ts'

let bed: Testbed
let adapter: Testbed['adapter']

beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed.local.stop())
beforeEach(async () => {
  await bed.play('devnet_faults', { faults: { lagMs: 0, weightPerMinute: null } })
  adapter = await bed.open()
})

const wire = (address: string) => address.toLowerCase()

/** A ledger row of a plain transfer with the fields that a test needs. */
const sendTo = (to: string, changes: Record<string, unknown> = {}) => ({
  ...{ type: 'send', user: wire(bed.other.address), destination: wire(to), sourceDex: 'spot', destinationDex: 'spot' },
  ...{ token: 'USDC', amount: '2.0', usdcValue: '2.0', fee: '0.0', nativeTokenFee: '0.0', nonce: 1, feeToken: 'USDC' },
  ...changes,
})

async function arrivals(address: string, act: () => Promise<unknown>, scans = 1): Promise<Scan['sightings']> {
  let { next } = await drain(adapter, null, address)
  await act()
  const found: Scan['sightings'] = []
  for (let count = 0; count < scans; count++) {
    const scan = await drain(adapter, next, address)
    found.push(...scan.sightings)
    next = scan.next
  }
  return found
}

/** More scans than a gateway gets to catch up. */
const PATIENT = 25

it('each of the three kinds of transfer, and the bridge, is credited as it arrived', async () => {
  const { address } = await bed.fresh()
  const found = await arrivals(address, async () => {
    await bed.local.transfer(bed.user, bed.native, address, ONE_USDC)
    await bed.local.deposit(bed.user, bed.native, { toAddress: address, units: 2n * ONE_USDC, callData: null })
  })
  expect(found.map(({ amount, refundableSender: from }) => [amount.units, from])).toEqual([
    [ONE_USDC, bed.user.address],
    [2n * ONE_USDC, bed.user.address],
  ])
  const perp = await bed.fresh()
  const inside = await arrivals(perp.address, async () => {
    await bed.play('devnet_bridge', { address: perp.address, units: '4250000' })
    await bed.play('devnet_row', {
      address: perp.address,
      delta: { ...sendTo(perp.address), type: 'internalTransfer', usdc: '3.25' },
      perp: '3250000',
    })
  })
  expect(
    inside.map(({ amount, refundableSender: from, fundingAddresses: senders }) => [amount.units, from, senders]),
  ).toEqual([
    [(17n * ONE_USDC) / 4n, null, []],
    [(13n * ONE_USDC) / 4n, bed.other.address, [bed.other.address]],
  ])
})

it('a deposit with eight decimals is credited to the last one', async () => {
  const { address } = await bed.fresh()
  const [only] = await arrivals(address, () => bed.local.transfer(bed.user, bed.native, address, ONE_USDC + 1n))
  expect(only?.amount.units).toBe(100_000_001n)
})

it('a token that only shares the name of a listed one is not credited automatically', async () => {
  await bed.play('devnet_token', { name: 'USDC', id: `0x${'ee'.repeat(16)}`, index: 999, decimals: 8 })
  const { address } = await bed.fresh()
  const found = await arrivals(
    address,
    async () => {
      await bed.local.transfer(bed.user, bed.hype, address, ONE_USDC)
      await bed.play('devnet_row', {
        address,
        delta: sendTo(address, { amount: '1000.0' }),
        spot: [[999, '100000000000']],
      })
    },
    PATIENT,
  )
  expect(found.map(({ amount, doubt }) => [amount.token.symbol, amount.units, doubt ?? null])).toEqual([
    ['HYPE', ONE_USDC, null],
    ['USDC', 1_000n * ONE_USDC, 'the address does not hold what its ledger says of USDC'],
  ])
  expect(bed.log.lines.at(-1)).toMatchObject({ level: 'error', message: expect.stringContaining('bear out') })
})

it('payments by the network, a vault or a sub-account are kept and not credited', async () => {
  const { address } = await bed.fresh()
  const found = await arrivals(address, async () => {
    await bed.play('devnet_row', {
      address,
      delta: { type: 'spotGenesis', token: 'HYPE', amount: '7.0' },
      spot: [[151, '700000000']],
    })
    await bed.play('devnet_row', {
      address,
      delta: { type: 'rewardsClaim', token: 'USDC', amount: '1.5' },
      spot: [[0, '150000000']],
    })
    await bed.play('devnet_row', {
      address,
      delta: { type: 'vaultDistribution', vault: wire(bed.other.address), usdc: '2.0' },
      perp: '2000000',
    })
    const sub = { ...sendTo(address), type: 'subAccountTransfer', usdc: '3.0' }
    await bed.play('devnet_row', { address, delta: sub, perp: '3000000' })
  })
  expect(found.map(({ amount }) => [amount.token.symbol, amount.units])).toEqual([
    ['HYPE', 7n * ONE_USDC],
    ['USDC', (3n * ONE_USDC) / 2n],
    ['USDC', 2n * ONE_USDC],
    ['USDC', 3n * ONE_USDC],
  ])
  for (const { doubt } of found) expect(doubt).toMatch(/\S/)
})

it('an unlisted token, a foreign market and an unreadable row are not deposits, and stop none', async () => {
  const { address } = await bed.fresh()
  const found = await arrivals(
    address,
    async () => {
      await bed.play('devnet_row', { address, delta: sendTo(address, { token: 'PURR' }), spot: [[1, '5']] })
      await bed.play('devnet_row', { address, delta: sendTo(address, { destinationDex: 'xyz' }) })
      await bed.play('devnet_row', { address, delta: sendTo(address, { amount: '-5' }) })
      await bed.play('devnet_row', { address, delta: { type: 'somethingNew', amount: '5.0' } })
      await bed.play('devnet_row', { address, delta: sendTo(address), hash: 'no hash' })
      await bed.local.transfer(bed.user, bed.native, address, ONE_USDC)
    },
    PATIENT,
  )
  expect(found.map(({ amount }) => amount.units)).toEqual([ONE_USDC])
})

it('an address whose ledger cannot be read keeps no other waiting', async () => {
  const [bad, good] = [(await bed.fresh()).address, (await bed.fresh()).address]
  const proxy = await startProxy(bed.url, ({ type, user }) =>
    type === 'userNonFundingLedgerUpdates' && user === wire(bad) ? { body: [{ time: 'yesterday' }] } : undefined,
  )
  const behind = await bed.open({ nodes: [proxy.url] })
  const { next } = await drain(behind, null, bad, good)
  await bed.local.transfer(bed.user, bed.native, bad, ONE_USDC)
  const hash = await bed.local.transfer(bed.user, bed.native, good, ONE_USDC)
  const { sightings } = await drain(behind, next, bad, good)
  expect(sightings.map(({ txHash }) => txHash)).toEqual([hash])
  await proxy.stop()
})

it('a sender that a refund would not reach is not reported as refundable', async () => {
  const { address } = await bed.fresh()
  const vault = await bed.stranger('vault')
  await bed.local.fund(bed.native, vault, ONE_USDC)
  await bed.play('devnet_account', { address: vault, role: 'vault' })
  const system = '0x2000000000000000000000000000000000000000'
  const found = await arrivals(address, async () => {
    for (const user of [wire(vault), system]) {
      await bed.play('devnet_row', { address, delta: sendTo(address, { user }), spot: [[0, '200000000']] })
    }
  })
  expect(found.map(({ refundableSender: from, fundingAddresses: senders }) => [from, senders])).toEqual([
    [null, [vault]],
    [null, [system]],
  ])
})

it('two rows of one transaction have two places, and those without a name have names of their own', async () => {
  const { address } = await bed.fresh()
  const hash = `0x${'0'.repeat(64)}`
  const act = async () => {
    await bed.play('devnet_row', { address, delta: sendTo(address), spot: [[0, '400000000']], count: 2 })
    await bed.play('devnet_row', { address, delta: sendTo(address), spot: [[0, '400000000']], count: 2, hash })
  }
  const found = await arrivals(address, act)
  expect(found).toHaveLength(4)
  expect(new Set(found.map(({ txHash, index }) => `${txHash}/${index}`)).size).toBe(4)
  for (const { txHash } of found) expect(txHash).not.toBe(hash)
  for (const { txHash } of found.slice(2)) {
    expect(await adapter.inspect(txHash, staticWatchlist(bed.treasury, address))).toMatchObject({
      state: 'included',
      sightings: [{ txHash }],
    })
  }
  // Another process, with an empty cache, finds them under the same keys.
  const anew = await bed.open()
  const { next } = await drain(anew, null, address)
  const again = (await drain(anew, next, address)).sightings
  expect(again.map(({ txHash, index }) => `${txHash}/${index}`)).toEqual(
    found.map(({ txHash, index }) => `${txHash}/${index}`),
  )
})

it('a deposit among a thousand grains of dust, of which hundreds share a moment, is found', async () => {
  const { address } = await bed.fresh()
  const dust = sendTo(address, { amount: '0.00000001' })
  const found = await arrivals(address, async () => {
    for (let heap = 0; heap < 4; heap++) {
      await bed.play('devnet_row', { address, delta: dust, spot: [[0, '300']], count: 300 })
    }
    await bed.local.transfer(bed.user, bed.native, address, 7n * ONE_USDC)
  })
  expect(found).toHaveLength(1_201)
  expect(found.at(-1)?.amount.units).toBe(7n * ONE_USDC)
})

it('a ledger full of dust is paid for by its rows: it is not read again before that', async () => {
  const { address } = await bed.fresh()
  const frugal = await bed.open({ settings: { ...bed.network.settings, weight_per_minute: 120 } })
  const { next } = await drain(frugal, null, address)
  const delta = sendTo(address, { amount: '0.00000001' })
  for (let heap = 0; heap < 4; heap++) {
    await bed.play('devnet_row', { address, delta, spot: [[0, '400']], count: 400 })
  }
  const first = await drain(frugal, next, address)
  expect(first.sightings).toHaveLength(1_600)
  await bed.local.transfer(bed.user, bed.native, address, ONE_USDC)
  expect((await drain(frugal, first.next, address)).sightings).toEqual([])
})

it('a ledger full of dust is read from its checkpoint, and from the start after a reset', async () => {
  const { address } = await bed.fresh()
  const starts: number[] = []
  const counting = await startProxy(bed.url, ({ type, user, startTime = 0 }) => {
    if (type === 'userNonFundingLedgerUpdates' && user === wire(address)) starts.push(startTime)
    return undefined
  })
  const patient = await bed.open({
    nodes: [counting.url],
    settings: { ...bed.network.settings, weight_per_minute: 1_000_000 },
  })
  const look = async (cursor: string) => {
    starts.length = 0
    const { sightings, next } = await drain(patient, cursor, address)
    return { units: sightings.map(({ amount }) => amount.units), next }
  }
  const delta = sendTo(address, { amount: '0.00000001' })
  const dust = (count: number) => bed.play('devnet_row', { address, delta, spot: [[0, `${count}`]], count })
  let { next } = await drain(patient, null, address)
  for (let heap = 0; heap < 3; heap++) await dust(400)
  await bed.play('devnet_advance', { ms: 120_000 })
  await dust(1)
  const first = await look(next)
  expect(first.units).toHaveLength(1_201)
  expect(starts[0]).toBe(0)
  next = first.next
  await bed.local.transfer(bed.user, bed.native, address, 3n * ONE_USDC)
  const second = await look(next)
  expect(second.units).toEqual([3n * ONE_USDC])
  expect(starts).toEqual([expect.any(Number)])
  expect(starts[0]).toBeGreaterThan(0)
  await counting.stop()
})

it('an address that keeps filling its ledger delays no other: expensive ones back off', async () => {
  const { address } = await bed.fresh()
  const { address: other } = await bed.fresh()
  const frugal = await bed.open({ settings: { ...bed.network.settings, weight_per_minute: 1_200 } })
  const delta = sendTo(address, { amount: '0.00000001' })
  // More than a gateway shows for one moment: its ledger and its balance never agree.
  for (let heap = 0; heap < 5; heap++) {
    await bed.play('devnet_row', { address, delta, spot: [[0, '1200']], count: 1_200 })
  }
  let { next } = await drain(frugal, null, address, other)
  for (let time = 0; time < 6; time++) next = (await drain(frugal, next, address, other)).next
  await bed.local.transfer(bed.user, bed.native, other, ONE_USDC)
  const { sightings } = await drain(frugal, next, address, other)
  expect(sightings.map(({ to }) => to)).toEqual([other])
})

it('a row that a lagging gateway withheld is reported once when it appears', async () => {
  const { address } = await bed.fresh()
  const { next } = await drain(adapter, null, address)
  const one = await bed.local.transfer(bed.user, bed.native, address, ONE_USDC)
  const two = await bed.local.transfer(bed.user, bed.native, bed.treasury, 2n * ONE_USDC)
  await bed.play('devnet_faults', { faults: { lagMs: 90_000 } })
  const behind = await drain(adapter, next, address)
  expect(behind.sightings).toEqual([])
  await bed.play('devnet_faults', { faults: { lagMs: 0 } })
  const caught = await drain(adapter, behind.next, address)
  expect(caught.sightings.map(({ txHash }) => txHash).toSorted()).toEqual([one, two].toSorted())
  expect((await drain(adapter, caught.next, address)).sightings).toEqual([])
})

it('a deposit that was reported but never stored is reported again, however late', async () => {
  const { address } = await bed.fresh()
  const { next } = await drain(adapter, null, address)
  const hash = await bed.local.transfer(bed.user, bed.native, address, ONE_USDC)
  const lost = await drain(adapter, next, address)
  expect(lost.sightings).toMatchObject([{ txHash: hash }])
  await bed.play('devnet_advance', { ms: 3_600_000 })
  const again = await drain(adapter, next, address)
  expect(again.sightings).toMatchObject([{ txHash: hash }])
  expect((await drain(adapter, again.next, address)).sightings).toEqual([])
})

it('a gateway that has had enough of us costs time and no deposit', async () => {
  const { address } = await bed.fresh()
  const { next } = await drain(adapter, null, address)
  await bed.play('devnet_faults', { faults: { weightPerMinute: 1 } })
  const hash = await bed.local.transfer(bed.user, bed.native, address, ONE_USDC).catch(() => null)
  expect(hash).toBeNull()
  await expect(drain(adapter, next, address)).rejects.toThrow(RetryLater)
  await bed.play('devnet_faults', { faults: { weightPerMinute: null } })
  const sentNow = await bed.local.transfer(bed.user, bed.native, address, 2n * ONE_USDC)
  const { sightings } = await drain(await bed.open(), next, address)
  expect(sightings.map(({ txHash }) => txHash)).toContain(sentNow)
})

it("deposits to the treasury's perpetuals balance are not counted as its money", async () => {
  const before = await bed.units(bed.treasury)
  const found = await arrivals(bed.treasury, () =>
    bed.play('devnet_row', {
      address: bed.treasury,
      delta: sendTo(bed.treasury, { destinationDex: '' }),
      perp: '2000000',
    }),
  )
  expect(found).toEqual([])
  expect(await bed.units(bed.treasury)).toBe(before)
})

it('a deposit that was not scanned yet is found by a hint, and one to others is unknown', async () => {
  const { address } = await bed.fresh()
  const ours = staticWatchlist(bed.treasury, address)
  const hash = await bed.local.transfer(bed.user, bed.native, address, ONE_USDC)
  const foreign = await bed.local.transfer(bed.user, bed.native, bed.other.address, ONE_USDC)
  expect(await adapter.inspect(hash, ours)).toMatchObject({ state: 'included', sightings: [{ to: address }] })
  expect(await adapter.inspect(foreign, ours)).toEqual({ state: 'unknown' })
  expect(await adapter.inspect('0x12', ours)).toEqual({ state: 'unknown' })
  // With an explorer, even if no swap expects the address any more.
  const asking = await bed.open({ settings: { ...bed.network.settings, explorer_url: `${bed.url}/explorer` } })
  const forgotten = { owned: ours.owned, pollCandidates: async () => ({ recent: [], others: [] }) }
  expect(await asking.inspect(hash, forgotten)).toMatchObject({ state: 'included', sightings: [{ to: address }] })
})

it('a transfer to the treasury can name no swap, and no user is asked to make one', async () => {
  const request = { token: bed.native, units: ONE_USDC, reference: 7n, sourceAddress: null }
  await expect(adapter.depositAction({ ...request, receiver: bed.treasury })).rejects.toThrow('use_deposit_address')
  const { address } = await bed.fresh()
  expect(await adapter.depositAction({ ...request, receiver: address })).toEqual({
    ...{ type: 'manual_transfer', toAddress: address, units: ONE_USDC },
    ...{ callData: null, gasLimit: null, encodedArgs: null },
  })
})
