/** With a quorum of two, a node that lies, lags or follows another branch moves no money, backs off and is reported. */
import { RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountOf, startChain, startProxy, testLog, tokenOf, type Wire, watching } from './testbed.ts'

let chain: Awaited<ReturnType<typeof startChain>>
let txHash: string
/** The same node under another address. */
let honest: Awaited<ReturnType<typeof startProxy>>
beforeAll(async () => {
  chain = await startChain()
  const { local, network, treasury } = chain
  txHash = await local.transfer(accountOf(local, 0), tokenOf(network, 'USDC'), treasury, 500n)
  await local.mine(network.name, 3)
  honest = await startProxy(chain.url, () => undefined)
})
afterAll(async () => {
  await honest.stop()
  await chain.local.stop()
})

const reply = ({ id }: Wire, result: unknown) => ({ jsonrpc: '2.0', id, result })

/** A node that does not know the transaction. */
const ignorant = () =>
  startProxy(chain.url, (wire) =>
    wire.method === 'eth_getTransactionReceipt' || wire.method === 'eth_getTransactionByHash'
      ? reply(wire, null)
      : undefined,
  )

test('a deposit that only one of two nodes knows is retried later', async () => {
  const other = await ignorant()
  const adapter = await chain.open({ nodes: [chain.url, other.url], quorum: 2 })
  await expect(adapter.inspect(txHash, watching(chain.treasury))).rejects.toThrow(RetryLater)
  await other.stop()
})

test('two of three decide, whichever is asked first; the third backs off and is counted', async () => {
  const other = await ignorant()
  const log = testLog()
  const adapter = await chain.open({ nodes: [other.url, chain.url, honest.url], quorum: 2 })
  const found = await adapter.inspect(txHash, watching(chain.treasury))
  expect(found).toMatchObject({ state: 'included', sightings: [{ amount: { units: 500n } }] })
  expect(adapter.nodeHealth().map(({ differed, rests }) => [differed, rests])).toEqual([
    [1, true],
    [0, false],
    [0, false],
  ])
  expect(log.lines).toEqual([])
  await other.stop()
})

test('a head that only one node has is not scanned up to', async () => {
  const ours = watching(chain.treasury)
  const { next, head } = await chain.adapter.scan(null, ours)
  await chain.local.mine(chain.network.name, 2)
  const behind = await startProxy(chain.url, (wire) => {
    const [block] = wire.params
    if (wire.method !== 'eth_getBlockByNumber') return
    if (block === 'latest') wire.params[0] = `0x${head.number.toString(16)}`
    else if (BigInt(block as string) > head.number) return reply(wire, null)
  })
  const adapter = await chain.open({ nodes: [chain.url, behind.url], quorum: 2 })
  await expect(adapter.scan(next, ours)).rejects.toThrow(RetryLater)
  const both = await chain.open({ nodes: [chain.url, honest.url], quorum: 2 })
  expect((await both.scan(next, ours)).scannedTo).toBe(head.number + 2n)
  await behind.stop()
})

test('a balance is accepted if two nodes report the same for one block', async () => {
  const { network, treasury, url } = chain
  const wanted = network.tokens.map((token) => ({ owner: treasury, token }))
  const both = await chain.open({ nodes: [url, honest.url], quorum: 2 })
  expect((await both.balances(wanted)).units).toEqual((await chain.adapter.balances(wanted)).units)
  const lying = await startProxy(url, (wire) => (wire.method === 'eth_getBalance' ? reply(wire, '0x1') : undefined))
  const adapter = await chain.open({ nodes: [lying.url, url], quorum: 2 })
  await expect(adapter.balances(wanted)).rejects.toThrow(RetryLater)
  await lying.stop()
})

test("a contract signature needs more than one node's answer", async () => {
  const wallet = `0x${'5e'.repeat(19)}02`
  const approving = await startProxy(chain.url, (wire) => {
    if (wire.method === 'eth_getCode') return reply(wire, '0x60006000fd')
    if (wire.method === 'eth_call') return reply(wire, `0x1626ba7e${'0'.repeat(56)}`)
  })
  const claim = { address: wallet, text: 'Send it here.', signature: '0x1234' }
  const alone = await chain.open({ nodes: [approving.url] })
  expect(await alone.messages?.verify(claim)).toBe(true)
  const adapter = await chain.open({ nodes: [approving.url, chain.url], quorum: 2 })
  await expect(adapter.messages?.verify(claim)).rejects.toThrow(RetryLater)
  const majority = await chain.open({ nodes: [approving.url, chain.url, honest.url], quorum: 2 })
  expect(await majority.messages?.verify(claim)).toBe(false)
  await approving.stop()
})
