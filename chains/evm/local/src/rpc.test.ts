import { NodeFailure } from '@causeway/chain-kit'
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { header } from '../../src/node/calls.ts'
import { type Node, Refusal } from '../../src/node/node.ts'
import { openRpc } from '../../src/node/rpc.ts'
import { startChain, startProxy, testLog, type Wire, watching } from './testbed.ts'

let chain: Awaited<ReturnType<typeof startChain>>
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())

const NOBODY = 'http://127.0.0.1:9'
const reply = ({ id }: Wire, result: unknown) => ({ jsonrpc: '2.0', id, result })

function rpcOf(nodes: string[], now: () => number = Date.now) {
  const log = testLog()
  const common = { network: 'TEST', chainId: 11_155_111n, timeoutMs: 300, batchSize: 3 }
  return { log, rpc: openRpc({ ...common, nodes, log, now }) }
}

const headOf = async (node: Node) => (await node.ask([header('latest')]))[0]?.number

describe('several nodes', () => {
  test('the next node is used if the first is down, and the change is logged once', async () => {
    const { rpc, log } = rpcOf([NOBODY, chain.url])
    for (let i = 0; i < 3; i++) expect(await rpc.use(headOf)).toBeTypeOf('bigint')
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([['warn', 'node failed']])
  })

  test('one that hangs is left after the timeout', async () => {
    const hanging = await startProxy(chain.url, () => new Promise(() => {}))
    const { rpc, log } = rpcOf([hanging.url, chain.url])
    expect(await rpc.use(headOf)).toBeTypeOf('bigint')
    expect(log.lines[0]?.fields.reason).toMatch(/timeout/)
    await hanging.stop()
  })

  test('a node on another chain is never used and logged as an error', async () => {
    const proxy = await startProxy(chain.url, (wire) =>
      wire.method === 'eth_chainId' ? reply(wire, '0x1') : undefined,
    )
    const alone = rpcOf([proxy.url])
    for (let i = 0; i < 3; i++) await expect(alone.rpc.use(headOf)).rejects.toThrow(RetryLater)
    expect(proxy.counts.eth_getBlockByNumber).toBeUndefined()
    expect(alone.log.lines.map(({ level, message }) => [level, message])).toEqual([
      ['error', 'node is on another chain'],
    ])
    expect(await rpcOf([proxy.url, chain.url]).rpc.use(headOf)).toBeTypeOf('bigint')
    await proxy.stop()
  })

  test('a node that comes back is verified again, and preferred after its backoff', async () => {
    let isDown = false
    let now = 0
    const proxy = await startProxy(chain.url, (wire) => (isDown ? { id: wire.id } : undefined))
    const { rpc, log } = rpcOf([proxy.url, chain.url], () => now)
    await rpc.use(headOf)
    expect(proxy.counts.eth_chainId).toBe(1)
    isDown = true
    await rpc.use(headOf)
    isDown = false
    await rpc.use(headOf)
    expect(proxy.counts.eth_chainId).toBe(1)
    now = 1_001
    await rpc.use(headOf)
    expect(proxy.counts.eth_chainId).toBe(2)
    expect(log.lines.map(({ message }) => message)).toEqual(['node failed', 'node is back'])
    await proxy.stop()
  })

  test('work that meets a failing node starts again from its beginning on the next one', async () => {
    const proxy = await startProxy(chain.url, (wire) => (wire.method === 'eth_getLogs' ? 'nonsense' : undefined))
    const { rpc } = rpcOf([proxy.url, chain.url])
    const visited: string[] = []
    await rpc.use(async (node) => {
      visited.push(node.name)
      await node.ask([header('latest')])
      await node.ask([{ method: 'eth_getLogs', params: [{}], read: (answer) => answer }])
    })
    expect(visited).toEqual([new URL(proxy.url).host, new URL(chain.url).host])
    await proxy.stop()
  })

  test('if every node must answer, one that is down means no agreement', async () => {
    await expect(rpcOf([NOBODY, chain.url]).rpc.every(headOf)).rejects.toThrow(RetryLater)
    expect(await rpcOf([chain.url, chain.url]).rpc.every(headOf)).toHaveLength(2)
  })

  test('without any node everything is for later, and opening does not fail', async () => {
    const adapter = await chain.open({ nodes: [NOBODY] })
    await expect(adapter.scan(null, watching())).rejects.toThrow(RetryLater)
    await expect(adapter.fees()).rejects.toThrow(RetryLater)
    await expect(adapter.broadcast({ hash: '0x', bytes: '0x' })).rejects.toThrow(RetryLater)
    await expect((await chain.open({ nodes: [] })).scan(null, watching())).rejects.toThrow(RetryLater)
  })
})

describe('one node', () => {
  test('long batches are cut and answered in order', async () => {
    const { rpc } = rpcOf([chain.url])
    const numbers = [0n, 1n, 0n, 1n, 0n, 1n, 0n]
    const headers = await rpc.use((node) => node.ask(numbers.map((number) => header(number))))
    expect(headers.map((found) => found?.number)).toEqual(numbers)
  })

  test('a refusal is an answer, not a failure', async () => {
    const { rpc, log } = rpcOf([chain.url])
    const [answer, head] = await rpc.use((node) =>
      node.settle([{ method: 'eth_nonsense', params: [], read: (raw) => raw }, header('latest')]),
    )
    expect(answer).toBeInstanceOf(Refusal)
    expect(head).toMatchObject({ number: expect.any(BigInt) })
    expect(log.lines).toEqual([])
  })

  test('a node out of quota has failed', async () => {
    const error = { code: -32005, message: 'daily request count exceeded' }
    const proxy = await startProxy(chain.url, ({ id, method }) =>
      method === 'eth_chainId' ? undefined : { id, error },
    )
    const { rpc } = rpcOf([proxy.url])
    await expect(rpc.use((node) => node.settle([header('latest')]))).rejects.toThrow(RetryLater)
    await proxy.stop()
  })

  test('the address of a node, which may hold a key, is not in its errors', async () => {
    const { rpc, log } = rpcOf([`${NOBODY}/v2/secret`])
    const error: unknown = await rpc.use(headOf).catch((reason: unknown) => reason)
    expect(String(error)).not.toContain('secret')
    expect(JSON.stringify(log.lines)).not.toContain('secret')
    expect(error).not.toBeInstanceOf(NodeFailure)
  })
})
