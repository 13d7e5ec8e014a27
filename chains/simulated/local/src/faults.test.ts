import { type Order, PayoutImpossible, RetryLater, type SignedTransfer, type Slot } from '@causeway/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { draw, openTestbed, payment, statusOf, type Testbed } from './testbed.ts'

let bed: Testbed
let order: Order

beforeEach(async () => {
  bed = await openTestbed()
  order = payment(bed.treasury, bed.recipient, bed.native, 5n)
})

afterEach(() => bed.devnet.stop())

describe('sending', () => {
  it('a send whose answer was lost has taken effect, and sending again pays once', async () => {
    const { adapter, node, chain, balance, recipient } = bed
    const attempt = await draw(adapter, order)
    node.faults.lostAnswers = 1
    await expect(adapter.broadcast(attempt.signed)).rejects.toThrow(RetryLater)
    expect(await statusOf(adapter, attempt)).toEqual({ state: 'pending' })
    chain.mine()
    await adapter.broadcast(attempt.signed)
    chain.mine()
    expect(balance(recipient)).toBe(5n)
  })

  it('a send that never reached the node has no effect, and lands when sent again', async () => {
    const { adapter, node, chain, balance, recipient } = bed
    const attempt = await draw(adapter, order)
    node.faults.timeouts = 1
    await expect(adapter.broadcast(attempt.signed)).rejects.toThrow(RetryLater)
    expect(await statusOf(adapter, attempt)).toEqual({ state: 'unknown' })
    await adapter.broadcast(attempt.signed)
    chain.mine()
    expect(balance(recipient)).toBe(5n)
  })

  it('a send that is delivered twice pays once', async () => {
    const { adapter, node, chain, balance, recipient } = bed
    const attempt = await draw(adapter, order)
    node.faults.repeats = 1
    await adapter.broadcast(attempt.signed)
    chain.mine(2)
    expect(balance(recipient)).toBe(5n)
  })

  it('a send that is accepted and forgotten is unknown, never invalidated, and lands by the same bytes', async () => {
    const { adapter, node, chain, balance, recipient, network } = bed
    const attempt = await draw(adapter, order)
    node.faults.lostSends = 1
    await adapter.broadcast(attempt.signed)
    chain.mine(network.finalDepth + 1)
    expect(await statusOf(adapter, attempt)).toEqual({ state: 'unknown' })
    await adapter.broadcast(attempt.signed)
    chain.mine()
    expect(balance(recipient)).toBe(5n)
  })

  it('a fault strikes only the calls it is meant for', async () => {
    const { adapter, node, native, treasury } = bed
    node.faults.on = ['send']
    node.faults.timeouts = 1
    await adapter.balance(treasury, native)
    const attempt = await draw(adapter, order)
    await expect(adapter.broadcast(attempt.signed)).rejects.toThrow(RetryLater)
    await adapter.broadcast(attempt.signed)
  })

  it('signing asks the node nothing', async () => {
    const { adapter, node } = bed
    const { slot, draft, signed } = await draw(adapter, order)
    node.faults.timeouts = 1
    expect(await adapter.sign(order, slot, draft)).toEqual(signed)
    expect(node.faults.timeouts).toBe(1)
  })

  it('a payout that is interrupted before or after any node call is paid once when resumed', async () => {
    for (let cut = 0; ; cut++) {
      const fresh = await openTestbed()
      const record: Stored = { slot: null, signed: null }
      let calls = 0
      const kill = () => {
        if (calls++ === cut) throw new Error('killed')
      }
      fresh.node.hooks = { beforeCall: kill, afterCall: kill }
      const survived = await pay(fresh, record).then(
        () => true,
        () => false,
      )
      fresh.node.hooks = {}
      await pay(fresh, record)
      fresh.chain.mine(2)
      expect(fresh.balance(fresh.recipient), `cut at ${cut}`).toBe(5n)
      if (survived) {
        expect(cut).toBeGreaterThanOrEqual(8)
        return
      }
    }
  })
})

