/**
 * Invalidation needs proof: the transaction of our own key that used the nonce, in a final block, whatever nodes claim
 * or withhold.
 */
import { type Order, RetryLater } from '@causeway/core'
import { sign } from '@scure/starknet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { bytes32, hex } from '../../src/felt.ts'
import { invokeHash, readInvoke } from '../../src/transaction.ts'
import { testNetwork } from './test-network.ts'
import {
  type Drawn,
  drain,
  draw,
  payment,
  startChain,
  startProxy,
  statusOf,
  type TestChain,
  tokenOf,
} from './testbed.ts'

const network = testNetwork()
const RECIPIENT = '0x01a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f80'
const BLOCKS = 'starknet_getBlockWithTxs'
let chain: TestChain
beforeAll(async () => {
  chain = await startChain(network)
})
afterAll(() => chain?.local.stop())

const paying = (units: bigint): Order => payment(chain.treasury, [RECIPIENT, chain.native, units])

async function landed(drawn: Drawn) {
  await chain.adapter.broadcast(drawn.signed)
  await chain.mine(1)
  const status = await statusOf(chain.adapter, drawn)
  if (status.state !== 'included') throw new Error(`it is ${status.state}`)
  return status
}

/** A transaction that was never sent, whose nonce another one has used in a final block. */
async function lostAndRival() {
  const lost = await draw(chain.adapter, paying(1n))
  const rival = { ...lost, signed: await chain.adapter.sign(paying(2n), lost.slot, lost.draft) }
  const { block } = await landed(rival)
  await chain.mine(network.finalDepth)
  return { lost, rival, block }
}

async function heard(change: Parameters<typeof startProxy>[1], lost: Drawn, others: string[] = []) {
  const proxy = await startProxy(chain.url, change)
  const adapter = await chain.open({ nodes: [proxy.url, ...others] })
  const told = await statusOf(adapter, lost).catch((error: unknown) => error)
  await proxy.stop()
  return told
}

test('the transaction that used the nonce is named, however many came before and after it', async () => {
  for (let before = 0; before < 3; before++) await landed(await draw(chain.adapter, paying(3n)))
  const { lost, rival, block } = await lostAndRival()
  for (let after = 0; after < 3; after++) await landed(await draw(chain.adapter, paying(4n)))
  for (const blocks of [0, 37]) {
    await chain.mine(blocks)
    const reason = `nonce ${lost.slot[0]} was used by ${rival.signed.hash} in block ${block.number}, which is final`
    const evidence = { usedBy: rival.signed.hash, block, reason }
    expect(await statusOf(chain.adapter, lost)).toEqual({ state: 'dead', evidence })
  }
})

test('bytes that are resent after their invalidation pay nothing', async () => {
  const { lost } = await lostAndRival()
  const before = await chain.local.balance(chain.native, RECIPIENT)
  await expect(chain.adapter.broadcast(lost.signed)).rejects.toThrow(RetryLater)
  await chain.mine(2)
  expect(await chain.local.balance(chain.native, RECIPIENT)).toBe(before)
})

test('a nonce that is used in a block which is not accepted below proves nothing yet', async () => {
  const lost = await draw(chain.adapter, paying(1n))
  const rival = { ...lost, signed: await chain.adapter.sign(paying(2n), lost.slot, lost.draft) }
  await chain.command('devnet_hold', { held: true })
  const { block } = await landed(rival)
  await chain.mine(network.finalDepth - 1)
  expect(await statusOf(chain.adapter, lost)).toEqual({ state: 'unknown' })
  expect(await statusOf(chain.adapter, rival)).toMatchObject({ confirmations: network.finalDepth - 1 })
  await chain.mine(1)
  expect(await statusOf(chain.adapter, lost)).toMatchObject({ state: 'dead', evidence: { block } })
  expect(await statusOf(chain.adapter, rival)).toMatchObject({ confirmations: network.finalDepth + 1 })
  await chain.command('devnet_hold', { held: false })
})

test('a landed payout is not dead because a backend does not know it, however final its nonce is', async () => {
  const paid = await draw(chain.adapter, paying(5n))
  await landed(paid)
  await chain.mine(network.finalDepth + 2)
  const told = await heard(({ method, id }) => {
    const asksForIt = ['starknet_getTransactionReceipt', 'starknet_getTransactionStatus'].includes(method)
    return asksForIt ? { jsonrpc: '2.0', id, error: { code: 29, message: 'Transaction hash not found' } } : undefined
  }, paid)
  expect(told).toEqual({ state: 'unknown' })
})

