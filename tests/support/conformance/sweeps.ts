/** Conformance: a deposit address belongs to one swap, and a sweep takes everything on it. Absence is declared. */
import type { Order, Token } from '@causeway/core'
import { expect, it } from 'vitest'
import { type Subject, soon, type World } from './world.ts'

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
    })
    return
  }

  it('a number always gives the same address, and no two numbers the same', async () => {
    const { treasury, unique, family } = world()
    const [one, two] = [unique(), unique()]
    const addresses = [await derive(one), await derive(two), treasury]
    expect(new Set(addresses).size).toBe(3)
    expect(await derive(one)).toBe(addresses[0])
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

  it.each(network.tokens)('one sweep brings the $symbol of two deposit addresses home', async (token) => {
    const { adapter, treasury, balance, draw, land, drain } = world()
    const native = network.nativeToken
    const one = await funded(token)
    const two = await funded(token)
    const addresses = [one.address, two.address]
    const cursor = (await drain(null, ...addresses)).next
    const before = { token: await balance(treasury, token), native: await balance(treasury, native) }
    const attempt = await draw({ kind: 'sweep', account: treasury, token, sources: [one, two] })
    const { feeUnits } = await land(attempt)
    const most = adapter.maxSigningCost(attempt.order, attempt.slot, attempt.draft).feeUnits
    if (most !== undefined) expect(feeUnits, 'no more than was told beforehand').toBeLessThanOrEqual(most)
    for (const address of addresses) await soon(() => balance(address, token)).toBe(0n)
    const total = one.units + two.units
    const cost = token.contract === null ? feeUnits : 0n
    await soon(() => balance(treasury, token)).toBe(before.token + total - cost)
    if (token.contract !== null) expect(await balance(treasury, native)).toBe(before.native - feeUnits)
    expect((await drain(cursor, ...addresses)).sightings, 'our own sweep is no deposit').toEqual([])
  })

  async function derive(index: number): Promise<string> {
    const address = await world().adapter.depositAddresses?.derive(index)
    if (address === undefined) throw new Error('the family makes no deposit addresses')
    return address
  }

  async function funded(token: Token): Promise<{ address: string; index: number; units: bigint }> {
    const { devnet, sender, unique, someUnits, sighted, drain } = world()
    const index = unique()
    const address = await derive(index)
    const cursor = (await drain(null, address)).next
    const units = someUnits(token)
    await sighted(cursor, await devnet.transfer(sender, token, address, units), address)
    return { address, index, units }
  }
}
