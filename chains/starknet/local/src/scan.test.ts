/** The scan over long ranges, empty pages, long reorgs and nodes that contradict themselves. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { transferCall } from '../../src/paying/order.ts'
import { parseCursor, remember } from '../../src/scanning/cursor.ts'
import { testNetwork, USDC, WATCHDOG } from './test-network.ts'
import { drain, startChain, startProxy, type TestChain } from './testbed.ts'

const network = testNetwork({ finalDepth: 600 })
let chain: TestChain
beforeAll(async () => {
  chain = await startChain(network)
})
afterAll(() => chain?.local.stop())

const deposit = (reference: bigint, units = 1_000n) =>
  chain.send(chain.user, [
    transferCall(BigInt(USDC), chain.treasury, units),
    { to: BigInt(WATCHDOG), entrypoint: 'watch', calldata: [reference] },
  ])

test('nothing is missed in a long range, though pages are small and some are empty', async () => {
  const adapter = await chain.open({ settings: { ...network.settings, scan_blocks: 40, event_chunk: 2 } })
  const { next } = await drain(adapter, null)
  const sent: string[] = []
  for (let number = 1n; number <= 5n; number++) {
    sent.push(await deposit(number))
    await chain.mine(17)
  }
  const { sightings } = await drain(adapter, next)
  expect(sightings.map(({ txHash }) => txHash)).toEqual(sent)
  expect(sightings.map(({ reference }) => reference)).toEqual([1n, 2n, 3n, 4n, 5n])
})

test('a reorg of hundreds of blocks is found, reported from its fork, and later deposits are seen', async () => {
  const { adapter, treasury } = chain
  const start = await drain(adapter, null)
  await chain.mine(400)
  const lost = await deposit(11n)
  const before = await drain(adapter, start.next)
  expect(before.sightings.map(({ txHash }) => txHash)).toEqual([lost])
  await chain.mine(100)
  const later = await drain(adapter, before.next)
  const { length } = parseCursor(later.next).marks
  expect(length).toBeLessThan(150)
  const fork = later.head.number - 300n
  await chain.local.reorg(network.name, 300)
  const after = await drain(adapter, later.next)
  expect(after.reorgFrom).toBeLessThanOrEqual(fork + 1n)
  // The marks grow sparse with their age: a fork is found at most an eighth of its depth too early.
  expect(after.reorgFrom).toBeGreaterThan(fork - 40n)
  expect(after.sightings).toEqual([])
  expect(await adapter.inspect(lost, staticWatchlist(treasury))).toEqual({ state: 'unknown' })
  const found = await deposit(12n)
  expect((await drain(adapter, after.next)).sightings.map(({ txHash }) => txHash)).toEqual([found])
})

test('a chain that reverts final blocks is not read on, and an alert is logged', async () => {
  const { adapter } = chain
  await chain.mine(650)
  const { next } = await drain(adapter, (await drain(adapter, null)).next)
  await chain.mine(2)
  const cursor = JSON.stringify({ ...JSON.parse((await drain(adapter, next)).next) })
  const memory = parseCursor(cursor)
  const forged = JSON.parse(cursor)
  forged.final = [`${memory.final?.number}`, `0x${'0'.repeat(63)}9`]
  forged.marks[forged.marks.length - 1][1] = `0x${'0'.repeat(63)}8`
  await chain.mine(1)
  await expect(drain(adapter, JSON.stringify(forged))).rejects.toThrow('until an operator has checked')
  expect(chain.log.lines).toContainEqual(
    expect.objectContaining({ level: 'error', message: expect.stringContaining('final') }),
  )
})

test('a node that lags behind the cursor is no reorg, and one that lacks a block proves nothing', async () => {
  const { next, scannedTo } = await drain(chain.adapter, (await drain(chain.adapter, null)).next)
  await chain.mine(2)
  const drained = await drain(chain.adapter, next)
  const lagging = await startProxy(chain.url, async ({ method, params, id }) => {
    if (method !== 'starknet_getBlockWithTxHashes') return undefined
    const at = params.block_id as { block_number?: number } | string
    if (typeof at === 'object' && (at.block_number ?? 0) > Number(scannedTo)) {
      return { jsonrpc: '2.0', id, error: { code: 24, message: 'Block not found' } }
    }
    if (at !== 'latest') return undefined
    const body = { jsonrpc: '2.0', id, method, params: { block_id: { block_number: Number(scannedTo) } } }
    const answer = await fetch(chain.url, { method: 'POST', body: JSON.stringify(body) })
    return answer.json()
  })
  const adapter = await chain.open({ nodes: [lagging.url] })
  const scan = await adapter.scan(drained.next, staticWatchlist(chain.treasury))
  expect(scan).toMatchObject({ reorgFrom: null, next: drained.next, sightings: [] })
  await lagging.stop()
})

test('a backend that does not have the newest block yet is asked again for balances', async () => {
  const { adapter, treasury, network } = chain
  const wanted = [{ owner: treasury, token: network.nativeToken }]
  let refused = 0
  const lagging = await startProxy(chain.url, ({ method, id }) => {
    if (method !== 'starknet_call' || refused++ > 0) return undefined
    return { jsonrpc: '2.0', id, error: { code: 24, message: 'Block not found' } }
  })
  const there = await chain.open({ nodes: [lagging.url] })
  expect((await there.balances(wanted)).units).toEqual((await adapter.balances(wanted)).units)
  expect(refused).toBeGreaterThan(1)
  await lagging.stop()
})

test('a node whose blocks do not link to each other is rejected', async () => {
  const { next } = await drain(chain.adapter, null)
  await chain.mine(3)
  const broken = await startProxy(chain.url, ({ method, params }, answer) => {
    const isThird = method === 'starknet_getBlockWithTxHashes' && typeof params.block_id === 'object'
    if (!isThird) return undefined
    const block = answer.result as { block_number: number; parent_hash: string }
    if (block.block_number % 2 === 0) block.parent_hash = '0x5'
    return answer
  })
  const adapter = await chain.open({ nodes: [broken.url] })
  await expect(drain(adapter, next)).rejects.toThrow(RetryLater)
  await broken.stop()
})

test('the cursor stays small while ten thousand blocks are not final', () => {
  let memory = parseCursor(JSON.stringify({ number: '0', marks: [] }))
  const final = { number: 0n, hash: '0x0' }
  for (let number = 1n; number <= 10_000n; number += 50n) {
    const blocks = Array.from({ length: 50 }, (_, i) => ({
      number: number + BigInt(i),
      hash: `0x${number + BigInt(i)}`,
    }))
    memory = remember(memory, blocks, final)
  }
  expect(memory.marks.length).toBeLessThan(160)
  expect(memory.marks[0]?.number).toBeLessThan(64n)
  const gaps = memory.marks
    .slice(1)
    .map(({ number }, i) => ({ gap: number - (memory.marks[i]?.number ?? 0n), depth: 10_000n - number }))
  for (const { gap, depth } of gaps) expect(gap).toBeLessThanOrEqual(depth / 4n + 2n)
})

test('movements are read in smaller parts if a range has more events than one read returns', async () => {
  const start = (await drain(chain.adapter, null)).head.number
  const sent = [await deposit(21n), await deposit(22n)]
  await chain.mine(8)
  const { head } = await drain(chain.adapter, null)
  const numbers = new Map<string, number>()
  const crowded = await startProxy(chain.url, ({ method, params }, answer) => {
    if (method === 'starknet_getBlockWithTxHashes') {
      const block = answer.result as { block_number: number; block_hash: string } | undefined
      if (block) numbers.set(`${BigInt(block.block_hash)}`, block.block_number)
    }
    if (method !== 'starknet_getEvents') return undefined
    const { from_block, to_block } = params.filter as {
      from_block: { block_number: number }
      to_block: { block_hash: string }
    }
    const blocks = (numbers.get(`${BigInt(to_block.block_hash)}`) ?? 0) - from_block.block_number + 1
    return blocks > 3 ? { ...answer, result: { events: [], continuation_token: 'more' } } : undefined
  })
  const adapter = await chain.open({ nodes: [crowded.url] })
  const moved = await adapter.audit?.movements(chain.treasury, start + 1n, head.number)
  await crowded.stop()
  expect(moved?.map(({ txHash }) => txHash)).toEqual(sent)
})