test('a rival that our key did not sign is no proof: neither a forged signature nor altered fields', async () => {
  const paid = await draw(chain.adapter, paying(6n))
  await landed(paid)
  await chain.mine(network.finalDepth + 1)
  type Shown = { transactions: Record<string, unknown>[] }
  const forgeries: ((one: Record<string, unknown>) => void)[] = [
    (one) => {
      one.calldata = (one.calldata as string[]).with(-2, '0x1')
    },
    (one) => {
      one.calldata = (one.calldata as string[]).with(-2, '0x1')
      const invoke = readInvoke(one)
      if (!invoke) throw new Error('ours is an invoke')
      const { r, s } = sign(bytes32(invokeHash(BigInt(network.chainId ?? 0), invoke)), '0x1234')
      one.signature = [hex(r), hex(s)]
    },
    (one) => {
      one.transaction_hash = '0x1234'
    },
    (one) => {
      one.sender_address = '0x1234'
    },
  ]
  for (const forge of forgeries) {
    const told = await heard(({ method, id }, answer) => {
      if (/Receipt|Status/.test(method)) return { jsonrpc: '2.0', id, error: { code: 29, message: 'not here' } }
      if (method !== BLOCKS) return undefined
      for (const one of (answer.result as Shown).transactions) forge(one)
      return answer
    }, paid)
    expect(told).toEqual({ state: 'unknown' })
  }
})

test('a true rival with our signature is accepted only if every node shows it in the same block', async () => {
  const { lost } = await lostAndRival()
  expect(await heard(() => undefined, lost, [chain.url])).toMatchObject({ state: 'dead' })
  // The second node has pruned, lags behind, shows another block, or knows the lost one.
  const troubles: [string, (method: string) => unknown][] = [
    [
      'pruned',
      (method) => (method === 'starknet_getNonce' ? { error: { code: 24, message: 'Block not found' } } : null),
    ],
    ['other block', (method) => (method === BLOCKS ? { error: { code: 24, message: 'Block not found' } } : null)],
    ['knows it', (method) => (method.endsWith('Status') ? { result: { finality_status: 'RECEIVED' } } : null)],
  ]
  for (const [name, trouble] of troubles) {
    const second = await startProxy(chain.url, ({ method, id }) => {
      const answer = trouble(method)
      return answer ? { jsonrpc: '2.0', id, ...(answer as object) } : undefined
    })
    const adapter = await chain.open({ nodes: [chain.url, second.url] })
    expect(await statusOf(adapter, lost), name).toEqual({ state: 'unknown' })
    await second.stop()
    await expect(statusOf(adapter, lost), 'a node that is down proves nothing').rejects.toThrow(RetryLater)
  }
})

test('a node that calls everything accepted on L1 while its chain changes is not trusted', async () => {
  const { lost } = await lostAndRival()
  let asked = 0
  const told = await heard(({ method, params }, answer) => {
    const isFinal = method === 'starknet_getBlockWithTxHashes' && JSON.stringify(params).includes('block_number')
    if (!isFinal || asked++ > 3) return undefined
    ;(answer.result as { block_hash: string }).block_hash = '0x99'
    return answer
  }, lost)
  expect(told).toEqual({ state: 'unknown' })
})

test('a payout that a reorg took back is unknown, and the same bytes land again, once', async () => {
  await chain.mine(3)
  const paid = await draw(chain.adapter, paying(7n))
  const { next } = await drain(chain.adapter, null)
  const before = await chain.local.balance(chain.native, RECIPIENT)
  await landed(paid)
  const drained = await drain(chain.adapter, next)
  await chain.local.reorg(network.name, 2)
  expect(await statusOf(chain.adapter, paid)).toEqual({ state: 'unknown' })
  expect((await drain(chain.adapter, drained.next)).reorgFrom).not.toBeNull()
  await landed(paid)
  await chain.adapter.broadcast(paid.signed)
  await chain.mine(2)
  expect(await chain.local.balance(chain.native, RECIPIENT)).toBe(before + 7n)
})

test('an account of an earlier treasury is looked up and never reported dead', async () => {
  const { lost } = await lostAndRival()
  const sent = { hash: lost.signed.hash, slot: lost.slot, account: chain.other.address }
  expect(await chain.adapter.status(sent, nothingSigned)).toEqual({ state: 'unknown' })
})

test('what one of two nodes calls failed is not reverted; what both do is', async () => {
  const paid = await draw(chain.adapter, paying(8n))
  await landed(paid)
  await chain.mine(network.finalDepth)
  const liar: Parameters<typeof heard>[0] = ({ method }, answer) => {
    if (method !== 'starknet_getTransactionReceipt') return undefined
    return { ...answer, result: { ...(answer.result as object), execution_status: 'REVERTED', revert_reason: 'no' } }
  }
  expect(await heard(liar, paid)).toMatchObject({ state: 'reverted' })
  expect(await heard(liar, paid, [chain.url])).toMatchObject({ state: 'included' })
  const usdc = tokenOf(network, 'USDC')
  const failed = await draw(chain.adapter, payment(chain.treasury, [RECIPIENT, usdc, 5n]))
  await chain.command('devnet_block', { token: usdc.contract, address: RECIPIENT })
  await chain.adapter.broadcast(failed.signed)
  await chain.mine(network.finalDepth + 1)
  expect(await heard(() => undefined, failed, [chain.url])).toMatchObject({ state: 'reverted' })
})
