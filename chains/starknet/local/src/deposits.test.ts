/** Which transfers are deposits, exactly, and what attackers send instead of one. */
import { type DepositRequest, RetryLater, type Sighting, type TestAccount } from '@causeway/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { staticWatchlist } from '../../../../tests/support/chains/watchlist.ts'
import { hex, shortString } from '../../src/felt.ts'
import { transferCall } from '../../src/paying/order.ts'
import type { ContractCall } from '../../src/transaction.ts'
import { STRK, testNetwork, USDC, WATCHDOG } from './test-network.ts'
import { drain, startChain, startProxy, type TestChain, tokenOf } from './testbed.ts'

const network = testNetwork()
const usdc = tokenOf(network, 'USDC')
let chain: TestChain
beforeAll(async () => {
  chain = await startChain(network)
})
afterAll(() => chain?.local.stop())

const watch = (number: bigint, at = WATCHDOG): ContractCall => ({
  to: BigInt(at),
  entrypoint: 'watch',
  calldata: [number],
})
const pay = (units: bigint, to = chain.treasury, token = USDC) => transferCall(BigInt(token), to, units)

/** The deposits that a scan over the transaction finds, which must equal its inspection. */
async function sightedBy(send: () => Promise<string>): Promise<Sighting[]> {
  const { adapter, treasury } = chain
  const { next } = await drain(adapter, null)
  const hash = await send()
  const found = (await drain(adapter, next)).sightings.filter(({ txHash }) => txHash === hash)
  const inspection = await adapter.inspect(hash, staticWatchlist(treasury))
  if (inspection.state === 'included') expect(inspection.sightings).toEqual(found)
  else expect(found).toEqual([])
  return found
}

const sent = (calls: ContractCall[], by: TestAccount = chain.user) => sightedBy(() => chain.send(by, calls))
const wireCalls = (calls: readonly ContractCall[]) =>
  calls.map(({ to, entrypoint, calldata }) => ({ contractAddress: hex(to), entrypoint, calldata: calldata.map(hex) }))
const bundled = (...parts: [TestAccount, ContractCall[]][]) =>
  sightedBy(async () => {
    const wire = parts.map(([{ address }, calls]) => ({ as: address, calls: wireCalls(calls) }))
    const hash = await chain.command('devnet_bundle', { sender: chain.relayer.address, parts: wire })
    return `0x${BigInt(String(hash)).toString(16).padStart(64, '0')}`
  })

describe('what a user is asked to do', () => {
  const request = (changes: Partial<DepositRequest> = {}): DepositRequest => ({
    ...{ token: usdc, units: 25_000_000n, receiver: chain.treasury, reference: 1_234_567n, sourceAddress: null },
    ...changes,
  })

  test('is two calls of one transaction: the transfer, and the number to the watchdog', async () => {
    const action = await chain.adapter.depositAction(request())
    expect(action).toEqual({
      ...{ type: 'transfer', toAddress: chain.treasury, units: 25_000_000n, gasLimit: null, encodedArgs: null },
      callData: JSON.stringify([
        { contractAddress: USDC, entrypoint: 'transfer', calldata: [hex(BigInt(chain.treasury)), '0x17d7840', '0x0'] },
        { contractAddress: WATCHDOG, entrypoint: 'watch', calldata: ['0x12d687'] },
      ]),
    })
  })

  test('names the native token by its contract, and writes an amount beyond 128 bits in its high part', async () => {
    const units = (1n << 128n) + 5n
    const { callData } = await chain.adapter.depositAction(request({ token: network.nativeToken, units }))
    const [transfer] = JSON.parse(callData ?? '')
    expect(transfer).toEqual({
      ...{ contractAddress: STRK, entrypoint: 'transfer' },
      calldata: [hex(BigInt(chain.treasury)), '0x5', '0x1'],
    })
  })

  test('cannot be made without a watchdog, and the network says so', async () => {
    const adapter = await chain.open({ settings: {} })
    await expect(adapter.depositAction(request())).rejects.toThrow('Nothing can be deposited')
    expect(adapter.references).toBeUndefined()
    expect(chain.adapter.references).toBeDefined()
    expect(chain.adapter.walletContracts?.byName()).toEqual({ watchdog_contract: WATCHDOG })
  })
})

