/** Conformance: whatever is resent, replaced or dropped by the chain, money moves once, and "dead" needs proof. */
import { type Address, type Order, RetryLater, type Token } from '@causeway/core'
import { expect, it } from 'vitest'
import { eventually } from '../runner/eventually.ts'
import { CUSHION, itReorgs, SLACK } from './reorgs.ts'
import { itReplaces, singleCases } from './single-use-slots.ts'
import { type Attempt, type Subject, soon, unlessLater, type World } from './world.ts'

export function replayCases(subject: Subject, world: () => World): void {
  const { network } = subject
  const native = network.nativeToken

  it.each(network.tokens)('the same $symbol bytes sent again and again move money once', async (token) => {
    const { adapter, balance, draw, land, mine, payment, stranger, someUnits } = world()
    const recipient = await stranger()
    const units = someUnits(token)
    const attempt = await draw(payment(recipient, token, units))
    await adapter.broadcast(attempt.signed)
    await adapter.broadcast(attempt.signed)
    await land(attempt)
    await adapter.broadcast(attempt.signed)
    await mine(2)
    await soon(() => balance(recipient, token)).toBe(units)
    await isNotPaidAgain(recipient, token, units)
  })

  it('two orders in two slots are both mined', async () => {
    const { adapter, balance, draw, included, payment, stranger, someUnits } = world()
    const [early, late] = [await stranger(), await stranger()]
    const [one, two] = [someUnits(native), someUnits(native)]
    const first = await draw(payment(early, native, one))
    const second = await draw(payment(late, native, two))
    expect(first.slot.filter((part) => second.slot.includes(part))).toEqual([])
    expect(first.signed.hash).not.toBe(second.signed.hash)
    await adapter.broadcast(first.signed)
    await adapter.broadcast(second.signed)
    await included(first)
    await included(second)
    await soon(() => balance(early, native)).toBe(one)
    await soon(() => balance(late, native)).toBe(two)
  })

  it('two equal orders in two slots are two payments', async () => {
    const { balance, draw, land, payment, stranger, someUnits } = world()
    const recipient = await stranger()
    const units = someUnits(native)
    const order = payment(recipient, native, units)
    const first = await draw(order)
    const second = await draw(order)
    expect(first.signed.hash).not.toBe(second.signed.hash)
    await land(first)
    await land(second)
    await soon(() => balance(recipient, native)).toBeGreaterThanOrEqual(2n * units - (subject.rentUnits ?? 0n))
    expect(await balance(recipient, native)).toBeLessThanOrEqual(2n * units)
  })

  itReplaces(subject, world, 'two $symbol attempts in one slot pay once, and the other one is dead', async (token) => {
    const { adapter, balance, draw, mine, statusOf, payment, stranger, someUnits } = world()
    const recipient = await stranger()
    const units = someUnits(token)
    const first = await draw(payment(recipient, token, units))
    const second = await replacement(first)
    expect(second.signed.hash).not.toBe(first.signed.hash)
    await adapter.broadcast(first.signed)
    await unlessLater(adapter.broadcast(second.signed))
    const states = async () => [(await statusOf(first)).state, (await statusOf(second)).state]
    await eventually(async () => {
      await mine()
      return (await states()).includes('included')
    }, 'one of two attempts in a block')
    await mine(network.finalDepth)
    await soon(async () => (await states()).toSorted()).toEqual(['dead', 'included'])
    await unlessLater(adapter.broadcast(first.signed))
    await unlessLater(adapter.broadcast(second.signed))
    await mine(2)
    await soon(() => balance(recipient, token)).toBe(units)
    await isNotPaidAgain(recipient, token, units)
    expect((await states()).toSorted()).toEqual(['dead', 'included'])
  })

  it('a replacement of what has landed is never called unpayable', async () => {
    const { adapter, draw, land, payment, stranger, someUnits } = world()
    const attempt = await draw(payment(await stranger(), native, someUnits(native)))
    await land(attempt)
    const refused = await adapter.prepare(attempt.order, attempt.signed).then(
      () => null,
      (error: unknown) => error,
    )
    if (refused !== null) expect(refused).toBeInstanceOf(RetryLater)
  })

  const deadOnceUsed = 'what was never sent is unknown at any depth, and dead only once its slot is used at final depth'
  itReplaces(subject, world, deadOnceUsed, async () => {
    const { adapter, balance, draw, land, mine, statusOf, payment, stranger, someUnits } = world()
    const [loser, winner] = [await stranger(), await stranger()]
    const units = someUnits(native)
    const unsent = await draw(payment(loser, native, units))
    await mine(network.finalDepth + 1)
    expect(await statusOf(unsent)).toEqual({ state: 'unknown' })
    const order = payment(winner, native, someUnits(native))
    const draft = await adapter.prepare(order, null)
    const rival = { order, draft, slot: unsent.slot, signed: await adapter.sign(order, unsent.slot, draft) }
    await land(rival)
    const early = await statusOf(unsent)
    const depth = await statusOf(rival)
    if (depth.state !== 'included') throw new Error(`what landed is ${depth.state}`)
    // A chain with automatic blocks may have reached the depth meanwhile: before it, nothing is dead.
    const isProven = depth.confirmations >= network.finalDepth
    expect(isProven || early.state !== 'dead').toBe(true)
    await mine(network.finalDepth)
    const landed = await statusOf(rival)
    const block = landed.state === 'included' && landed.block
    const evidence = { usedBy: rival.signed.hash, block, reason: expect.stringContaining('final') }
    await soon(() => statusOf(unsent)).toEqual({ state: 'dead', evidence })
    await unlessLater(adapter.broadcast(unsent.signed))
    await mine(2)
    expect(await balance(loser, native)).toBe(0n)
    expect((await statusOf(unsent)).state).toBe('dead')
  })

  itReplaces(subject, world, 'a cancellation uses up the slot of a $symbol payout and pays nobody', async (token) => {
    const { adapter, treasury, balance, draw, mine, statusOf, payment, stranger, someUnits } = world()
    const recipient = await stranger()
    const unsent = await draw(payment(recipient, token, someUnits(token)))
    const before = { native: await balance(treasury, native), token: await balance(treasury, token) }
    const order: Order = { kind: 'cancel', account: treasury }
    const draft = await adapter.prepare(order, unsent.signed)
    const cancel = { order, draft, slot: unsent.slot, signed: await adapter.sign(order, unsent.slot, draft) }
    await adapter.broadcast(cancel.signed)
    const landed = await eventually(async () => {
      await mine()
      const status = await statusOf(cancel)
      return (status.state === 'included' || status.state === 'reverted') && status
    }, 'a cancellation in a block')
    await mine(network.finalDepth)
    const evidence = { usedBy: cancel.signed.hash, block: landed.block }
    await soon(() => statusOf(unsent)).toMatchObject({ state: 'dead', evidence })
    await unlessLater(adapter.broadcast(unsent.signed))
    await mine(2)
    expect(await balance(recipient, token)).toBe(0n)
    await soon(() => balance(treasury, native)).toBe(before.native - landed.feeUnits)
    if (token.contract !== null) expect(await balance(treasury, token)).toBe(before.token)
  })

  it('a payout behind an unsigned slot is mined once that slot is used, if slots are ordered', async () => {
    const { adapter, treasury, balance, draw, land, mine, payment, stranger, someUnits } = world()
    const { ordering } = adapter
    const units = someUnits(native)
    const unsigned = await draw(payment(await stranger(), native, units))
    const recipient = await stranger()
    const behind = await draw(payment(recipient, native, units))
    if (ordering) {
      expect(ordering.slotOrdinal(behind.slot)).toBeGreaterThan(ordering.slotOrdinal(unsigned.slot))
      const order: Order = { kind: 'cancel', account: treasury }
      await adapter.broadcast(await adapter.sign(order, unsigned.slot, await adapter.prepare(order, null)))
    }
    await land(behind)
    await soon(() => balance(recipient, native)).toBe(units)
    await mine(2)
  })

  itReorgs(
    subject,
    world,
    'a payout that a reorg removes is not dead, and lands again by the same bytes, once',
    async () => {
      const { adapter, devnet, balance, draw, land, mine, statusOf, payment, stranger, someUnits } = world()
      const recipient = await stranger()
      const units = someUnits(native)
      const attempt = await draw(payment(recipient, native, units))
      await mine(CUSHION)
      const { confirmations } = await land(attempt)
      await devnet.reorg(network.name, confirmations + SLACK)
      const after = await eventually(async () => {
        const { state } = await statusOf(attempt)
        return state !== 'included' && state
      }, 'the payout gone from the chain')
      expect(['unknown', 'pending']).toContain(after)
      await land(attempt)
      await adapter.broadcast(attempt.signed)
      await mine(2)
      await soon(() => balance(recipient, native)).toBe(units)
    },
  )

  if (subject.noReplacement !== undefined) singleCases(subject, world)

  /** A second payment would come later than the first: at final depth it is there. Rent may be taken meanwhile. */
  async function isNotPaidAgain(recipient: Address, token: Token, units: bigint): Promise<void> {
    const { balance, mine } = world()
    await mine(network.finalDepth)
    expect(await balance(recipient, token)).toBeLessThanOrEqual(units)
  }

  async function replacement(first: Attempt): Promise<Attempt> {
    const { adapter } = world()
    const draft = await adapter.prepare(first.order, first.signed)
    return { ...first, draft, signed: await adapter.sign(first.order, first.slot, draft) }
  }
}
