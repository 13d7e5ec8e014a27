/** How much of our gas third-party code may use, on a real EVM. */
import { GreedyRecipient } from '@causeway/contracts'
import { type Order, PayoutImpossible, PermanentlyRejected } from '@causeway/core'
import { encodeFunctionData, type Hex, parseTransaction } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountOf, control, deploy, sendAs, startChain, startProxy } from './testbed.ts'

let chain: Awaited<ReturnType<typeof startChain>>
let recipient: string
beforeAll(async () => {
  chain = await startChain()
  await chain.local.fund(chain.network.nativeToken, chain.treasury, 10n ** 20n)
  recipient = await deploy(chain.node, accountOf(chain.local, 0).address, GreedyRecipient.bytecode)
})
afterAll(() => chain.local.stop())

async function teach(gas: bigint): Promise<void> {
  const data = encodeFunctionData({ abi: GreedyRecipient.abi, functionName: 'take', args: [gas] })
  await sendAs(chain.node, accountOf(chain.local, 0).address, { to: recipient, data })
}

function payment(to = recipient): Order {
  return {
    kind: 'transfers',
    account: chain.treasury,
    transfers: [{ to, amount: { token: chain.network.nativeToken, units: 5n } }],
  }
}

/** This node estimates a plain transfer this much above 21,000. */
const SEARCHED = 1n

const gasIn = (draft: string) => BigInt((JSON.parse(draft) as { gas: string }).gas)

const extraGas = (adapter = chain.adapter) =>
  adapter.recipientGas?.extraGas({ to: recipient, amount: { token: chain.network.nativeToken, units: 5n } })

describe('a recipient with code', () => {
  test('has 60,000 gas included, and the limit is never above it', async () => {
    await teach(20_000n)
    expect(await extraGas()).toBe(0n)
    expect(gasIn(await chain.adapter.prepare(payment(), null))).toBeLessThanOrEqual(60_000n)
    // With the margin it would need more.
    await teach(28_000n)
    expect(gasIn(await chain.adapter.prepare(payment(), null))).toBe(60_000n)
  })

  test('is not paid if it needs more than was charged', async () => {
    await teach(100_000n)
    await expect(chain.adapter.prepare(payment(), null)).rejects.toThrow(PayoutImpossible)
    const effort = (await extraGas()) ?? 0n
    expect(effort).toBeGreaterThan(100_000n)
    const limit = gasIn(await chain.adapter.prepare(payment(), null, effort))
    expect(limit).toBeLessThanOrEqual(21_000n + effort)
    // Meanwhile it may use exactly the charged gas, not one unit more.
    await teach(170_000n)
    await expect(chain.adapter.prepare(payment(), null, effort)).rejects.toThrow(/takes more than/)
  })

  test('is rejected at once if it needs more than any quote charges', async () => {
    await teach(480_000n)
    await expect(extraGas()).rejects.toThrow(PayoutImpossible)
    await expect(chain.adapter.prepare(payment(), null, 10n ** 9n)).rejects.toThrow(PayoutImpossible)
  })

  test('that only borrows code (EIP-7702) runs that code too', async () => {
    await teach(0n)
    const borrower = accountOf(chain.local, 7).address
    await control(chain.node, 'hardhat_setCode', borrower, `0xef0100${recipient.slice(2)}`)
    expect(gasIn(await chain.adapter.prepare(payment(borrower), null))).toBeLessThanOrEqual(60_000n)
    await control(chain.node, 'hardhat_setCode', borrower, '0x')
  })
})

test('gas that the chain adds to a plain transfer comes on top, in bounds and fees', async () => {
  await teach(20_000n)
  const added = 100_000n
  const proxy = await startProxy(chain.url, async (wire) => {
    if (wire.method !== 'eth_estimateGas') return
    const [request] = wire.params as [{ gas?: string }]
    const gas = request.gas === undefined ? {} : { gas: `0x${(BigInt(request.gas) - added).toString(16)}` }
    const real = (await control(chain.node, wire.method, { ...request, ...gas })) as string
    return { id: wire.id, result: `0x${(BigInt(real) + added).toString(16)}` }
  })
  const adapter = await chain.open({ nodes: [proxy.url], settings: { fee_model: 'orbit' } })
  expect(gasIn(await adapter.prepare(payment(), null))).toBe(60_000n + added + SEARCHED)
  expect((await adapter.fees()).nativeTransfer).toBe(
    (121_000n + SEARCHED) * ((await adapter.fees()).recipientGasUnit ?? 0n),
  )
  expect(await extraGas(adapter)).toBe(0n)
  await proxy.stop()
})

test('no transaction asks for more than the chain allows in one', async () => {
  const adapter = await chain.open({ settings: { max_transaction_gas: 1_000_000, max_transfer_gas: 5_000_000 } })
  const draft = await adapter.prepare(payment(accountOf(chain.local, 3).address), null)
  expect(gasIn(draft)).toBeLessThanOrEqual(1_000_000n)
})

test('bytes with too much gas are permanently rejected, which differs from a node that is down', async () => {
  const order = payment(accountOf(chain.local, 3).address)
  const draft = await chain.adapter.prepare(order, null)
  const slot = await chain.adapter.nextSlot(order, draft, [])
  // An operator who sets a higher limit than the chain has.
  const lenient = await chain.open({ settings: { max_transfer_gas: 100_000_000, max_transaction_gas: 1_000_000_000 } })
  const tooMuch = JSON.stringify({ ...JSON.parse(draft), gas: '90000000' })
  const signed = await lenient.sign(order, slot, tooMuch)
  expect(parseTransaction(signed.bytes as Hex).gas).toBe(90_000_000n)
  await expect(chain.adapter.broadcast(signed)).rejects.toThrow(PermanentlyRejected)
  const tooLittle = await chain.adapter.sign(order, slot, JSON.stringify({ ...JSON.parse(draft), gas: '20000' }))
  await expect(chain.adapter.broadcast(tooLittle)).rejects.toThrow(PermanentlyRejected)
  // On Orbit chains the same words mean that the L1 price rose: the next try may be accepted.
  const orbit = await chain.open({ settings: { fee_model: 'orbit' } })
  await expect(orbit.broadcast(tooLittle)).rejects.not.toBeInstanceOf(PermanentlyRejected)
  // Another node, which does not answer, might accept it.
  const doubtful = await chain.open({ nodes: [chain.url, 'http://127.0.0.1:9'] })
  await expect(doubtful.broadcast(signed)).rejects.not.toBeInstanceOf(PermanentlyRejected)
  // A cancellation in the same slot asks for what it needs.
  const cancel: Order = { kind: 'cancel', account: chain.treasury }
  const cancelled = await chain.adapter.sign(cancel, slot, await chain.adapter.prepare(cancel, signed))
  await chain.adapter.broadcast(cancelled)
})
