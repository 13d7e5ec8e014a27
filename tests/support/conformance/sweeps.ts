/** Conformance: a deposit address belongs to one swap, and a sweep takes everything on it. Absence is declared. */
import { type Order, RetryLater, type SweepSource, type SweptAmount, type Token } from '@causeway/core'
import { expect, it } from 'vitest'
import { type Attempt, type Subject, soon, type World } from './world.ts'

/** The branch of a process start in 2027, and the highest that a derivation path can hold. */
const BRANCH = 220_898_664
const MAX_BRANCH = 2 ** 31 - 1

export function sweepCases(subject: Subject, world: () => World): void {
  const { network } = subject

  if (!subject.capabilities.includes('depositAddresses')) {
    it('a sweep is refused and not signed where there are no deposit addresses', async () => {
      const { adapter, signer, treasury, stranger } = world()
      const signatures = signer.intents.length
      const sources = [{ address: await stranger(), index: 1 }]
      const order: Order = { kind: 'sweep', account: treasury, token: network.nativeToken, sources }
      await expect(adapter.prepare(order, null)).rejects.toThrow()
      expect(signer.intents.length).toBe(signatures)
      expect(adapter.sweptBy).toBeUndefined()
    })
    return
  }

  it('an index of a branch always gives the same address, and no other index or branch does', async () => {
    const { treasury, unique, family } = world()
    const [one, two] = [unique(), unique()]
    const branched = [
      await derive(one, 1),
      await derive(one, BRANCH),
      await derive(two, BRANCH),
      await derive(one, MAX_BRANCH),
    ]
    const addresses = [await derive(one), await derive(two), ...branched, treasury]
    expect(new Set(addresses).size).toBe(7)
    expect([await derive(one), await derive(one, 0), await derive(one, BRANCH)]).toEqual([
      ...[addresses[0], addresses[0], branched[1]],
    ])
    for (const address of addresses) expect(family.parseAddress(address)).toBe(address)
  })

  it.each(network.tokens)(
    'a plain $symbol transfer to a deposit address is sighted there without a reference',
    async (token) => {
      const { devnet, sender, unique, drain, sighted, someUnits } = world()
      const address = await derive(unique())
      const cursor = (await drain(null, address)).next
      const units = someUnits(token)
      const txHash = await devnet.transfer(sender, token, address, units)
      const sighting = await sighted(cursor, txHash, address)
      expect(sighting).toMatchObject({ txHash, to: address, reference: null })
      expect(sighting.amount.units).toBe(units)
      expect((await drain(cursor)).sightings, 'somebody else must not see it').toEqual([])
    },
  )

  it.each(network.tokens)('one sweep brings the $symbol of two branches home, at the same index', async (token) => {
    const { adapter, treasury, balance, draw, land, drain, unique } = world()
    const native = network.nativeToken
    const index = unique()
    const one = await funded(token, { index })
    const two = await funded(token, { index, branch: BRANCH })
    const addresses = [one.address, two.address]
    const cursor = (await drain(null, ...addresses)).next
    const before = { token: await balance(treasury, token), native: await balance(treasury, native) }
    const attempt = await draw({ kind: 'sweep', account: treasury, token, sources: [one, two] })
    const { feeUnits } = await land(attempt)
    expect(await movedBy(attempt, token)).toEqual(amountsOf([one, two], token))
    const most = adapter.maxSigningCost(attempt.order, attempt.slot, attempt.draft).feeUnits
    if (most !== undefined) expect(feeUnits, 'no more than was told beforehand').toBeLessThanOrEqual(most)
    for (const address of addresses) await soon(() => balance(address, token)).toBe(0n)
    const total = one.units + two.units
    const cost = token.contract === null ? feeUnits : 0n
    await soon(() => balance(treasury, token)).toBe(before.token + total - cost)
    if (token.contract !== null) expect(await balance(treasury, native)).toBe(before.native - feeUnits)
    expect((await drain(cursor, ...addresses)).sightings, 'our own sweep is no deposit').toEqual([])
  })

  it.each(network.tokens)(
    'a sweep of $symbol tells what left each address, also if more came after it was signed',
    async (token) => {
      const { adapter, devnet, treasury, sender, balance, draw, land, someUnits, sighted, drain, unique } = world()
      const one = await funded(token, { index: unique() })
      const index = unique()
      const empty = { address: await derive(index), index, units: 0n }
      const attempt = await draw({ kind: 'sweep', account: treasury, token, sources: [empty, one] })
      const later = someUnits(token)
      const cursor = (await drain(null, one.address)).next
      await sighted(cursor, await devnet.transfer(sender, token, one.address, later), one.address)
      if (subject.closesAccounts !== undefined && token.contract !== null) {
        await expect(adapter.broadcast(attempt.signed)).rejects.toThrow(RetryLater)
        return
      }
      await land(attempt)
      const moved = await movedBy(attempt, token)
      const units = moved[0]?.amount.units ?? 0n
      expect(units).toBeGreaterThan(0n)
      expect(moved).toEqual(amountsOf([{ ...one, units }], token))
      await soon(() => balance(one.address, token)).toBe(one.units + later - units)
    },
  )

  const amountsOf = (sources: readonly { address: string; units: bigint }[], token: Token): SweptAmount[] =>
    sorted(sources.map(({ address, units }) => ({ address, amount: { token, units } })))

  async function movedBy({ signed }: Attempt, token: Token): Promise<SweptAmount[]> {
    const { sweptBy } = world().adapter
    if (!sweptBy) throw new Error('a family with deposit addresses knows what a sweep moved')
    return sorted(await sweptBy(signed, token))
  }

  async function derive(index: number, branch?: number): Promise<string> {
    const address = await world().adapter.depositAddresses?.derive(index, branch)
    if (address === undefined) throw new Error('the family makes no deposit addresses')
    return address
  }

  async function funded(
    token: Token,
    place: { index: number; branch?: number },
  ): Promise<SweepSource & { units: bigint }> {
    const { devnet, sender, someUnits, sighted, drain } = world()
    const address = await derive(place.index, place.branch)
    const cursor = (await drain(null, address)).next
    const units = someUnits(token)
    await sighted(cursor, await devnet.transfer(sender, token, address, units), address)
    return { address, ...place, units }
  }
}

function sorted(amounts: readonly SweptAmount[]): SweptAmount[] {
  return amounts.toSorted((a, b) => (a.address < b.address ? -1 : 1))
}
