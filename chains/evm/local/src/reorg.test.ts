import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { formatCursor, type Memory, oldest, parseCursor, remember } from '../../src/scanning/cursor.ts'
import { accountOf, control, startChain, startProxy, tokenOf, type Wire, watching } from './testbed.ts'

let chain: Awaited<ReturnType<typeof startChain>>
beforeAll(async () => {
  chain = await startChain()
})
beforeEach(async () => {
  await chain.local.mine(chain.network.name, 10)
  chain.log.lines.length = 0
})
afterAll(() => chain.local.stop())

const reply = ({ id }: Wire, result: unknown) => ({ jsonrpc: '2.0', id, result })

describe('a chain that changes its mind', () => {
  test('a deposit whose block is replaced is reported from the fork on, and seen again in its new block', async () => {
    const { adapter, local, network, treasury } = chain
    const ours = watching(treasury)
    const before = await adapter.scan(null, ours)
    const usdc = tokenOf(network, 'USDC')
    await local.transfer(accountOf(local, 0), usdc, treasury, 500n)
    const seen = await adapter.scan(before.next, ours)
    expect(seen.sightings.map(({ amount }) => amount.units)).toEqual([500n])

    await local.reorg(network.name, 1)
    const after = await adapter.scan(seen.next, ours)
    expect(after.reorgFrom).toBe(seen.head.number)
    expect(after.sightings).toEqual([])
    expect(after.scannedTo).toBe(seen.head.number + 1n)

    const txHash = await local.transfer(accountOf(local, 0), usdc, treasury, 500n)
    const again = await adapter.scan(after.next, ours)
    expect(again.reorgFrom).toBeNull()
    expect(again.sightings).toMatchObject([{ txHash, index: 1, amount: { units: 500n } }])
  })

  test('a fork deep below is found, and everything above it is read again', async () => {
    const { adapter, local, network, treasury } = chain
    const ours = watching(treasury)
    await local.mine(network.name, 30)
    let scan = await adapter.scan(null, ours)
    for (let i = 0; i < 25; i++) {
      await local.mine(network.name, 1)
      scan = await adapter.scan(scan.next, ours)
    }
    await local.reorg(network.name, 20)
    const kept = await local.transfer(accountOf(local, 0), network.nativeToken, treasury, 3n)
    const after = await adapter.scan(scan.next, ours)
    expect(after.reorgFrom).toBe(scan.head.number - 19n)
    expect(after.sightings.map(({ txHash }) => txHash)).toEqual([kept])
    expect(chain.log.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('a replaced block of the same height is noticed before the next block', async () => {
    const { adapter, local, network, treasury, node } = chain
    const ours = watching(treasury)
    const scan = await adapter.scan(null, ours)
    await local.reorg(network.name, 3)
    const [head] = await node.ask([
      { method: 'eth_getBlockByNumber', params: [`0x${scan.head.number.toString(16)}`, false], read: (raw) => raw },
    ])
    // A node whose newest block is at the replaced height.
    const proxy = await startProxy(chain.url, (wire) => {
      const [block] = wire.params
      if (wire.method !== 'eth_getBlockByNumber') return
      if (block === 'latest') return reply(wire, head)
      if (BigInt(block as string) > scan.head.number) return reply(wire, null)
    })
    const adapterThere = await chain.open({ nodes: [proxy.url] })
    const after = await adapterThere.scan(scan.next, ours)
    // The cursor holds one block only: the scan goes back as far as it can and reports that.
    expect(after.reorgFrom).toBe(scan.head.number)
    expect(after.scannedTo).toBe(scan.head.number)
    await proxy.stop()
  })

  test("a fork below the cursor's memory goes back to the oldest block, and is logged", async () => {
    const { adapter, local, network, treasury, log } = chain
    const ours = watching(treasury)
    const start = await adapter.scan(null, ours)
    await local.mine(network.name, 2)
    const scan = await adapter.scan(start.next, ours)
    await local.reorg(network.name, 6)
    const after = await adapter.scan(scan.next, ours)
    expect(after.reorgFrom).toBe(start.head.number)
    expect(after.scannedTo).toBe(scan.head.number + 1n)
    expect(log.lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      'reorganisation is deeper than the scan remembers',
    ])
  })

  test('a fork between remembered blocks is found a little too early, never too late', async () => {
    const { adapter, local, network, treasury } = chain
    const ours = watching(treasury)
    let scan = await adapter.scan(null, ours)
    await local.mine(network.name, 100)
    do {
      scan = await adapter.scan(scan.next, ours)
    } while (scan.scannedTo < scan.head.number)
    await local.reorg(network.name, 45)
    const after = await adapter.scan(scan.next, ours)
    const forked = scan.head.number - 44n
    expect(after.reorgFrom).not.toBeNull()
    expect(after.reorgFrom ?? 0n).toBeLessThanOrEqual(forked)
    expect(after.reorgFrom ?? 0n).toBeGreaterThan(forked - 45n)
  })
})

test('the cursor reaches below the final depth of a quick chain and stays below five kilobytes', () => {
  const finalDepth = 1_200
  let memory: Memory = { number: -1n, marks: [] }
  for (let number = 0n; number < 5_000n; number++) {
    memory = remember(memory, [{ number, hash: `0x${number.toString(16).padStart(64, '0')}` }], finalDepth)
  }
  expect(formatCursor(memory).length).toBeLessThan(5_000)
  expect(parseCursor(formatCursor(memory))).toEqual(memory)
  expect(oldest(memory)).toBeLessThanOrEqual(memory.number - BigInt(finalDepth))
  expect(memory.marks.slice(-32).map(({ number }) => number)).toEqual(
    Array.from({ length: 32 }, (_, i) => 4_968n + BigInt(i)),
  )
})

test('a cursor in the earlier format is still read', () => {
  expect(parseCursor('{"number":"7","hashes":["0xa","0xb"]}')).toEqual({
    number: 7n,
    marks: [
      { number: 6n, hash: '0xa' },
      { number: 7n, hash: '0xb' },
    ],
  })
})

describe('a node that is not at the same place', () => {
  test('one that lags makes no progress and is no reorg', async () => {
    const { adapter, local, network, treasury, open, url } = chain
    const ours = watching(treasury)
    const start = await adapter.scan(null, ours)
    await local.mine(network.name, 5)
    const scan = await adapter.scan(start.next, ours)
    const lagging = scan.head.number - 2n
    const proxy = await startProxy(url, (wire) => {
      const [block] = wire.params
      if (wire.method !== 'eth_getBlockByNumber') return
      if (block === 'latest') wire.params[0] = `0x${lagging.toString(16)}`
      else if (BigInt(block as string) > lagging) return reply(wire, null)
    })
    const there = await open({ nodes: [proxy.url] })
    const after = await there.scan(scan.next, ours)
    expect(after).toMatchObject({ sightings: [], next: scan.next, scannedTo: scan.scannedTo, reorgFrom: null })
    expect(after.head.number).toBe(lagging)
    await proxy.stop()
  })

  test('one that leaves the logs of a block out of a wide answer is asked for that block by its hash', async () => {
    const { adapter, local, network, treasury, open, url } = chain
    const ours = watching(treasury)
    const { next } = await adapter.scan(null, ours)
    const usdc = tokenOf(network, 'USDC')
    const txHash = await local.transfer(accountOf(local, 0), usdc, treasury, 41n)
    await local.transfer(accountOf(local, 0), network.nativeToken, treasury, 42n)
    const proxy = await startProxy(url, (wire) => {
      const [filter] = wire.params as [{ fromBlock?: string }]
      if (wire.method === 'eth_getLogs' && filter.fromBlock) return reply(wire, [])
    })
    const scan = await (await open({ nodes: [proxy.url] })).scan(next, ours)
    expect(scan.sightings.map(({ amount }) => amount.units)).toEqual([41n, 42n])
    expect(scan.sightings[0]).toMatchObject({ txHash, index: 1 })
    await proxy.stop()
  })

  test('a node too weak for a long range is asked for shorter ones until it succeeds', async () => {
    const { adapter, local, network, treasury, open, url } = chain
    const ours = watching(treasury)
    const start = await adapter.scan(null, ours)
    await local.mine(network.name, 60)
    const limit = start.scannedTo + 10n
    const proxy = await startProxy(url, ({ method, params: [block, isFull] }) => {
      if (method === 'eth_getBlockByNumber' && isFull && BigInt(block as string) > limit) return 'nonsense'
    })
    const there = await open({ nodes: [proxy.url] })
    // 50, 25 and 12 blocks are too many; 6 are not.
    for (let i = 0; i < 3; i++) await expect(there.scan(start.next, ours)).rejects.toThrow(RetryLater)
    expect((await there.scan(start.next, ours)).scannedTo).toBe(start.scannedTo + 6n)
    await proxy.stop()
  })

  test('a node whose logs and blocks are of different chains is rejected', async () => {
    const { adapter, local, network, treasury, open, url } = chain
    const ours = watching(treasury)
    const { next } = await adapter.scan(null, ours)
    await local.transfer(accountOf(local, 0), tokenOf(network, 'USDC'), treasury, 41n)
    const proxy = await startProxy(url, (wire) => {
      if (wire.method !== 'eth_getLogs') return
      const log = { address: `0x${'1'.repeat(40)}`, topics: [], data: '0x', transactionHash: `0x${'2'.repeat(64)}` }
      return reply(wire, [{ ...log, blockHash: `0x${'3'.repeat(64)}` }])
    })
    await expect((await open({ nodes: [proxy.url] })).scan(next, ours)).rejects.toThrow(RetryLater)
    await proxy.stop()
  })

  test.each([
    ['receipts are of another block than the one that was read', 'eth_getTransactionReceipt', 'blockHash'],
    ['blocks do not follow one another', 'eth_getBlockByNumber', 'parentHash'],
  ])('one whose %s is not believed', async (_, method, field) => {
    const { adapter, local, network, treasury, open, url, node } = chain
    const ours = watching(treasury)
    const { next, scannedTo } = await adapter.scan(null, ours)
    await local.mine(network.name, 1)
    await local.transfer(accountOf(local, 0), network.nativeToken, treasury, 41n)
    const proxy = await startProxy(url, async (wire) => {
      if (wire.method !== method) return
      const [block] = wire.params
      const isBefore = method === 'eth_getBlockByNumber' && (block === 'latest' || BigInt(`${block}`) <= scannedTo + 1n)
      if (isBefore) return
      const truth = (await control(node, wire.method, ...wire.params)) as object
      return reply(wire, { ...truth, [field]: `0x${'3'.repeat(64)}` })
    })
    await expect((await open({ nodes: [proxy.url] })).scan(next, ours)).rejects.toThrow('changed while it was read')
    await proxy.stop()
  })

  test('a receipt in a block that is not part of the chain proves nothing', async () => {
    const { local, network, treasury, open, url } = chain
    const txHash = await local.transfer(accountOf(local, 0), network.nativeToken, treasury, 42n)
    const proxy = await startProxy(url, (wire) => {
      if (wire.method !== 'eth_getBlockByNumber' || wire.params[0] === 'latest') return
      return reply(wire, null)
    })
    const there = await open({ nodes: [proxy.url] })
    await expect(there.inspect(txHash, watching(treasury))).rejects.toThrow(RetryLater)
    await expect(there.status({ hash: txHash, slot: ['0'], account: treasury }, nothingSigned)).rejects.toThrow(
      RetryLater,
    )
    await proxy.stop()
  })
})
