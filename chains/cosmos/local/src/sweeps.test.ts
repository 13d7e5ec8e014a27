/** Deposit addresses are swept by one transaction that all of them sign, and the treasury pays for. */
import { Bug, type Order, RetryLater } from '@causeway/core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { addressOn } from './accounts.ts'
import { openEnvelope } from './envelope.ts'
import { lockedSend } from './foreign-messages.ts'
import { draw, payment, person, sendAs, startChain, type TestChain, tokenOf } from './testbed.ts'

let chain: TestChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())

let indexes = 0
const osmo = () => chain.network.nativeToken
const usdc = () => tokenOf(chain.network, 'USDC')

async function source(units: bigint, token = usdc()) {
  const index = ++indexes
  const address = (await chain.adapter.depositAddresses?.derive(index)) ?? ''
  if (units > 0n) await chain.local.fund(token, address, units)
  return { address, index }
}

const sweep = (sources: { address: string; index: number }[], token = usdc()): Order => ({
  ...{ kind: 'sweep', account: chain.treasury, token, sources },
})
const statusOf = ({ signed, slot }: { signed: { hash: string }; slot: readonly string[] }) =>
  chain.adapter.status({ hash: signed.hash, slot, account: chain.treasury }, nothingSigned)

it('six addresses that hold no coins of their own are emptied at once; a seventh is one too many', async () => {
  const { adapter, treasury, local, mine } = chain
  const sources = await Promise.all([1n, 2n, 3n, 4n, 5n, 6n].map((units) => source(units)))
  const before = { usdc: await local.balance(usdc(), treasury), osmo: await local.balance(osmo(), treasury) }
  const drawn = await draw(adapter, sweep(sources))
  const { signers, payer, signatures, messages } = openEnvelope(Buffer.from(drawn.signed.bytes, 'base64'))
  expect([signers.length, signatures.length, messages.length, payer]).toEqual([7, 7, 6, treasury])
  expect(drawn.slot[0]).toMatch(new RegExp(`^${treasury}/\\d+$`))
  expect(drawn.slot.slice(1)).toEqual(sources.map(({ address }) => `${address}/0`))
  await adapter.broadcast(drawn.signed)
  await mine()
  expect(await statusOf(drawn)).toMatchObject({ state: 'included', feeUnits: drawn.signed.feeCeiling })
  for (const { address } of sources) expect(await local.balance(usdc(), address)).toBe(0n)
  expect(await local.balance(usdc(), treasury)).toBe(before.usdc + 21n)
  expect(await local.balance(osmo(), treasury)).toBe(before.osmo - (drawn.signed.feeCeiling ?? 0n))
  expect(adapter.depositAddresses?.maxSources).toBe(6)
  await expect(adapter.prepare(sweep([...sources, await source(1n)]), null)).rejects.toThrow(Bug)
})

it('an empty address is skipped and keeps its sequence; if all are empty there is no sweep', async () => {
  const { adapter, mine } = chain
  const [full, empty] = [await source(9n), await source(0n)]
  const drawn = await draw(adapter, sweep([empty, full]))
  expect(drawn.slot.slice(1)).toEqual([`${full.address}/0`])
  await adapter.broadcast(drawn.signed)
  await mine()
  expect(await statusOf(drawn)).toMatchObject({ state: 'included' })
  await expect(adapter.prepare(sweep([empty, full]), null)).rejects.toThrow('nothing to sweep')
})

it('coins that a stranger locked at an address stay there, and the others are taken', async () => {
  const { network, treasury, local, adapter, mine } = chain
  const one = await source(0n, osmo())
  const stranger = person(1)
  const locking = lockedSend(addressOn(network, stranger), one.address, { denom: 'uosmo', units: 1n })
  await sendAs(chain, stranger, { messages: [locking] })
  await local.fund(osmo(), one.address, 7n)
  const drawn = await draw(adapter, sweep([one], osmo()))
  const before = await local.balance(osmo(), treasury)
  await adapter.broadcast(drawn.signed)
  await mine()
  expect(await statusOf(drawn)).toMatchObject({ state: 'included' })
  expect(await local.balance(osmo(), treasury)).toBe(before + 7n - (drawn.signed.feeCeiling ?? 0n))
  expect(await local.balance(osmo(), one.address)).toBe(1n)
})

it('an address is emptied again with its next number', async () => {
  const { adapter, local, mine } = chain
  const one = await source(5n)
  for (const number of [0, 1]) {
    const drawn = await draw(adapter, sweep([one]))
    expect(drawn.slot[1]).toBe(`${one.address}/${number}`)
    await adapter.broadcast(drawn.signed)
    await mine()
    expect(await statusOf(drawn)).toMatchObject({ state: 'included' })
    await local.fund(usdc(), one.address, 3n)
  }
})