describe('recipients that refuse', () => {
  it('a blocked recipient is unpayable', async () => {
    bed.chain.blocked.add(bed.recipient)
    await expect(bed.adapter.prepare(order, null)).rejects.toThrow(PayoutImpossible)
  })

  it('a recipient blocked after signing reverts the payout: the fee is spent, the money is not', async () => {
    const { adapter, chain, balance, treasury, recipient } = bed
    const before = balance(treasury)
    const attempt = await draw(adapter, order)
    await adapter.broadcast(attempt.signed)
    chain.blocked.add(recipient)
    chain.mine()
    expect(await statusOf(adapter, attempt)).toMatchObject({ state: 'reverted', confirmations: 1, feeUnits: 1_000n })
    expect(balance(treasury)).toBe(before - 1_000n)
    expect(balance(recipient)).toBe(0n)
  })

  it('a recipient blocked while an attempt may land is no proof that nothing was sent', async () => {
    const { adapter, chain, recipient } = bed
    const { signed } = await draw(adapter, order)
    chain.blocked.add(recipient)
    await expect(adapter.prepare(order, signed)).rejects.toThrow(RetryLater)
  })

  it('a payout that offers too little waits, and its replacement lands', async () => {
    const { adapter, chain, balance, recipient } = bed
    const first = await draw(adapter, order)
    await adapter.broadcast(first.signed)
    chain.feePerMove = 5_000n
    chain.mine(3)
    expect(await statusOf(adapter, first)).toEqual({ state: 'pending' })
    const draft = await adapter.prepare(order, first.signed)
    const second = { slot: first.slot, signed: await adapter.sign(order, first.slot, draft) }
    await adapter.broadcast(second.signed)
    chain.mine()
    expect(await statusOf(adapter, second)).toMatchObject({ state: 'included', feeUnits: 5_000n })
    expect(balance(recipient)).toBe(5n)
  })
})

describe('nodes that see another chain', () => {
  it('a lagging node allocates no slot twice', async () => {
    const { adapter, node, chain } = bed
    const first = await draw(adapter, order)
    await adapter.broadcast(first.signed)
    chain.mine(2)
    node.faults.behind = 2
    const second = await draw(adapter, order, [first.slot])
    expect([first.slot, second.slot]).toEqual([['0'], ['1']])
  })

  it('a lagging node does not report a landed payout as invalidated', async () => {
    const { adapter, node, chain } = bed
    const attempt = await draw(adapter, order)
    await adapter.broadcast(attempt.signed)
    chain.mine(2)
    node.faults.behind = 2
    expect(await statusOf(adapter, attempt)).toEqual({ state: 'unknown' })
  })

  it('a node on another branch does not prove an invalidation', async () => {
    const { adapter, node, chain, network } = bed
    const loser = await draw(adapter, order)
    const draft = await adapter.prepare(order, loser.signed)
    const winner = { slot: loser.slot, signed: await adapter.sign(order, loser.slot, draft) }
    await adapter.broadcast(winner.signed)
    chain.mine(network.finalDepth - 1)
    expect(await statusOf(adapter, loser)).toEqual({ state: 'unknown' })
    node.stray(network.finalDepth - 1)
    expect(await statusOf(adapter, loser)).toEqual({ state: 'unknown' })
    node.rejoin()
    chain.mine()
    expect(await statusOf(adapter, loser)).toMatchObject({ state: 'dead' })
  })
})

interface Stored {
  slot: Slot | null
  signed: SignedTransfer | null
}

/** The steps of a worker with a durable record: choose, store, sign, store, send. */
async function pay({ adapter, native, treasury, recipient }: Testbed, record: Stored): Promise<void> {
  const order = payment(treasury, recipient, native, 5n)
  if (!record.signed) {
    const draft = await adapter.prepare(order, null)
    record.slot ??= await adapter.nextSlot(order, draft, [])
    record.signed = await adapter.sign(order, record.slot, draft)
  }
  await adapter.broadcast(record.signed)
}
