/** The scan: what it asks for, what a lagging node makes of it, and branches. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/watchlist.ts'
import { type Body, drain, startChain, startProxy, type Testbed } from './testing.ts'

let bed: Testbed
beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed?.local.stop())

test('one question a poll while nothing happens, two for an empty block, three for one with transactions', async () => {
  const proxy = await startProxy(bed.url, (_path, _body, truth) => truth())
  const adapter = await bed.open({ nodes: [proxy.url] })
  const ours = staticWatchlist(bed.treasury)
  let cursor = (await adapter.scan(null, ours)).next
  const asked = async (): Promise<Record<string, number>> => {
    for (const path of Object.keys(proxy.counts)) delete proxy.counts[path]
    cursor = (await adapter.scan(cursor, ours)).next
    return { ...proxy.counts }
  }
  expect(await asked()).toEqual({ 'wallet/getblock': 1 })
  await bed.mine(1)
  expect(await asked()).toEqual({ 'wallet/getblock': 1, 'wallet/getblockbylimitnext': 1 })
  await bed.local.transfer(bed.user, bed.native, bed.other.address, 1_000_000n)
  expect(await asked()).toEqual({
    'wallet/getblock': 1,
    'wallet/getblockbylimitnext': 1,
    'wallet/gettransactioninfobyblocknum': 1,
  })
  await proxy.stop()
})

test('a node that is some blocks behind has nothing new to say, and is not another branch', async () => {
  const { adapter, mine } = bed
  const start = (await drain(adapter, null)).next
  await mine(5)
  const { next, head } = await drain(adapter, start)
  const behind = await startProxy(bed.url, (path, body, truth) => {
    const isHead = path === 'wallet/getblock' && body.id_or_num === undefined
    return isHead ? bed.ask('wallet/getblock', { id_or_num: `${head.number - 3n}`, detail: false }) : truth()
  })
  const lagging = await bed.open({ nodes: [behind.url] })
  const ours = staticWatchlist(bed.treasury)
  expect(await lagging.scan(next, ours)).toMatchObject({ next, reorgFrom: null, sightings: [], scannedTo: head.number })
  // One so far behind that the cursor does not remember its block is waited for.
  const newest = (await drain(adapter, null)).next
  await expect(lagging.scan(newest, ours)).rejects.toThrow(RetryLater)
  await behind.stop()
})

test('a branch is cut where it parted, and read again from there', async () => {
  const { adapter, mine, local, network, user, native, treasury } = bed
  const start = (await drain(adapter, null)).next
  await mine(5)
  const lost = await local.transfer(user, native, treasury, 2_000_000n)
  const before = await drain(adapter, start)
  expect(before.sightings.map(({ txHash }) => txHash)).toEqual([lost])
  await local.reorg(network.name, 3)
  const kept = await local.transfer(user, native, treasury, 3_000_000n)
  const after = await drain(adapter, before.next)
  expect(after.sightings.map(({ txHash }) => txHash)).toEqual([kept])
  const scan = await adapter.scan(before.next, staticWatchlist(treasury))
  expect(scan.reorgFrom).toBe(before.head.number - 2n)
  await expect(local.reorg(network.name, 20)).rejects.toThrow('solid ones stay')
})

test('a block whose root nobody can show is passed over by an operator’s word only', async () => {
  const { adapter, mine, user, native, local, other } = bed
  const { next } = await drain(adapter, null)
  await local.transfer(user, native, other.address, 1_000_000n)
  await mine(1)
  const odd = await startProxy(bed.url, async (path, _, truth) => {
    const told = (await truth()) as { block?: { transactions?: Body[] }[] }
    if (path !== 'wallet/getblockbylimitnext') return told
    const strange = (one: Body) => ({ ...one, ret: [{ contractRet: 'SUCCESS' }, {}] })
    return { block: told.block?.map((block) => ({ ...block, transactions: block.transactions?.map(strange) })) }
  })
  const ours = staticWatchlist(bed.treasury)
  const strict = await bed.open({ nodes: [odd.url] })
  await expect(strict.scan(next, ours)).rejects.toThrow('does not hold what its header says')
  const shown = (await bed.ask('wallet/getnowblock')) as { block_header: { raw_data: { parentHash: string } } }
  const settings = { ...bed.network.settings, unproven_blocks: [shown.block_header.raw_data.parentHash] }
  const told = await bed.open({ nodes: [odd.url], settings })
  const scan = await told.scan(next, ours)
  expect(scan.scannedTo).toBe(scan.head.number)
  await odd.stop()
})

test('balances are of one block, and a wallet that moves while it is read is read again', async () => {
  const { treasury, native, usdt, mine } = bed
  let reads = 0
  const moving = await startProxy(bed.url, async (path, _, truth) => {
    const told = await truth()
    // A block comes in the middle of the first look.
    if (path === 'wallet/getaccount' && reads++ === 0) await mine(1)
    return told
  })
  const adapter = await bed.open({ nodes: [moving.url] })
  const { block, units } = await adapter.balances([native, usdt].map((token) => ({ owner: treasury, token })))
  const head = (await drain(bed.adapter, null)).head
  expect(block).toEqual(head)
  expect(units).toEqual([await bed.balance(treasury, native), await bed.balance(treasury, usdt)])
  expect(reads).toBe(4)
  await moving.stop()
})