it('a second attempt empties the same addresses with the same numbers, and one of the two lands', async () => {
  const { adapter, local, mine, treasury } = chain
  const [one, two] = [await source(5n), await source(0n)]
  const first = await draw(adapter, sweep([one, two]))
  // A later deposit waits for another sweep: the slot has no sequence for it.
  await local.fund(usdc(), two.address, 8n)
  const draft = await adapter.prepare(first.order, first.signed)
  const second = { ...first, draft, signed: await adapter.sign(first.order, first.slot, draft) }
  expect(second.signed.hash).not.toBe(first.signed.hash)
  await adapter.broadcast(second.signed)
  await mine(3)
  expect(await statusOf(second)).toMatchObject({ state: 'included' })
  expect(await statusOf(first)).toMatchObject({ state: 'dead', evidence: { usedBy: second.signed.hash } })
  await expect(adapter.broadcast(first.signed)).rejects.toThrow(RetryLater)
  await mine()
  expect(await local.balance(usdc(), two.address)).toBe(8n)
  expect(await local.balance(usdc(), treasury)).toBeGreaterThan(0n)
})

it('a sweep is dead also by a payment that used the treasury’s sequence', async () => {
  const { adapter, mine, treasury, local } = chain
  const one = await source(5n)
  const drawn = await draw(adapter, sweep([one]))
  const order = payment(treasury, local.accounts[0]?.address ?? '', osmo(), 1n)
  const draft = await adapter.prepare(order, null)
  const rival = await adapter.sign(order, [drawn.slot[0] ?? ''], draft)
  await adapter.broadcast(rival)
  await mine(3)
  expect(await statusOf(drawn)).toMatchObject({ state: 'dead', evidence: { usedBy: rival.hash } })
})

it('a sweep that no node accepted is cancelled in its slot, and its addresses are swept later', async () => {
  const { adapter, mine, treasury, local } = chain
  const one = await source(5n)
  const drawn = await draw(adapter, sweep([one]))
  const order: Order = { kind: 'cancel', account: treasury }
  const draft = await adapter.prepare(order, drawn.signed)
  const cancel = { ...drawn, order, draft, signed: await adapter.sign(order, drawn.slot, draft) }
  await adapter.broadcast(cancel.signed)
  await mine(3)
  expect(await statusOf(cancel)).toMatchObject({ state: 'included' })
  expect(await statusOf(drawn)).toMatchObject({ state: 'dead', evidence: { usedBy: cancel.signed.hash } })
  // Dead slots are among the newest ones: their unused sequences must not be skipped.
  const again = await draw(adapter, sweep([one]), [drawn.slot])
  expect(again.slot[1]).toBe(drawn.slot[1])
  await adapter.broadcast(again.signed)
  await mine()
  expect(await statusOf(again)).toMatchObject({ state: 'included' })
  expect(await local.balance(usdc(), one.address)).toBe(0n)
})

it('only its slot and order are signed: other addresses, sequences and drafts are refused', async () => {
  const { adapter, signer, treasury } = chain
  const [one, two] = [await source(5n), await source(6n)]
  const drawn = await draw(adapter, sweep([one, two]))
  const [own = '', first = '', second = ''] = drawn.slot
  const signatures = signer.intents.length
  const refuse = async (order: Order, slot: readonly string[], draft = drawn.draft) => {
    expect(() => adapter.maxSigningCost(order, slot, draft)).toThrow()
    await expect(adapter.sign(order, slot, draft)).rejects.toThrow()
  }
  await refuse(drawn.order, [own, first])
  await refuse(drawn.order, [own, second, first])
  await refuse(drawn.order, [first, own, second])
  await refuse(drawn.order, [own, first, first])
  await refuse(sweep([one]), drawn.slot)
  await refuse(payment(treasury, one.address, usdc(), 1n), drawn.slot)
  await refuse(drawn.order, drawn.slot, drawn.draft.replace('"units":"5"', '"units":"0"'))
  // An address that does not belong to its index is detected by the key itself.
  await expect(adapter.sign(sweep([{ ...one, index: two.index }, two]), drawn.slot, drawn.draft)).rejects.toThrow(Bug)
  await expect(adapter.prepare(sweep([{ ...one, index: two.index }]), null)).rejects.toThrow(Bug)
  expect(signer.intents.length).toBe(signatures)
})
