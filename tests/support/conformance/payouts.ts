/**
 * Conformance: a payout moves exactly its units once, costs exactly what it reports, and is not signed if it cannot be
 * paid.
 */
import { type Order, PayoutImpossible, RetryLater } from '@causeway/core'
import { expect, it } from 'vitest'
import { type Subject, soon, type World } from './world.ts'

export function payoutCases(subject: Subject, world: () => World): void {
  const { network } = subject
  const native = network.nativeToken

  it.each(network.tokens)(
    'a $symbol payout gives the recipient exactly its units, and costs exactly its fee',
    async (token) => {
      const { adapter, treasury, balance, draw, land, payment, stranger, someUnits, drain } = world()
      const cursor = (await drain(null)).next
      const recipient = await stranger()
      const units = someUnits(token)
      const before = { token: await balance(treasury, token), native: await balance(treasury, native) }
      const attempt = await draw(payment(recipient, token, units))
      const { feeUnits } = await land(attempt)
      if (subject.noFees === undefined) expect(feeUnits).toBeGreaterThan(0n)
      else expect(feeUnits).toBe(0n)
      const most = adapter.maxSigningCost(attempt.order, attempt.slot, attempt.draft).feeUnits
      if (most !== undefined) expect(feeUnits, 'no more than was told beforehand').toBeLessThanOrEqual(most)
      await soon(() => balance(recipient, token)).toBe(units)
      const spent = token.contract === null ? units + feeUnits : feeUnits
      await soon(() => balance(treasury, native)).toBe(before.native - spent)
      if (token.contract !== null) expect(await balance(treasury, token)).toBe(before.token - units)
      const own = (await drain(cursor)).sightings.filter(({ txHash }) => txHash === attempt.signed.hash)
      expect(own, 'our own payout is no deposit').toEqual([])
    },
  )

  it('a payout is included, and its depth grows with the chain', async () => {
    const { draw, land, mine, statusOf, payment, stranger, someUnits } = world()
    const attempt = await draw(payment(await stranger(), native, someUnits(native)))
    const first = await land(attempt)
    expect(first.confirmations).toBeGreaterThanOrEqual(1)
    await mine(3)
    const depth = async () => {
      const status = await statusOf(attempt)
      return status.state === 'included' ? status.confirmations : 0
    }
    await soon(depth).toBeGreaterThanOrEqual(first.confirmations + 3)
  })

  it.each(network.tokens)('signing the same $symbol order again gives the same bytes', async (token) => {
    const { adapter, signer, draw, land, payment, stranger, someUnits } = world()
    const attempt = await draw(payment(await stranger(), token, someUnits(token)))
    expect(await adapter.sign(attempt.order, attempt.slot, attempt.draft)).toEqual(attempt.signed)
    expect(signer.intents.at(-1), 'the signer is told what it signs').toMatchObject({
      network: network.name,
      order: attempt.order,
      slot: attempt.slot,
    })
    await land(attempt)
    expect(await adapter.sign(attempt.order, attempt.slot, attempt.draft)).toEqual(attempt.signed)
  })

  it.each(network.tokens)('more $symbol than the treasury holds is refused and not signed', async (token) => {
    const { adapter, signer, treasury, balance, payment, stranger } = world()
    const signatures = signer.intents.length
    const order = payment(await stranger(), token, (await balance(treasury, token)) + 1n)
    expect(await refusal(adapter.prepare(order, null))).toSatisfy(isRefusal)
    expect(signer.intents.length).toBe(signatures)
  })

  it('the last native units are not promised away without the fee', async () => {
    const { adapter, treasury, balance, payment, stranger } = world()
    // If no fee is taken, the whole balance can be sent.
    const beyond = subject.noFees === undefined ? 0n : 1n
    const order = payment(await stranger(), native, (await balance(treasury, native)) + beyond)
    expect(await refusal(adapter.prepare(order, null))).toSatisfy(isRefusal)
  })

  it('an order of several transfers pays all of them, or is refused before it is signed', async () => {
    const { adapter, signer, treasury, balance, draw, land, stranger, someUnits } = world()
    const one = { to: await stranger(), amount: { token: native, units: someUnits(native) } }
    const two = { to: await stranger(), amount: { token: native, units: someUnits(native) } }
    const order: Order = { kind: 'transfers', account: treasury, transfers: [one, two] }
    const signatures = signer.intents.length
    const refused = await refusal(adapter.prepare(order, null))
    if (refused !== null) {
      expect(signer.intents.length).toBe(signatures)
      return
    }
    await land(await draw(order))
    for (const { to, amount } of [one, two]) await soon(() => balance(to, native)).toBe(amount.units)
  })

  it('every kind of transfer has its price', async () => {
    const fees = await world().adapter.fees()
    if (subject.noFees !== undefined) {
      expect(fees).toEqual({ nativeTransfer: 0n, tokenTransfer: 0n, sweep: 0n })
      return
    }
    expect(fees.nativeTransfer).toBeGreaterThan(0n)
    if (network.tokens.some(({ contract }) => contract !== null)) expect(fees.tokenTransfer).toBeGreaterThan(0n)
    if (subject.capabilities.includes('depositAddresses')) expect(fees.sweep).toBeGreaterThan(0n)
  })
}

async function refusal(asking: Promise<unknown>): Promise<unknown> {
  return asking.then(
    () => null,
    (error: unknown) => error,
  )
}

function isRefusal(error: unknown): boolean {
  return error instanceof RetryLater || error instanceof PayoutImpossible
}
