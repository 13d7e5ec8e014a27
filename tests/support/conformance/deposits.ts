/** Conformance: a payment to us is sighted once, exactly as it is on chain, and disappears when the chain drops it. */
import { type DepositRequest, isSameToken, REFERENCE_BITS, type Token } from '@causeway/core'
import { expect, it } from 'vitest'
import { staticWatchlist } from '../chains/watchlist.ts'
import { eventually } from '../runner/eventually.ts'
import { CUSHION, itReorgs, SLACK } from './reorgs.ts'
import { identityOf, type Subject, soon, type World } from './world.ts'

export function depositCases(subject: Subject, world: () => World): void {
  const { network } = subject

  async function request(token: Token): Promise<DepositRequest> {
    const { adapter, treasury, sender, someUnits, unique } = world()
    // The highest references that a swap can have: every transfer form must hold them.
    const reference = 2n ** BigInt(adapter.references?.bits ?? REFERENCE_BITS) - BigInt(unique())
    return { token, units: someUnits(token), receiver: treasury, reference, sourceAddress: sender.address }
  }

  /** Carries out the deposit action exactly; a plain transfer if no transfer can name a swap. */
  async function deposit(asked: DepositRequest): Promise<string> {
    const { adapter, devnet, sender, treasury } = world()
    if (!adapter.references && asked.receiver === treasury)
      return devnet.transfer(sender, asked.token, treasury, asked.units)
    return devnet.deposit(sender, asked.token, await adapter.depositAction(asked))
  }

  /** The receiver of a swap's deposit: its own address if only the address identifies the swap. */
  async function receiver(): Promise<string> {
    const { adapter, treasury, unique } = world()
    if (adapter.references) return treasury
    const address = await adapter.depositAddresses?.derive(unique())
    if (address === undefined) throw new Error('a family without references makes deposit addresses')
    return address
  }

  it.each(network.tokens)(
    'a $symbol deposit made to the letter is sighted exactly, and inspected the same',
    async (token) => {
      const { adapter, treasury, sender, drain, sighted } = world()
      const to = await receiver()
      const cursor = (await drain(null, to)).next
      const asked = { ...(await request(token)), receiver: to }
      const txHash = await deposit(asked)
      const sighting = await sighted(cursor, txHash, to)
      expect(sighting.amount.units).toBe(asked.units)
      expect(isSameToken(sighting.amount.token, token)).toBe(true)
      expect(sighting.to).toBe(to)
      expect(sighting.reference).toBe(adapter.references ? asked.reference : null)
      expect([sender.address, null]).toContain(sighting.refundableSender)
      const inspection = await adapter.inspect(txHash, staticWatchlist(treasury, to))
      expect(inspection).toMatchObject({ state: 'included', block: sighting.block })
      if (inspection.state === 'included') expect(inspection.sightings).toEqual([sighting])
    },
  )

  it.each(network.tokens)('a plain $symbol transfer to us is sighted without a reference', async (token) => {
    const { devnet, treasury, sender, drain, sighted, someUnits } = world()
    const cursor = (await drain(null)).next
    const units = someUnits(token)
    const sighting = await sighted(cursor, await devnet.transfer(sender, token, treasury, units))
    expect(sighting).toMatchObject({ to: treasury, reference: null })
    expect(sighting.amount.units).toBe(units)
  })

  it.each(network.tokens)('a $symbol transfer between others is not sighted', async (token) => {
    const { adapter, devnet, treasury, sender, other, drain, sighted, someUnits } = world()
    const cursor = (await drain(null)).next
    const foreign = await devnet.transfer(sender, token, other.address, someUnits(token))
    await sighted(cursor, await deposit(await request(token)))
    const { sightings } = await drain(cursor)
    expect(sightings.map(({ txHash }) => txHash)).not.toContain(foreign)
    const inspection = await adapter.inspect(foreign, staticWatchlist(treasury))
    if (subject.seesOthers === false) expect(inspection).toEqual({ state: 'unknown' })
    else expect(inspection).toMatchObject({ state: 'included', sightings: [] })
  })

  it('scanning on from cursor to cursor misses no deposit and repeats none', async () => {
    const { drain, sighted, mine } = world()
    const start = (await drain(null)).next
    const sent: string[] = []
    const seen: string[] = []
    let cursor = start
    for (const blocks of [0, 1, 3]) {
      for (const token of network.tokens) sent.push(await deposit(await request(token)))
      if (blocks > 0) await mine(blocks)
      const { next, sightings } = await drain(cursor)
      cursor = next
      seen.push(...sightings.map(identityOf))
    }
    await sighted(start, sent.at(-1) ?? '')
    seen.push(...(await drain(cursor)).sightings.map(identityOf))
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.map((identity) => identity.split('/')[0]).toSorted()).toEqual(sent.toSorted())
    expect((await drain(start)).sightings.map(identityOf).toSorted()).toEqual(seen.toSorted())
  })

  it('scanning twice from one cursor gives the same, also with a newly opened adapter', async () => {
    const { family, adapter, signer, treasury, drain, sighted } = world()
    const cursor = (await drain(null)).next
    await sighted(cursor, await deposit(await request(network.nativeToken)))
    const first = await drain(cursor)
    expect((await drain(cursor)).sightings).toEqual(first.sightings)
    const log = { info() {}, warn() {}, error() {} }
    const again = await family.open({ network: adapter.network, signer, log })
    const { sightings } = await again.scan(cursor, staticWatchlist(treasury))
    expect(sightings.filter(({ block }) => block !== null)).toEqual(first.sightings)
  })

  it('the depth of a deposit grows with the chain', async () => {
    const { adapter, treasury, mine } = world()
    const ours = staticWatchlist(treasury)
    const txHash = await deposit(await request(network.nativeToken))
    const depth = async () => {
      const inspection = await adapter.inspect(txHash, ours)
      return inspection.state === 'included' ? inspection.confirmations : 0
    }
    const before = await eventually(depth, 'a first confirmation')
    await mine(3)
    await soon(depth).toBeGreaterThanOrEqual(before + 3)
  })

  it('a transaction that was never sent is unknown', async () => {
    const { adapter, treasury, draw, land, payment, stranger, someUnits } = world()
    const token = network.nativeToken
    const unsent = await draw(payment(await stranger(), token, someUnits(token)))
    expect(await adapter.inspect(unsent.signed.hash, staticWatchlist(treasury))).toEqual({ state: 'unknown' })
    await land(unsent)
  })

  itReorgs(subject, world, 'a deposit that a reorg removes is reported and no longer there', async () => {
    const { adapter, devnet, treasury, drain, sighted, mine } = world()
    const ours = staticWatchlist(treasury)
    await mine(CUSHION)
    const start = (await drain(null)).next
    const txHash = await deposit(await request(network.nativeToken))
    const sighting = await sighted(start, txHash)
    const { next } = await drain(start)
    const inspection = await adapter.inspect(txHash, ours)
    const depth = inspection.state === 'included' ? inspection.confirmations : 1
    await devnet.reorg(network.name, depth + SLACK)
    const from = await eventually(async () => (await drain(next)).reorgFrom, 'a report of the reorg')
    expect(from).toBeLessThanOrEqual(sighting.block.number)
    expect(['unknown', 'pending']).toContain((await adapter.inspect(txHash, ours)).state)
    const later = await deposit(await request(network.nativeToken))
    await sighted(next, later)
    expect((await drain(next)).sightings.map((other) => other.txHash)).not.toContain(txHash)
  })
}
