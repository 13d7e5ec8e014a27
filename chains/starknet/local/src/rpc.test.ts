/** Which nodes are used: those of this chain and of a supported version, and of several one that works. */
import { findToken, RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer } from '../../../../tests/support/chains/samples.ts'
import { STRK, testNetwork } from './test-network.ts'
import { drain, draw, payment, startChain, startProxy, statusOf, type TestChain } from './testbed.ts'

const network = testNetwork()
let chain: TestChain
beforeAll(async () => {
  chain = await startChain(network)
})
afterAll(() => chain?.local.stop())

test('a node of another chain is never used, and reported as such', async () => {
  const stranger = await startProxy(chain.url, ({ method }, answer) =>
    method === 'starknet_chainId' ? { ...answer, result: '0x534e5f4d41494e' } : undefined,
  )
  const alone = await chain.open({ nodes: [stranger.url] })
  await expect(alone.fees()).rejects.toThrow('not on the one of the file')
  const both = await chain.open({ nodes: [stranger.url, chain.url] })
  expect((await both.fees()).nativeTransfer).toBeGreaterThan(0n)
  expect(both.nodeHealth()).toMatchObject([{ trouble: 'WrongChain' }, { trouble: null }])
  await stranger.stop()
})

test('the native token is found, and shown to wallets, by the contract that it is', () => {
  const { nativeAddress, walletContracts } = chain.adapter
  const nativeContract = walletContracts?.native
  expect(nativeContract).toBe(STRK)
  expect(findToken(network, STRK, chain.adapter)).toBe(network.nativeToken)
  expect(nativeAddress).toBe(STRK)
})

test('a native token that is listed a second time, by its contract, is a mistake', async () => {
  const twice = { ...network.nativeToken, symbol: 'STRK2', contract: STRK }
  await expect(chain.open({ tokens: [...network.tokens, twice] })).rejects.toThrow('listed a second time')
})

test('a node with an old version is rejected with a hint on what to configure', async () => {
  const old = await startProxy(chain.url, ({ method }, answer) =>
    method === 'starknet_specVersion' ? { ...answer, result: '0.8.1' } : undefined,
  )
  const adapter = await chain.open({ nodes: [old.url] })
  await expect(adapter.fees()).rejects.toThrow('must name v0_9 or a newer one')
  await old.stop()
})

test('a node that is down, out of quota or talks nonsense is passed over; a send reaches every other one', async () => {
  const replies = [
    { status: 502, body: 'bad gateway' },
    { status: 429, body: {} },
    { body: { jsonrpc: '2.0', id: 0, result: { nonsense: true } } },
  ]
  const sick = await Promise.all(replies.map((reply) => startServer(async () => reply)))
  const adapter = await chain.open({ nodes: [...sick.map(({ url }) => url), 'http://127.0.0.1:9/', chain.url] })
  const drawn = await draw(adapter, payment(adapter.treasury, [chain.other.address, chain.native, 5n]))
  await adapter.broadcast(drawn.signed)
  await chain.mine(1)
  expect(await statusOf(adapter, drawn)).toMatchObject({ state: 'included' })
  await Promise.all(sick.map(({ stop }) => stop()))
  const none = await chain.open({ nodes: ['http://127.0.0.1:9/'] })
  await expect(none.fees()).rejects.toThrow(RetryLater)
})

test('with a quorum of two, one that reports another block is not enough', async () => {
  const liar = await startProxy(chain.url, ({ method }, answer) => {
    const receipt = answer.result as { execution_status?: string } | undefined
    if (method !== 'starknet_getTransactionReceipt' || !receipt) return undefined
    receipt.execution_status = 'REVERTED'
    return answer
  })
  const drawn = await draw(chain.adapter, payment(chain.treasury, [chain.other.address, chain.native, 6n]))
  await chain.adapter.broadcast(drawn.signed)
  await chain.mine(1)
  const two = await chain.open({ nodes: [liar.url, chain.url], quorum: 2 })
  await expect(statusOf(two, drawn)).rejects.toThrow('nodes of fewer than 2 providers say the same')
  const three = await chain.open({
    nodes: [liar.url, chain.url, chain.url.replace('127.0.0.1', 'localhost')],
    quorum: 2,
  })
  expect(await statusOf(three, drawn)).toMatchObject({ state: 'included' })
  expect((await drain(three, null)).sightings).toEqual([])
  await liar.stop()
})

test("withheld events are noticed by the treasury's balance", async () => {
  const { number } = (await drain(chain.adapter, null)).head
  await chain.local.transfer(chain.user, chain.native, chain.treasury, 7n)
  const end = (await drain(chain.adapter, null)).head.number
  const found = await chain.adapter.audit?.movements(chain.treasury, number + 1n, end)
  expect(found?.flatMap(({ changes }) => changes.map(({ units }) => units))).toEqual([7n])
  const silent = await startProxy(chain.url, ({ method }, answer) =>
    method === 'starknet_getEvents' ? { ...answer, result: { events: [] } } : undefined,
  )
  const adapter = await chain.open({ nodes: [silent.url] })
  await expect(adapter.audit?.movements(chain.treasury, number + 1n, end)).rejects.toThrow(
    'does not tell all that moved',
  )
  await silent.stop()
})
