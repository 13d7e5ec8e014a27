/**
 * Conformance: cases that sign twice in one slot. A chain whose slot admits one transaction gives the reason; each such
 * case is then listed as not applicable, the claim is tested, and the family's own cases replace them.
 */
import { type Order, RetryLater, type Token } from '@causeway/core'
import { expect, it } from 'vitest'
import { type Subject, soon, unlessLater, type World } from './world.ts'

/** Final depths to wait until a signed transaction expires: hours on any chain. */
const MOST_DEPTHS = 200

/** Per token, if the name says so. */
export function itReplaces(
  { network, noReplacement }: Subject,
  world: () => World,
  name: string,
  examine: (token: Token) => Promise<void>,
): void {
  const tokens = name.includes('$symbol') ? network.tokens : [network.nativeToken]
  if (noReplacement === undefined) {
    it.each(tokens)(name, examine)
    return
  }
  it.each(tokens)(`not applicable (${noReplacement}): ${name}`, async (token) => {
    const { adapter, draw, treasury, payment, stranger, someUnits } = world()
    expect(adapter.replacement).toBe('none')
    const { order, signed } = await draw(payment(await stranger(), token, someUnits(token)))
    await expect(adapter.prepare(order, signed)).rejects.toThrow(RetryLater)
    const cancel: Order = { kind: 'cancel', account: treasury }
    await expect(adapter.prepare(cancel, signed)).rejects.toThrow(RetryLater)
  })
}

export function singleCases({ network }: Subject, world: () => World): void {
  const native = network.nativeToken

  it.each(network.tokens)('in the slot of a $symbol payout no other order can be signed', async (token) => {
    const { adapter, signer, draw, payment, stranger, someUnits } = world()
    const { order, slot, draft } = await draw(payment(await stranger(), token, someUnits(token)))
    const signatures = signer.intents.length
    const others = [
      payment(await stranger(), token, someUnits(token)),
      ...network.tokens.map((other) => payment(recipientOf(order), other, someUnits(other))),
    ]
    for (const other of others) {
      for (const terms of [draft, await adapter.prepare(other, null)]) {
        await expect(adapter.sign(other, slot, terms)).rejects.toThrow()
      }
    }
    expect(signer.intents.length).toBe(signatures)
  })

  it('an unsent payout is unknown before its expiry, dead after it at final depth, and then pays nothing', async () => {
    const { adapter, balance, draw, mine, statusOf, payment, stranger, someUnits } = world()
    const recipient = await stranger()
    const unsent = await draw(payment(recipient, native, someUnits(native)))
    await mine(network.finalDepth + 1)
    expect(await statusOf(unsent)).toEqual({ state: 'unknown' })
    for (let depths = 0; depths < MOST_DEPTHS && (await statusOf(unsent)).state === 'unknown'; depths++) {
      await mine(network.finalDepth)
    }
    const evidence = { usedBy: null, block: expect.anything(), reason: expect.stringContaining('final') }
    await soon(() => statusOf(unsent)).toEqual({ state: 'dead', evidence })
    await unlessLater(adapter.broadcast(unsent.signed))
    await mine(2)
    expect(await balance(recipient, native)).toBe(0n)
    expect((await statusOf(unsent)).state).toBe('dead')
  })
}

function recipientOf(order: Order): string {
  return (order.kind === 'transfers' && order.transfers[0]?.to) || ''
}
