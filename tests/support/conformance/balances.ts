/** Conformance: balances are of one block, and movements are complete, exact to the unit. */
import { type Amount, isSameToken, type Movement, type Slot, type Token } from '@causeway/core'
import { expect, it } from 'vitest'
import { eventually } from '../runner/eventually.ts'
import { type Subject, soon, type World } from './world.ts'

export function bookCases(subject: Subject, world: () => World): void {
  const { network } = subject

  it('balances of several owners and tokens equal single reads, at a named block', async () => {
    const { adapter, balance, sender, treasury, stranger } = world()
    const owners = subject.hidesOthers === undefined ? [treasury, sender.address, await stranger()] : [treasury]
    const wanted = owners.flatMap((owner) => network.tokens.map((token) => ({ owner, token })))
    const { block, units } = await adapter.balances(wanted)
    expect(units).toEqual(await Promise.all(wanted.map(({ owner, token }) => balance(owner, token))))
    const agreed = await Promise.all(wanted.map(({ owner, token }) => adapter.agreedBalance(owner, token)))
    expect(agreed.map((amount) => amount.units)).toEqual(units)
    expect(block?.number).toBeGreaterThanOrEqual(0n)
    expect(block?.hash).toMatch(/\S/)
    expect((await adapter.balances([])).units).toEqual([])
  })

  it('all movements of the treasury are reported once, oldest first, and add up to the unit', async () => {
    const { treasury, devnet, sender, draw, land, payment, stranger, someUnits, mine, sighted, drain } = world()
    const cursor = (await drain(null)).next
    await mine()
    const start = await held()
    const paid: { hash: string; slot: Slot; token: Token; units: bigint; feeUnits: bigint }[] = []
    const came: { hash: string; token: Token; units: bigint }[] = []
    for (const token of network.tokens) {
      const received = someUnits(token)
      const hash = await devnet.transfer(sender, token, treasury, received)
      await sighted(cursor, hash)
      came.push({ hash, token, units: received })
      const units = someUnits(token)
      const attempt = await draw(payment(await stranger(), token, units))
      const { feeUnits } = await land(attempt)
      paid.push({ hash: attempt.signed.hash, slot: attempt.slot, token, units, feeUnits })
    }
    await mine(2)
    const end = await eventually(async () => {
      const now = await held()
      return now.number > start.number + 2n && now
    }, 'blocks on top')
    const found = await between(start.number + 1n, end.number)
    for (const token of network.tokens) {
      const moved = end.units(token) - start.units(token)
      expect(sum(found, token), token.symbol).toBe(moved)
    }
    for (const { hash, slot, token, units, feeUnits } of paid) {
      const [only, ...more] = found.filter(({ txHash }) => txHash === hash)
      expect(more).toEqual([])
      // The chain need not return a slot's additional parts (since when it was known).
      expect(only?.slot?.length, hash).toBeGreaterThan(0)
      expect(slot, hash).toEqual(expect.arrayContaining([...(only?.slot ?? [])]))
      const left = token.contract === null ? -units - feeUnits : -units
      if (only) expect(sum([only], token), token.symbol).toBe(left)
    }
    for (const { hash, token, units } of came) {
      const [only, ...more] = found.filter(({ txHash }) => txHash === hash)
      expect(more).toEqual([])
      expect(only, hash).toMatchObject({ slot: null })
      const changes = only?.changes.filter((change) => isSameToken(change.token, token) && change.units > 0n)
      expect(changes?.map((change) => change.units)).toEqual([units])
    }
    const numbers = found.map(({ block }) => block.number)
    expect(numbers).toEqual(numbers.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
    expect(new Set(found.map(({ txHash }) => txHash)).size).toBe(found.length)
  })

  it('a range is the sum of its parts, and blocks that the node lacks are refused', async () => {
    const { adapter, treasury, draw, land, payment, stranger, someUnits, mine } = world()
    const start = await held()
    const landed: bigint[] = []
    for (let payouts = 0; payouts < 2; payouts++) {
      const token = network.nativeToken
      const { block } = await land(await draw(payment(await stranger(), token, someUnits(token))))
      landed.push(block.number)
      await mine()
    }
    const [, second = 0n] = landed
    const end = await eventually(async () => {
      const now = await held()
      return now.number >= second && now
    }, 'the block of the second payout')
    const whole = await between(start.number + 1n, end.number)
    const parts = [...(await between(start.number + 1n, second - 1n)), ...(await between(second, end.number))]
    expect(parts).toEqual(whole)
    expect(whole.filter(({ slot }) => slot !== null)).toHaveLength(2)
    if (adapter.audit)
      await expect(adapter.audit.movements(treasury, end.number, end.number + 1_000_000n)).rejects.toThrow()
  })

  async function held() {
    const { adapter, treasury } = world()
    const { block, units } = await adapter.balances(network.tokens.map((token) => ({ owner: treasury, token })))
    if (!block) throw new Error('the balances are of no block')
    return {
      number: block.number,
      units: (token: Token) => units[network.tokens.findIndex((listed) => isSameToken(listed, token))] ?? 0n,
    }
  }

  /** A node may need a moment until it has the newest blocks. */
  async function between(from: bigint, to: bigint): Promise<Movement[]> {
    const { adapter, treasury } = world()
    if (!adapter.audit) throw new Error('the family does not tell what moved')
    let found: Movement[] = []
    await soon(async () => {
      found = (await adapter.audit?.movements(treasury, from, to)) ?? []
      return true
    }).toBe(true)
    return found
  }
}

function sum(movements: readonly Movement[], token: Token): bigint {
  const changes: Amount[] = movements.flatMap(({ changes }) => changes)
  return changes.reduce((total, change) => (isSameToken(change.token, token) ? total + change.units : total), 0n)
}
