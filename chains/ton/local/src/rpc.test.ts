import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forward } from '../../../../tests/support/chains/samples.ts'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { accountState, masterchainInfo } from '../../src/node/calls.ts'
import { type Node, openNode } from '../../src/node/node.ts'
import { openRpc } from '../../src/node/rpc.ts'
import { startChain, startProxy, type Testbed, testLog } from './testbed.ts'

let bed: Testbed
beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed.local.stop())

const NOBODY = 'http://127.0.0.1:9/api/v2/jsonRPC?api_key=secret'
const refused = (code: number, error: string) => ({ status: code, body: { ok: false, error, code } })

function rpcOf(nodes: string[]) {
  const log = testLog()
  const zeroState = String(bed.network.settings.zero_state)
  return {
    log,
    rpc: openRpc({ network: 'TEST', zeroState, timeoutMs: 500, requestsPerSecond: 0, nodes, log, now: Date.now }),
  }
}

const headOf = async (node: Node) => (await node.ask(masterchainInfo())).head.number

describe('several nodes', () => {
  test('the next node is used if the first is down, and the change is logged once', async () => {
    const { rpc, log } = rpcOf([NOBODY, bed.url])
    for (let i = 0; i < 3; i++) expect(await rpc.use(headOf)).toBeTypeOf('bigint')
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([['warn', 'node failed']])
  })

  test('one that hangs is left after the timeout', async () => {
    const hanging = await startProxy(bed.url, () => new Promise(() => {}))
    const { rpc, log } = rpcOf([hanging.url, bed.url])
    expect(await rpc.use(headOf)).toBeTypeOf('bigint')
    expect(log.lines[0]?.fields.reason).toMatch(/timeout/)
    await hanging.stop()
  })

  test('a node of another network is never used and logged as an error', async () => {
    const { rpc, log } = rpcOf([bed.url])
    const other = openRpc({
      network: 'TEST',
      zeroState: 'F6OpKZKqvqeFp6CQmFomXNMfMj2EnaUSOXN+Mh+wVWk=',
      timeoutMs: 500,
      requestsPerSecond: 0,
      nodes: [bed.url],
      log,
      now: Date.now,
    })
    await expect(other.use(headOf)).rejects.toThrow(RetryLater)
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([['error', 'node is on another chain']])
    expect(await rpc.use(headOf)).toBeTypeOf('bigint')
  })

  test('a jetton balance from a lagging backend is not accepted', async () => {
    const { treasury, network, local } = bed
    const usdt = network.tokens.find(({ contract }) => contract !== null)
    if (!usdt) throw new Error('a network without a token')
    await local.fund(usdt, treasury, 7n)
    const wallet = await bed.jettonWallet(treasury, usdt.contract ?? '')
    let [old, times]: [unknown, number] = [null, 0]
    const lagging = await startProxy(bed.url, async (wire) => {
      if (wire.method !== 'runGetMethod' || wire.params.address !== wallet) return undefined
      const { body } = await forward(bed.url, wire)
      old ??= body
      return { body: times-- > 0 ? old : body }
    })
    const adapter = await bed.open({ nodes: [lagging.url] })
    const held = async () => (await adapter.balances([{ owner: treasury, token: usdt }])).units[0]
    const before = (await held()) ?? 0n
    await local.fund(usdt, treasury, 5n)
    times = 1
    expect(await held()).toBe(before + 5n)
    await lagging.stop()
  })

  test('one whose quota is used up is left for another', async () => {
    const spent = await startProxy(bed.url, () => refused(429, 'Ratelimit exceed'))
    const { rpc, log } = rpcOf([spent.url, bed.url])
    expect(await rpc.use(headOf)).toBeTypeOf('bigint')
    expect(log.lines[0]?.fields.reason).toMatch(/429/)
    await spent.stop()
  })

  test('one that refuses is left for another, and what all refuse is for later', async () => {
    const behind = await startProxy(bed.url, ({ method }) =>
      method === 'getAddressInformation' ? refused(500, 'LITE_SERVER_NOTREADY: not ready') : undefined,
    )
    const work = async (node: Node) => (await node.ask(accountState(bed.treasury))).balance
    expect(await rpcOf([behind.url, bed.url]).rpc.use(work)).toBeGreaterThan(0n)
    await expect(rpcOf([behind.url]).rpc.use(work)).rejects.toThrow(RetryLater)
    await expect(rpcOf([behind.url, bed.url]).rpc.every(work)).rejects.toThrow(RetryLater)
    await behind.stop()
  })

  test('no key gets into a log or an error', async () => {
    const { rpc, log } = rpcOf([NOBODY])
    const error = await rpc.use(headOf).catch(String)
    expect(String(error) + JSON.stringify(log.lines)).not.toContain('secret')
  })
})

describe('one node', () => {
  test('identical concurrent requests are sent once', async () => {
    const proxy = await startProxy(bed.url, () => undefined)
    const node = openNode(proxy.url, { timeoutMs: 1_000, requestsPerSecond: 0 })
    await Promise.all(Array.from({ length: 20 }, () => node.ask(accountState(bed.treasury))))
    expect(proxy.counts.getAddressInformation).toBe(1)
    await proxy.stop()
  })

  test('is asked no more often than it allows', async () => {
    const node = openNode(bed.url, { timeoutMs: 1_000, requestsPerSecond: 20 })
    const began = performance.now()
    for (let asked = 0; asked < 5; asked++) await node.ask(masterchainInfo())
    expect(performance.now() - began).toBeGreaterThanOrEqual(190)
  })

  test('one that leaves a transaction out of the past is found out', async () => {
    for (let made = 0; made < 3; made++) await bed.local.transfer(bed.user, bed.native, bed.treasury, 1_000_000_000n)
    const liar = await startProxy(bed.url, async ({ method, params }) => {
      if (method !== 'getTransactions') return undefined
      const answer = await fetch(bed.url, { method: 'POST', body: JSON.stringify({ id: '1', method, params }) })
      const { result }: { result: unknown[] } = JSON.parse(await answer.text())
      return { body: { ok: true, result: result.toSpliced(1, 1) } }
    })
    const honest = await bed.open()
    const start = JSON.stringify({ seqno: '1', lt: '0', walk: null })
    expect((await honest.scan(start, staticWatchlist(bed.treasury))).sightings.length).toBeGreaterThanOrEqual(3)
    const fooled = await bed.open({ nodes: [liar.url] })
    await expect(fooled.scan(start, staticWatchlist(bed.treasury))).rejects.toThrow(/does not link up/)
    await liar.stop()
  })
})
