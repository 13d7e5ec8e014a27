/**
 * Invalidation needs proof: the hash of the transaction that used the nonce, in a final block, however far the nodes
 * lag.
 */
import { type Address, type Order, RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { forward, startServer } from '../../../../tests/support/chains/samples.ts'
import { control, startChain, startProxy, testNetwork, tokenOf, type Wire } from './testbed.ts'

const network = testNetwork()
const native = network.nativeToken
const RECIPIENT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

let chain: Awaited<ReturnType<typeof startChain>>
beforeAll(async () => {
  chain = await startChain(network)
  await chain.local.fund(native, chain.treasury, 10n ** 20n)
  await control(chain.node, 'evm_setAutomine', true)
})
afterAll(() => chain.local.stop())

function payment(units: bigint, to: Address = RECIPIENT, token = native): Order {
  return { kind: 'transfers', account: chain.treasury, transfers: [{ to, amount: { token, units } }] }
}

async function signed(order: Order) {
  const draft = await chain.adapter.prepare(order, null)
  const slot = await chain.adapter.nextSlot(order, draft, [])
  return { order, slot, draft, ...(await chain.adapter.sign(order, slot, draft)) }
}

/** A transaction that was never sent and whose nonce another one has used. */
async function deadTransfer() {
  const lost = await signed(payment(1n))
  const rival = await chain.adapter.sign(payment(2n), lost.slot, lost.draft)
  await chain.adapter.broadcast(rival)
  const status = await chain.adapter.status({ ...sentOf(lost), hash: rival.hash }, nothingSigned)
  return { lost, rival, block: status.state === 'included' ? status.block : null }
}

const sentOf = ({ hash, slot }: { hash: string; slot: readonly string[] }) => ({ hash, slot, account: chain.treasury })
const reasonOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

/** The status that an adapter on these nodes reports. */
async function statusBy(nodes: string[], transfer: { hash: string; slot: readonly string[] }) {
  const adapter = await chain.open({ nodes })
  return adapter.status(sentOf(transfer), nothingSigned)
}

test('the transaction that used the nonce is named, however many came before and after it', async () => {
  for (let before = 0; before < 3; before++) await chain.adapter.broadcast(await signed(payment(3n)))
  const { lost, rival, block } = await deadTransfer()
  for (let after = 0; after < 3; after++) await chain.adapter.broadcast(await signed(payment(4n)))
  for (const blocks of [network.finalDepth, 37]) {
    await chain.local.mine(network.name, blocks)
    const reason = `nonce ${lost.slot[0]} was used by ${rival.hash} in block ${block?.number}, which is final`
    expect(await chain.adapter.status(sentOf(lost), nothingSigned)).toEqual({
      state: 'dead',
      evidence: { usedBy: rival.hash, block, reason },
    })
  }
})

test('a lagging backend behind one address does not invalidate a landed payout', async () => {
  const paid = await signed(payment(5n))
  const height = BigInt(String(await control(chain.node, 'eth_blockNumber')))
  await chain.adapter.broadcast(paid)
  await chain.local.mine(network.name, network.finalDepth + 2)
  expect((await chain.adapter.status(sentOf(paid), nothingSigned)).state).toBe('included')
  // A request for the transaction reaches a backend at an older block; all other requests reach a current one.
  const balancer = await startServer(async (text) => {
    const body: Wire | Wire[] = JSON.parse(text)
    const wires = [body].flat()
    const lags = wires.some(({ method }) => method === 'eth_getTransactionReceipt')
    const answers = wires.map(async (wire) => {
      if (lags && wire.method.startsWith('eth_getTransaction')) return { jsonrpc: '2.0', id: wire.id, result: null }
      const isOld = lags && wire.method === 'eth_getBlockByNumber'
      const params = isOld ? [`0x${height.toString(16)}`, false] : wire.params
      return (await forward(chain.url, { ...wire, jsonrpc: '2.0', params })).body
    })
    const results = await Promise.all(answers)
    return { body: Array.isArray(body) ? results : results[0] }
  })
  expect(await statusBy([balancer.url], paid)).toEqual({ state: 'unknown' })
  await balancer.stop()
})

test('a node that shows the nonce used in another block, or by nothing, is no proof', async () => {
  const { lost, block } = await deadTransfer()
  await chain.local.mine(network.name, network.finalDepth)
  const number = `0x${block?.number.toString(16)}`
  const through = async (change: (result: Record<string, unknown>) => Record<string, unknown>) => {
    const proxy = await startProxy(chain.url, async (wire) => {
      if (wire.method !== 'eth_getBlockByNumber' || wire.params[0] !== number) return undefined
      const { body } = await forward(chain.url, { jsonrpc: '2.0', ...wire })
      const answer = body as { result: Record<string, unknown> }
      return { ...answer, id: wire.id, result: change(answer.result) }
    })
    const found = await statusBy([chain.url, proxy.url], lost)
    await proxy.stop()
    return found.state
  }
  expect(await through((result) => result)).toBe('dead')
  expect(await through((result) => ({ ...result, hash: `0x${'ab'.repeat(32)}` }))).toBe('unknown')
  expect(await through((result) => ({ ...result, transactions: [] }))).toBe('unknown')
})

test('if the head changed when the proof is complete, nothing is proven', async () => {
  const { lost } = await deadTransfer()
  await chain.local.mine(network.name, network.finalDepth)
  let asked = 0
  const turning = await startProxy(chain.url, async (wire) => {
    if (wire.method !== 'eth_getBlockByNumber' || wire.params[0] === 'latest' || wire.params[1] !== false)
      return undefined
    asked++
    const { body } = await forward(chain.url, { jsonrpc: '2.0', ...wire })
    const { result } = body as { result: Record<string, unknown> }
    return { id: wire.id, jsonrpc: '2.0', result: { ...result, hash: `0x${'cd'.repeat(32)}` } }
  })
  expect(await statusBy([turning.url], lost)).toEqual({ state: 'unknown' })
  expect(asked).toBeGreaterThan(0)
  await turning.stop()
})

test('bytes that one node refuses, or has no answer to, go out by another one', async () => {
  const refusing = await startProxy(chain.url, ({ id, method }) =>
    method === 'eth_sendRawTransaction'
      ? { id, error: { code: -32000, message: 'max fee per gas less than block base fee' } }
      : undefined,
  )
  const alone = await chain.open({ nodes: [refusing.url] })
  const first = await signed(payment(6n))
  const refusal = await reasonOf(alone.broadcast(first))
  expect(refusal).toBeInstanceOf(RetryLater)
  expect(String(refusal)).toContain('less than block base fee')
  const together = await chain.open({ nodes: [refusing.url, 'http://127.0.0.1:9', chain.url] })
  await together.broadcast(first)
  expect((await chain.adapter.status(sentOf(first), nothingSigned)).state).toBe('included')
  await refusing.stop()
})

test('what one of two nodes calls failed is not reverted; what both do is', async () => {
  const liar = await startProxy(chain.url, async (wire) => {
    if (wire.method !== 'eth_getTransactionReceipt') return undefined
    const { body } = await forward(chain.url, { jsonrpc: '2.0', ...wire })
    const answer = body as { result: Record<string, unknown> }
    return { ...answer, id: wire.id, result: { ...answer.result, status: '0x0' } }
  })
  const paid = await signed(payment(7n))
  await chain.adapter.broadcast(paid)
  const usdc = tokenOf(network, 'USDC')
  await chain.local.fund(usdc, chain.treasury, 1n)
  const { order, slot, draft } = await signed(payment(1n, RECIPIENT, usdc))
  const starved = await chain.adapter.sign(order, slot, JSON.stringify({ ...JSON.parse(draft), gas: '25000' }))
  await chain.adapter.broadcast(starved)
  await chain.local.mine(network.name, network.finalDepth)
  expect((await statusBy([liar.url, chain.url], paid)).state).toBe('included')
  expect((await statusBy([liar.url, chain.url], { ...starved, slot })).state).toBe('reverted')
  await liar.stop()
})
