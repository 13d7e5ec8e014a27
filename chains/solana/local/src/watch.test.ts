import { RetryLater, type Scan } from '@causeway/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { parseCursor } from '../../src/scanning/cursor.ts'
import { type Answer, control, startChain, startProxy, type TestChain, walletAt } from './testbed.ts'

let chain: TestChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())

const mine = (blocks: number) => control(chain.node, 'devnet_mine', blocks)
const ours = () => staticWatchlist(chain.treasury)

async function deposit(units = 1_000_000n): Promise<string> {
  return chain.local.transfer(await walletAt(chain.local, 0), chain.network.nativeToken, chain.treasury, units)
}

async function drained(start: string, adapter = chain.adapter): Promise<{ scans: Scan[]; next: string }> {
  const scans: Scan[] = []
  let next = start
  do {
    const scan = await adapter.scan(next, ours())
    scans.push(scan)
    next = scan.next
  } while ((scans.at(-1)?.scannedTo ?? 0n) < (scans.at(-1)?.head.number ?? 0n))
  return { scans, next }
}

it('catching up goes in bounded ranges, with one watchlist query for each', async () => {
  const { next } = await chain.adapter.scan(null, ours())
  const hashes = [await deposit(), await deposit()]
  await mine(30)
  let questions = 0
  const watchlist = {
    owned: async (addresses: readonly string[]) => {
      questions += 1
      return ours().owned(addresses)
    },
  }
  const first = await chain.adapter.scan(next, watchlist)
  expect(first.scannedTo - parseCursor(next).slot).toBeLessThanOrEqual(8n)
  expect(first.scannedTo).toBeLessThan(first.head.number)
  expect(first.sightings.map(({ txHash }) => txHash)).toEqual(hashes)
  expect(questions).toBe(1)
})

it('slots without a block are skipped, and later deposits are found', async () => {
  const { next } = await drained((await chain.adapter.scan(null, ours())).next)
  await mine(5)
  // The five slots lose their blocks; six more follow.
  await control(chain.node, 'devnet_reorg', 5)
  const hash = await deposit()
  const { scans } = await drained(next)
  expect(scans.flatMap(({ sightings }) => sightings).map(({ txHash }) => txHash)).toEqual([hash])
})

it('an unread fork is no reorg; one that was read is, from its first block on', async () => {
  const { next } = await drained((await chain.adapter.scan(null, ours())).next)
  await mine(3)
  const { next: after } = await drained(next)
  await control(chain.node, 'devnet_reorg', 2)
  const { scans } = await drained(after)
  const fork = scans.find(({ reorgFrom }) => reorgFrom !== null)?.reorgFrom ?? 0n
  expect(fork).toBeGreaterThan(parseCursor(next).slot)
  expect(parseCursor(after).blocks.some(({ slot }) => slot === fork - 1n)).toBe(true)
  expect(scans.filter(({ reorgFrom }) => reorgFrom !== null)).toHaveLength(1)
})

it('a fork deeper than the cursor is scanned again from below, and logged as an error', async () => {
  const { next } = await drained((await chain.adapter.scan(null, ours())).next)
  const cursor = JSON.parse(next)
  const blocks = cursor.blocks.map(([slot]: [string]) => [slot, 'ASomewhereE1se1111111111111111111111111111'])
  await mine(1)
  const scan = await chain.adapter.scan(JSON.stringify({ ...cursor, blocks }), ours())
  expect(scan.reorgFrom).toBe(BigInt(blocks[0][0]))
  expect(chain.log.lines.some(({ message }) => message.includes('deeper than the scan remembers'))).toBe(true)
})

it('a block that the node cannot return yet is waited for, and never skipped', async () => {
  const { next } = await drained((await chain.adapter.scan(null, ours())).next)
  const hash = await deposit()
  await mine(2)
  let hidden = true
  const proxy = await startProxy(chain.url, ({ method }): Answer | undefined =>
    hidden && method === 'getBlock'
      ? { jsonrpc: '2.0', error: { code: -32004, message: 'Block not available for slot' } }
      : undefined,
  )
  const adapter = await chain.open({ nodes: [proxy.url] })
  const waiting = await adapter.scan(next, ours())
  expect(waiting).toMatchObject({ sightings: [], next, reorgFrom: null })
  hidden = false
  const { scans } = await drained(next, adapter)
  expect(scans.flatMap(({ sightings }) => sightings).map(({ txHash }) => txHash)).toEqual([hash])
  await proxy.stop()
})

it('a list of blocks with a gap is rejected', async () => {
  const { next } = await drained((await chain.adapter.scan(null, ours())).next)
  await deposit()
  await mine(3)
  const proxy = await startProxy(chain.url, ({ method }, answer): Answer | undefined =>
    method === 'getBlocksWithLimit' ? { ...answer, result: (answer.result as number[]).slice(1) } : undefined,
  )
  const adapter = await chain.open({ nodes: [proxy.url] })
  await expect(adapter.scan(next, ours())).rejects.toBeInstanceOf(RetryLater)
  await proxy.stop()
})

it('a node that lags behind the cursor makes no progress and reports no reorg', async () => {
  const start = (await chain.adapter.scan(null, ours())).next
  await mine(5)
  const { next } = await drained(start)
  const behind = parseCursor(next).blocks.at(-4)
  const proxy = await startProxy(chain.url, ({ method }, answer): Answer | undefined => {
    if (method === 'getBlocksWithLimit') return { ...answer, result: [] }
    const value = { blockhash: behind?.hash, lastValidBlockHeight: 1 }
    const context = { slot: Number(behind?.slot) }
    return method === 'getLatestBlockhash' ? { ...answer, result: { context, value } } : undefined
  })
  const adapter = await chain.open({ nodes: [proxy.url] })
  expect(await adapter.scan(next, ours())).toMatchObject({ sightings: [], next, reorgFrom: null })
  await proxy.stop()
})

it('a deposit’s block time is available as long as it is that very block', async () => {
  const hash = await deposit()
  const found = await chain.adapter.inspect(hash, ours())
  if (found.state !== 'included') throw new Error(`it is ${found.state}`)
  const { blockTime } = (await control(chain.node, 'getTransaction', hash, {
    encoding: 'json',
    commitment: 'confirmed',
  })) as {
    blockTime: number
  }
  expect(await chain.adapter.blockTimes?.timeOf(found.block)).toEqual(new Date(blockTime * 1000))
  const elsewhere = { ...found.block, hash: chain.treasury }
  await expect(chain.adapter.blockTimes?.timeOf(elsewhere)).rejects.toThrow(RetryLater)
})

it('a node that has forgotten when a block was made does not make a time up', async () => {
  const found = await chain.adapter.inspect(await deposit(), ours())
  if (found.state !== 'included') throw new Error(`it is ${found.state}`)
  const proxy = await startProxy(chain.url, ({ method }, answer): Answer | undefined =>
    method === 'getBlock' ? { ...answer, result: { ...(answer.result as object), blockTime: null } } : undefined,
  )
  const adapter = await chain.open({ nodes: [proxy.url] })
  await expect(adapter.blockTimes?.timeOf(found.block)).rejects.toThrow('does not tell when')
  await proxy.stop()
})
