/**
 * Payouts on a node with real consensus rules: UTXOs are spent once, fees are raised in place, and chains of change
 * hold.
 */
import { type ChainAdapter, PayoutImpossible, RetryLater } from '@causeway/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { mempool, transaction } from '../../src/node/calls.ts'
import { spentOutputs, sumOf } from '../../src/scanning/locate-tx.ts'
import { parseTransaction } from '../../src/transaction.ts'
import { type Attempt, draw, type Lab, openLab, output, payment, replace } from './testbed.ts'
import { walletSend } from './wallet.ts'

describe('payouts on a real chain', () => {
  let lab: Lab
  let cases = 0
  beforeAll(async () => {
    lab = await openLab()
  })
  afterAll(() => lab.devnet.stop())

  /** An adapter whose treasury holds these UTXOs, and the same one when fees have doubled. */
  async function wallet(...coins: bigint[]): Promise<{ adapter: ChainAdapter; dearer: ChainAdapter }> {
    const seed = `payouts ${++cases}`
    const adapter = await lab.open(seed)
    for (const units of coins) await lab.devnet.fund(lab.network.nativeToken, adapter.treasury, units)
    return { adapter, dearer: await lab.open(seed, { fallback_fee_rate: 20 }) }
  }
  const balance = (address: string) => lab.devnet.balance(lab.network.nativeToken, address)
  const stateOf = async (adapter: ChainAdapter, { signed, slot }: Attempt) =>
    (await adapter.status({ hash: signed.hash, slot, account: adapter.treasury }, nothingSigned)).state
  const feeOf = async ({ signed }: Attempt) => {
    const { inputs, outputs } = parseTransaction(signed.bytes)
    return sumOf(await spentOutputs(lab.node, inputs ?? [])) - sumOf(outputs)
  }

  it('a replacement spends the same coins at a higher fee and lands once; the first is dead when final', async () => {
    const { adapter, dearer } = await wallet(10_000_000n)
    const to = await lab.stranger('replaced')
    const first = await draw(adapter, payment(adapter, [to, 50_000n]))
    await adapter.broadcast(first.signed)
    expect(await stateOf(adapter, first)).toBe('pending')
    const second = await replace(dearer, first)
    await dearer.broadcast(second.signed)
    expect((await lab.node.ask([mempool()]))[0]).toEqual([second.signed.hash])
    const [before, after] = [parseTransaction(first.signed.bytes), parseTransaction(second.signed.bytes)]
    expect(after.inputs).toEqual(before.inputs)
    expect(after.outputs[0]).toEqual(before.outputs[0])
    expect(await feeOf(second)).toBeGreaterThanOrEqual((await feeOf(first)) + BigInt(after.vsize))
    expect(await stateOf(adapter, first)).toBe('unknown')
    await expect(adapter.broadcast(first.signed)).rejects.toThrow(RetryLater)
    await lab.mine(lab.network.finalDepth - 1)
    expect(await stateOf(adapter, first), 'one block short of final').toBe('unknown')
    await lab.mine()
    expect(await stateOf(adapter, first)).toBe('dead')
    expect(await stateOf(adapter, second)).toBe('included')
    expect(await balance(to)).toBe(50_000n)
  })

  it('pending transactions and those built on their change are reported after a restore, until they land', async () => {
    const { adapter } = await wallet(1_000_000n)
    const to = await lab.stranger('forgotten')
    const first = await draw(adapter, payment(adapter, [to, 50_000n]))
    await adapter.broadcast(first.signed)
    const second = await draw(adapter, payment(adapter, [to, 60_000n]))
    await adapter.broadcast(second.signed)
    const told = [first, second].map(({ signed, slot }) => ({ txHash: signed.hash, slot }))
    expect(await adapter.lateTransactions?.mempoolTransactions?.(adapter.treasury)).toEqual(told)
    await lab.mine()
    expect(await adapter.lateTransactions?.mempoolTransactions?.(adapter.treasury)).toEqual([])
  })

  it('one that pays what blocks cost today is not replaced, however long it waits', async () => {
    const { adapter } = await wallet(1_000_000n)
    const first = await draw(adapter, payment(adapter, [await lab.stranger('patient'), 50_000n]))
    await adapter.broadcast(first.signed)
    await expect(adapter.prepare(first.order, first.signed)).rejects.toThrow('waits for one')
    await lab.mine()
    await expect(adapter.prepare(first.order, first.signed)).rejects.toThrow(RetryLater)
  })

  it('a replacement that the change cannot pay for waits', async () => {
    const { adapter, dearer } = await wallet(52_000n)
    const first = await draw(adapter, payment(adapter, [await lab.stranger('short'), 50_000n]))
    await adapter.broadcast(first.signed)
    await expect(replace(dearer, first)).rejects.toThrow('does not cover a better fee')
    await lab.mine()
  })

  it('the change of our own waiting payout pays the next one; lifting the child lifts both', async () => {
    const { adapter, dearer } = await wallet(10_000_000n)
    const to = await lab.stranger('chain')
    const parent = await draw(adapter, payment(adapter, [to, 50_000n]))
    await expect(draw(adapter, payment(adapter, [to, 60_000n]), [parent.slot])).rejects.toThrow(RetryLater)
    await adapter.broadcast(parent.signed)
    const child = await draw(adapter, payment(adapter, [to, 60_000n]), [parent.slot])
    expect(child.slot).toEqual([`${parent.signed.hash}:1`])
    await adapter.broadcast(child.signed)
    await expect(replace(dearer, parent), 'the child would vanish').rejects.toThrow('already spends its change')
    const lifted = await replace(dearer, child)
    await dearer.broadcast(lifted.signed)
    const sizes = [parent, lifted].map(({ signed }) => BigInt(parseTransaction(signed.bytes).vsize))
    const vsize = sizes.reduce((sum, size) => sum + size, 0n)
    expect((await feeOf(parent)) + (await feeOf(lifted))).toBeGreaterThanOrEqual(vsize * 20n)
    await lab.mine()
    expect(await balance(to)).toBe(110_000n)
  })

  it('a foreign unconfirmed payment is not spent', async () => {
    const { adapter } = await wallet()
    await walletSend(lab.node, lab.sender, [output(adapter.treasury, 1_000_000n)])
    const order = payment(adapter, [await lab.stranger('eager'), 50_000n])
    await expect(adapter.prepare(order, null)).rejects.toThrow(RetryLater)
    expect((await adapter.balance(adapter.treasury, lab.network.nativeToken)).units).toBe(0n)
    await lab.mine()
    await expect(draw(adapter, order)).resolves.toBeDefined()
  })

  it('several transfers are one transaction with several outputs, and every one is paid', async () => {
    const { adapter } = await wallet(300_000n, 300_000n, 300_000n)
    const people = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => lab.stranger(`batch ${name}`)))
    const attempt = await draw(adapter, payment(adapter, ...people.map((to): [string, bigint] => [to, 100_000n])))
    expect(attempt.slot).toHaveLength(2)
    await adapter.broadcast(attempt.signed)
    await lab.mine()
    for (const to of people) expect(await balance(to)).toBe(100_000n)
    const feeUnits = await feeOf(attempt)
    expect(
      await adapter.status({ hash: attempt.signed.hash, slot: attempt.slot, account: adapter.treasury }, nothingSigned),
    ).toMatchObject({
      state: 'included',
      confirmations: 1,
      feeUnits,
    })
    expect(await balance(adapter.treasury)).toBe(900_000n - 500_000n - feeUnits)
  })

  it('less than nodes relay, and places that lose money, are unpayable', async () => {
    const { adapter } = await wallet(1_000_000n)
    const to = await lab.stranger('dust')
    await expect(adapter.prepare(payment(adapter, [to, 293n]), null)).rejects.toThrow(PayoutImpossible)
    await expect(adapter.prepare(payment(adapter, [to, 294n]), null)).resolves.toBeDefined()
    const grave = 'bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202'
    await expect(adapter.prepare(payment(adapter, [grave, 1_000n]), null)).rejects.toThrow(PayoutImpossible)
  })

  it('change that is not worth an output goes to the miner', async () => {
    const { adapter } = await wallet(52_000n)
    const attempt = await draw(adapter, payment(adapter, [await lab.stranger('exact'), 50_500n]))
    expect(parseTransaction(attempt.signed.bytes).outputs).toHaveLength(1)
    await adapter.broadcast(attempt.signed)
    await lab.mine()
    expect(await balance(adapter.treasury)).toBe(0n)
  })

  it('a slot allocated before a crash is signed with a draft made after it', async () => {
    const { adapter } = await wallet(200_000n, 400_000n)
    const order = payment(adapter, [await lab.stranger('crash'), 100_000n])
    const slot = await adapter.nextSlot(order, await adapter.prepare(order, null), [])
    await lab.devnet.fund(lab.network.nativeToken, adapter.treasury, 150_000n)
    const signed = await adapter.sign(order, slot, await adapter.prepare(order, null))
    expect(parseTransaction(signed.bytes).inputs?.map(({ txid, vout }) => `${txid}:${vout}`)).toEqual(slot)
  })

  it('coins of a reverted block are not spent: the balance follows a reorg', async () => {
    const { adapter } = await wallet(700_000n)
    await lab.mine(3)
    await lab.devnet.transfer(lab.sender, lab.network.nativeToken, adapter.treasury, 111_000n)
    expect((await adapter.balance(adapter.treasury, lab.network.nativeToken)).units).toBe(811_000n)
    await lab.devnet.reorg(lab.network.name, 2)
    expect((await adapter.balance(adapter.treasury, lab.network.nativeToken)).units).toBe(700_000n)
  })

  it('a payout on change that never existed is dead by the spender of the change’s coins', async () => {
    const { adapter } = await wallet(10_000_000n)
    const dearest = await lab.open(`payouts ${cases}`, { fallback_fee_rate: 60 })
    const to = await lab.stranger('orphan')
    const parent = await draw(adapter, payment(adapter, [await lab.stranger('displaced'), 50_000n]))
    await adapter.broadcast(parent.signed)
    const twin = await replace(dearest, parent)
    const child = await draw(adapter, payment(adapter, [to, 60_000n]), [parent.slot])
    expect(child.slot).toEqual([`${parent.signed.hash}:1`])
    await adapter.broadcast(child.signed)
    const grandchild = await draw(adapter, payment(adapter, [to, 70_000n]), [parent.slot, child.slot])
    expect(grandchild.slot).toEqual([`${child.signed.hash}:1`])
    // The first of the three is replaced, and with it everything that was built on it.
    await dearest.broadcast(twin.signed)
    expect((await lab.node.ask([mempool()]))[0]).toEqual([twin.signed.hash])
    const signed = new Map([parent, child].map((one) => [one.signed.hash, one.signed]))
    const ours = async (hash: string) => signed.get(hash) ?? null
    const judge = (attempt: Attempt, before = nothingSigned) =>
      adapter.status({ hash: attempt.signed.hash, slot: attempt.slot, account: adapter.treasury }, before)
    await lab.mine(lab.network.finalDepth - 1)
    expect(await judge(grandchild, ours), 'one block short of final').toEqual({ state: 'unknown' })
    await lab.mine()
    for (const orphan of [child, grandchild]) {
      expect(await judge(orphan, ours)).toMatchObject({ state: 'dead', evidence: { usedBy: twin.signed.hash } })
      expect(await judge(orphan), 'what it is built on is not known').toEqual({ state: 'unknown' })
    }
  })

  it('a cancellation brings the coins home, at a fee that displaces the payout', async () => {
    const { adapter } = await wallet(10_000_000n)
    const to = await lab.stranger('cancelled')
    const waiting = await draw(adapter, payment(adapter, [to, 50_000n]))
    await adapter.broadcast(waiting.signed)
    const order = { kind: 'cancel', account: adapter.treasury } as const
    const draft = await adapter.prepare(order, waiting.signed)
    const cancel = { order, slot: waiting.slot, signed: await adapter.sign(order, waiting.slot, draft) }
    await adapter.broadcast(cancel.signed)
    expect((await lab.node.ask([mempool()]))[0]).toEqual([cancel.signed.hash])
    await lab.mine(lab.network.finalDepth)
    expect(await stateOf(adapter, waiting)).toBe('dead')
    expect(await balance(to)).toBe(0n)
    expect(await balance(adapter.treasury)).toBe(10_000_000n - (await feeOf(cancel)))
  })

  it('a coin spent elsewhere with our key makes the transfer dead only at final depth', async () => {
    const { adapter } = await wallet(500_000n)
    const twin = await lab.open(`payouts ${cases}`)
    const [mine, theirs] = [await lab.stranger('mine'), await lab.stranger('theirs')]
    const lost = await draw(adapter, payment(adapter, [mine, 50_000n]))
    const winner = await draw(twin, payment(twin, [theirs, 70_000n]))
    expect(winner.slot).toEqual(lost.slot)
    await twin.broadcast(winner.signed)
    await lab.mine()
    await expect(adapter.broadcast(lost.signed)).rejects.toThrow(RetryLater)
    expect(await stateOf(adapter, lost)).toBe('unknown')
    await lab.mine(40)
    const late = await lab.open(`payouts ${cases}`)
    const asked: string[] = []
    for (let call = 0; call < 5 && asked.at(-1) !== 'dead'; call++) asked.push(await stateOf(late, lost))
    expect(asked, 'searched a few blocks a call, and unknown until found').toEqual([
      'unknown',
      'unknown',
      'unknown',
      'dead',
    ])
    expect((await lab.node.settle([transaction(lost.signed.hash)]))[0]).toBeInstanceOf(Error)
  })
})