describe('whose deposit it is', () => {
  test('the account that paid and named the number is recorded, and may be refunded', async () => {
    expect(await sent([pay(1_000n), watch(77n)])).toMatchObject([
      {
        amount: { units: 1_000n },
        reference: 77n,
        refundableSender: chain.user.address,
        fundingAddresses: [chain.user.address],
      },
    ])
  })

  test('either layout of the event is money, also of a token that changes from one to the other', async () => {
    for (const layout of ['new', 'old', 'new']) {
      await chain.command('devnet_layout', { token: USDC, layout })
      expect(await sent([pay(1_001n), watch(78n)]), layout).toMatchObject([
        { amount: { units: 1_001n }, reference: 78n },
      ])
    }
    await chain.command('devnet_layout', { token: USDC, layout: 'old' })
  })

  test('a number that another account puts next to a plain transfer names nothing', async () => {
    expect(await bundled([chain.user, [pay(2_000n)]], [chain.other, [watch(79n)]])).toMatchObject([
      { amount: { units: 2_000n }, reference: null, refundableSender: null, fundingAddresses: [chain.user.address] },
    ])
  })

  test('two users in one bundle each have their own number, and only a signer is refundable', async () => {
    const found = await bundled([chain.user, [pay(3_000n), watch(80n)]], [chain.other, [pay(3_001n), watch(81n)]])
    expect(found).toMatchObject([
      { amount: { units: 3_000n }, reference: 80n, refundableSender: null, fundingAddresses: [chain.user.address] },
      { amount: { units: 3_001n }, reference: 81n, refundableSender: null, fundingAddresses: [chain.other.address] },
    ])
    expect(new Set(found.map(({ index }) => index)).size).toBe(2)
  })

  test('two numbers or two transfers of one caller are ambiguous', async () => {
    expect(await sent([pay(4_000n), watch(82n), watch(83n)])).toMatchObject([{ reference: null }])
    const found = await sent([pay(4_001n), pay(4_002n), watch(84n)])
    expect(found).toMatchObject([{ reference: null }, { reference: null }])
    expect(await sent([pay(4_003n), pay(5n, chain.treasury, STRK), watch(85n)])).toMatchObject([
      { reference: null },
      { reference: null },
    ])
  })

  test('zero is not a number, nor is anything larger than we allocate', async () => {
    expect(await sent([pay(5_000n), watch(0n)])).toMatchObject([{ reference: null }])
    expect(await sent([pay(5_001n), watch(1n << 53n)])).toMatchObject([{ reference: null }])
    expect(await sent([pay(5_002n), watch((1n << 251n) - 1n)])).toMatchObject([{ reference: null }])
  })

  test('a deposit from L1 has no owner', async () => {
    const found = await sightedBy(async () => {
      const hash = await chain.command('devnet_fund', { token: USDC, address: chain.treasury, units: '6000' })
      return `0x${BigInt(String(hash)).toString(16).padStart(64, '0')}`
    })
    expect(found).toMatchObject([
      { amount: { units: 6_000n }, reference: null, refundableSender: null, fundingAddresses: [] },
    ])
  })
})

describe('what is no deposit', () => {
  test('a number without a transfer, a transfer to others, and nothing at all', async () => {
    expect(await sent([watch(90n)])).toEqual([])
    expect(await sent([pay(7_000n, chain.other.address), watch(91n)])).toEqual([])
    expect(await sent([pay(0n), watch(92n)])).toEqual([])
  })

  test('a pair whose transaction failed: it is in a block, and brought nothing', async () => {
    const { adapter, treasury } = chain
    const { next } = await drain(adapter, null)
    const hash = await chain.send(chain.user, [pay(8_000n), watch(93n), pay(10n ** 30n)])
    expect((await drain(adapter, next)).sightings).toEqual([])
    expect(await adapter.inspect(hash, staticWatchlist(treasury))).toMatchObject({ state: 'failed', confirmations: 1 })
  })

  test('a number that is named in another transaction', async () => {
    await sent([watch(94n)])
    expect(await sent([pay(8_001n)])).toMatchObject([{ reference: null, refundableSender: chain.user.address }])
  })

  test('what the treasury itself sends, its fee included', async () => {
    const { adapter, treasury } = chain
    const { next } = await drain(adapter, null)
    const order = { kind: 'cancel', account: treasury } as const
    const draft = await adapter.prepare(order, null)
    const slot = await adapter.nextSlot(order, draft, [])
    await adapter.broadcast(await adapter.sign(order, slot, draft))
    await chain.mine(1)
    expect((await drain(adapter, next)).sightings).toEqual([])
  })
})

describe('what nodes answer', () => {
  test('events that are invented for a token with another form are no money', async () => {
    const [transfer, self] = [
      '0x99cd8bde557814842a3121e8ddfd433a539b8c9f14bf31ebf108d12e6196e9',
      hex(BigInt(chain.treasury)),
    ]
    const forms = [
      { keys: [transfer, '0x9', self, '0x1', '0x0'], data: [] },
      { keys: [transfer, '0x9', self], data: ['0x1', hex(1n << 128n)] },
      { keys: [transfer, '0x9', self], data: ['0x1'] },
      { keys: [transfer], data: ['0x9', self, '0x1', '0x0', '0x0'] },
    ]
    const { next } = await drain(chain.adapter, null)
    const hash = await chain.send(chain.user, [pay(9_000n), watch(95n)])
    const proxy = await startProxy(chain.url, ({ method }, answer) => {
      if (method !== 'starknet_getTransactionReceipt' || !answer.result) return undefined
      const receipt = answer.result as { events: object[] }
      receipt.events.push(...forms.map((form) => ({ from_address: USDC, ...form })))
      return answer
    })
    const adapter = await chain.open({ nodes: [proxy.url] })
    const { sightings } = await drain(adapter, next)
    expect(sightings.map(({ txHash, amount }) => [txHash, amount.units])).toEqual([[hash, 9_000n]])
    await proxy.stop()
  })

  test('a failed transaction brought nothing, whatever its events say', async () => {
    const { next } = await drain(chain.adapter, null)
    await chain.send(chain.user, [pay(9_003n), watch(99n)])
    const proxy = await startProxy(chain.url, ({ method }, answer) => {
      const receipt = answer.result as { execution_status?: string } | undefined
      if (method !== 'starknet_getTransactionReceipt' || !receipt) return undefined
      receipt.execution_status = 'REVERTED'
      return answer
    })
    const adapter = await chain.open({ nodes: [proxy.url] })
    expect((await drain(adapter, next)).sightings).toEqual([])
    expect((await drain(chain.adapter, next)).sightings).toMatchObject([{ reference: 99n }])
    await proxy.stop()
  })

  test('a backend that does not have the requested block is asked again, and nothing is missed', async () => {
    const { next } = await drain(chain.adapter, null)
    const hash = await chain.send(chain.user, [pay(9_001n), watch(96n)])
    let isOld = true
    const proxy = await startProxy(chain.url, ({ method, id }) => {
      if (method !== 'starknet_getEvents' || !isOld) return undefined
      return { jsonrpc: '2.0', id, error: { code: 24, message: 'Block not found' } }
    })
    const adapter = await chain.open({ nodes: [proxy.url] })
    await expect(drain(adapter, next)).rejects.toThrow(RetryLater)
    isOld = false
    expect((await drain(adapter, next)).sightings.map(({ txHash }) => txHash)).toEqual([hash])
    await proxy.stop()
  })

  test('events of a block that was not read are rejected', async () => {
    const { next } = await drain(chain.adapter, null)
    await chain.send(chain.user, [pay(9_002n), watch(97n)])
    const proxy = await startProxy(chain.url, ({ method }, answer) => {
      const { events } = (answer.result ?? {}) as { events?: { block_hash: string }[] }
      if (method !== 'starknet_getEvents' || !events) return undefined
      for (const event of events) event.block_hash = '0x123'
      return answer
    })
    const adapter = await chain.open({ nodes: [proxy.url] })
    await expect(drain(adapter, next)).rejects.toThrow('the chain changed')
    await proxy.stop()
  })

  test('a transaction re-included with another outcome is reported as it is now', async () => {
    const { adapter, treasury } = chain
    const ours = staticWatchlist(treasury)
    await chain.mine(3)
    const units = 90_000n * 10n ** 6n
    await chain.command('devnet_hold', { held: true })
    const sending = chain.send(chain.other, [pay(units), watch(98n)])
    const hash = await mineUntil(sending)
    expect(await adapter.inspect(hash, ours)).toMatchObject({ state: 'included', sightings: [{ reference: 98n }] })
    // It is pending again; meanwhile the sender is blocked.
    await chain.command('devnet_reorg', { depth: 1, keeps: true })
    await chain.command('devnet_block', { token: USDC, address: chain.other.address })
    await chain.mine(1)
    expect(await adapter.inspect(hash, ours)).toMatchObject({ state: 'failed' })
    await chain.command('devnet_hold', { held: false })
  })

  async function mineUntil(sending: Promise<string>): Promise<string> {
    let isDone = false
    const finished = sending.finally(() => {
      isDone = true
    })
    while (!isDone) {
      await chain.mine(1)
      await Promise.race([finished, new Promise((resolve) => setTimeout(resolve, 20))])
    }
    return finished
  }
})

test("with a quorum, one node alone does not verify an account's signature", async () => {
  const { user, url, open } = chain
  const liar = await startProxy(url, ({ method }, answer) =>
    method === 'starknet_call' ? { id: answer.id, jsonrpc: '2.0', result: [hex(shortString('VALID'))] } : answer,
  )
  const claim = { address: user.address, text: 'Send my money to somebody else.', signature: '["0x1","0x2"]' }
  const believing = await open({ nodes: [liar.url] })
  expect(await believing.messages?.verify(claim)).toBe(true)
  const careful = await open({ nodes: [liar.url, url, url.replace('127.0.0.1', 'localhost')], quorum: 2 })
  expect(await careful.messages?.verify(claim)).toBe(false)
  await liar.stop()
})
