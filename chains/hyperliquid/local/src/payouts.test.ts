/** Payouts on the local chain: their cost, what delays them, and that each is made once whatever a gateway does. */
import { FeeAboveLimit, type Order, PayoutImpossible, RetryLater, type SignedTransfer } from '@causeway/core'
import { hexToBytes } from '@noble/hashes/utils.js'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { TREASURY_KEY } from '../../src/paying/treasury.ts'
import { digestOf } from './eip712.ts'
import { draw, inSlotOf, ONE_USDC, sent, startChain, startProxy, statusOf, type Testbed } from './testbed.ts'

let bed: Testbed
let adapter: Testbed['adapter']

beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed.local.stop())
beforeEach(async () => {
  await bed.play('devnet_faults', { faults: { lagMs: 0, lostAnswers: 0, lostActions: 0, refusals: 0 } })
  adapter = await bed.open()
})

const final = () => bed.local.mine(bed.network.name, bed.network.finalDepth)

it('a payout to a new account costs a dollar, to a known one nothing; explorers have another hash', async () => {
  const to = await bed.stranger('new')
  const before = await bed.units(bed.treasury)
  const first = await statusOf(adapter, await sent(adapter, bed.payment(to, 3n * ONE_USDC)))
  expect(first).toMatchObject({ state: 'included', feeUnits: ONE_USDC })
  const second = await statusOf(adapter, await sent(adapter, bed.payment(to, 2n * ONE_USDC)))
  expect(second).toMatchObject({ state: 'included', feeUnits: 0n })
  expect(await bed.units(to)).toBe(5n * ONE_USDC)
  expect(await bed.units(bed.treasury)).toBe(before - 6n * ONE_USDC)
  if (first.state !== 'included') throw new Error('not included')
  expect(first.alias).toMatch(/^0x[0-9a-f]{64}$/)
  expect(await adapter.inspect(first.alias ?? '', { owned: async () => new Set() })).toMatchObject({
    state: 'included',
    block: first.block,
    sightings: [],
  })
})

it('the bytes of a payout, read by other code, pay exactly the order', async () => {
  const order = bed.payment(bed.user.address, 1_234_567_891n, bed.hype)
  const { signed, slot } = await draw(adapter, order)
  const [envelope, ...more] = JSON.parse(signed.bytes)
  expect(more).toEqual([])
  expect(envelope).toMatchObject({
    nonce: Number(slot[0]),
    action: {
      type: 'sendAsset',
      hyperliquidChain: 'Testnet',
      destination: bed.user.address.toLowerCase(),
      sourceDex: 'spot',
      destinationDex: 'spot',
      fromSubAccount: '',
      token: 'HYPE:0x7317beb7cceed72ef0b346074cc8e7ab',
      amount: '12.34567891',
      nonce: Number(slot[0]),
    },
  })
  expect(signed.hash).toBe(`0x${Buffer.from(digestOf(envelope.action)).toString('hex')}`)
})

it('the treasury keeps its floor, to the unit', async () => {
  const held = await bed.units(bed.treasury)
  const most = held - 5n * ONE_USDC
  await expect(adapter.prepare(bed.payment(bed.user.address, most + 1n), null)).rejects.toThrow(RetryLater)
  await adapter.prepare(bed.payment(bed.user.address, most), null)
  // For a new recipient the dollar is reserved in addition.
  const stranger = await bed.stranger('floor')
  await expect(adapter.prepare(bed.payment(stranger, most - ONE_USDC + 1n), null)).rejects.toThrow(RetryLater)
  await adapter.prepare(bed.payment(stranger, most - ONE_USDC), null)
})

it('payouts that are prepared side by side leave the floor together, not each for itself', async () => {
  const half = (await bed.units(bed.treasury)) / 2n
  const order = bed.payment(bed.user.address, half)
  const [one, two] = [await adapter.prepare(order, null), await adapter.prepare(order, null)]
  const first = await adapter.nextSlot(order, one, [])
  await expect(adapter.nextSlot(order, two, [first])).rejects.toThrow(RetryLater)
})

it('a slot that was allocated and never stored delays no later payout', async () => {
  const half = (await bed.units(bed.treasury)) / 2n
  const order = bed.payment(bed.user.address, half)
  const draft = await adapter.prepare(order, null)
  // The first caller crashed before it stored its slot.
  const lost = await adapter.nextSlot(order, draft, [])
  const kept = await adapter.nextSlot(order, draft, [])
  expect(kept).toEqual(lost)
  const later = await adapter.prepare(order, null)
  expect(await adapter.nextSlot(order, later, [[`${Number(kept[0]) - 5}`]])).toHaveLength(1)
  await expect(adapter.nextSlot(order, later, [kept])).rejects.toThrow(RetryLater)
})

it('at most ten are in flight; the next waits until one of them is in the ledger', async () => {
  const order = bed.payment(bed.user.address, 1_000n)
  const drawn = []
  for (let count = 0; count < 10; count++) drawn.push(await draw(adapter, order))
  expect(new Set(drawn.map(({ slot }) => slot[0])).size).toBe(10)
  await expect(draw(adapter, order)).rejects.toThrow(RetryLater)
  const [oldest] = drawn
  if (!oldest) throw new Error('none was drawn')
  await adapter.broadcast(oldest.signed)
  const eleventh = await draw(adapter, order)
  await expect(draw(adapter, order)).rejects.toThrow(RetryLater)
  for (const { signed } of [...drawn, eleventh]) await adapter.broadcast(signed)
})

it('one that waits is never overtaken by so many that the network would forget it', async () => {
  const order = bed.payment(bed.user.address, 1_000n)
  const waiting = await draw(adapter, order)
  for (let count = 0; count < 9; count++) await sent(adapter, order)
  await expect(draw(adapter, order)).rejects.toThrow(RetryLater)
  await adapter.broadcast(waiting.signed)
  expect(await statusOf(adapter, waiting)).toMatchObject({ state: 'included' })
  await sent(adapter, order)
})

it('a nonce is never below the network time or an allocated one, also after a restore', async () => {
  const order = bed.payment(bed.user.address, 1_000n)
  const draft = await adapter.prepare(order, null)
  const { time } = JSON.parse(draft)
  expect(await adapter.nextSlot(order, draft, [])).toEqual([`${time}`])
  expect(await adapter.nextSlot(order, draft, [[`${time + 70}`]])).toEqual([`${time + 71}`])
  expect(await adapter.nextSlot(order, draft, [[`${time - 70}`]])).toEqual([`${time}`])
})

it('a fee above max_fee is waited for, and an unknown fee counts as one dollar', async () => {
  let reply: { status?: number; body: unknown } = {
    body: { fee: '2.5', isSanctioned: false, userExists: false, userHasSentTx: false },
  }
  const proxy = await startProxy(bed.url, ({ type }) => (type === 'preTransferCheck' ? reply : undefined))
  const behind = await bed.open({ nodes: [proxy.url] })
  await expect(behind.prepare(bed.payment(bed.user.address, ONE_USDC), null)).rejects.toThrow(FeeAboveLimit)
  reply = { status: 422, body: 'Failed to deserialize the JSON body into the target type' }
  const most = (await bed.units(bed.treasury)) - 6n * ONE_USDC
  await behind.prepare(bed.payment(bed.user.address, most), null)
  await expect(behind.prepare(bed.payment(bed.user.address, most + 1n), null)).rejects.toThrow(RetryLater)
  await proxy.stop()
})

it('a recipient that the network refuses is unpayable, unless a payment may be on its way', async () => {
  const to = await bed.stranger('sanctioned')
  const order = bed.payment(to, ONE_USDC)
  const before = await draw(adapter, order)
  await bed.local.fund(bed.native, to, ONE_USDC)
  await bed.play('devnet_account', { address: to, role: 'sanctioned' })
  await expect(adapter.prepare(order, null)).rejects.toThrow(PayoutImpossible)
  await expect(adapter.prepare(order, before.signed)).rejects.toThrow(RetryLater)
  await adapter.broadcast(before.signed)
})

it.each([
  ['the treasury itself', () => bed.treasury],
  ['the zero address', () => '0x0000000000000000000000000000000000000000'],
  ['a system address', () => '0x200000000000000000000000000000000000010C'],
  ['the bridge', () => '0x2Df1c51E09aECF9cacB7bc98cB1742757f163dF7'],
])('%s is paid nothing', async (_, to) => {
  const address = adapter.parseAddress(to()) ?? ''
  expect(adapter.isUnpayable(address)).toBe(true)
  await expect(adapter.prepare(bed.payment(address, ONE_USDC), null)).rejects.toThrow(PayoutImpossible)
})

it('nothing is paid from a treasury with pooled balances, and an alert is logged', async () => {
  await bed.play('devnet_account', { address: bed.treasury, mode: 'unifiedAccount' })
  await expect(adapter.prepare(bed.payment(bed.user.address, ONE_USDC), null)).rejects.toThrow(RetryLater)
  expect(bed.log.lines.at(-1)).toMatchObject({ level: 'error', fields: { mode: 'unifiedAccount' } })
  await bed.play('devnet_account', { address: bed.treasury, mode: 'disabled' })
  await adapter.prepare(bed.payment(bed.user.address, ONE_USDC), null)
})

it('a first send that no gateway took is made up for by the same bytes, once', async () => {
  const to = await bed.stranger('refused')
  const drawn = await draw(adapter, bed.payment(to, ONE_USDC))
  await bed.play('devnet_faults', { faults: { refusals: 1 } })
  await expect(adapter.broadcast(drawn.signed)).rejects.toThrow(RetryLater)
  expect(await statusOf(adapter, drawn)).toEqual({ state: 'unknown' })
  await adapter.broadcast(drawn.signed)
  await adapter.broadcast(drawn.signed)
  expect(await statusOf(adapter, drawn)).toMatchObject({ state: 'included' })
  expect(await bed.units(to)).toBe(ONE_USDC)
})

it('a payout whose answer was lost is found, and resending pays once', async () => {
  const to = await bed.stranger('lost answer')
  const drawn = await draw(adapter, bed.payment(to, ONE_USDC))
  await bed.play('devnet_faults', { faults: { lostAnswers: 1 } })
  await expect(adapter.broadcast(drawn.signed)).rejects.toThrow(RetryLater)
  expect(await statusOf(adapter, drawn)).toMatchObject({ state: 'included' })
  await adapter.broadcast(drawn.signed)
  expect(await bed.units(to)).toBe(ONE_USDC)
})

it('an action that a gateway lost is pending, and executed in another variant, once', async () => {
  const to = await bed.stranger('lost action')
  const first = await draw(adapter, bed.payment(to, ONE_USDC))
  await bed.play('devnet_faults', { faults: { lostActions: 1 } })
  await adapter.broadcast(first.signed)
  expect(await statusOf(adapter, first)).toEqual({ state: 'pending' })
  const second = await inSlotOf(adapter, first, first.order)
  expect(second.signed.hash).not.toBe(first.signed.hash)
  await adapter.broadcast(second.signed)
  await final()
  const signed = new Map<string, SignedTransfer>([first, second].map((one) => [one.signed.hash, one.signed]))
  const known = async (hash: string) => signed.get(hash) ?? null
  const ask = ({ signed: { hash }, slot }: typeof first) => adapter.status({ hash, slot, account: bed.treasury }, known)
  expect(await ask(first)).toMatchObject({ state: 'included' })
  expect(await ask(second)).toMatchObject({ state: 'dead', evidence: { usedBy: first.signed.hash } })
  expect(await bed.units(to)).toBe(ONE_USDC)
  // If the first one was never stored, the stored one is the one that was executed.
  signed.delete(first.signed.hash)
  expect(await ask(second)).toMatchObject({ state: 'included' })
})

it('a nonce that an action we did not sign has used is never reported dead', async () => {
  const mine = await draw(adapter, bed.payment(bed.user.address, ONE_USDC))
  const rival = await inSlotOf(adapter, mine, bed.payment(bed.other.address, ONE_USDC))
  await adapter.broadcast(rival.signed)
  await final()
  const ask = (known: SignedTransfer | null) =>
    adapter.status({ hash: mine.signed.hash, slot: mine.slot, account: bed.treasury }, async () => known)
  expect(await ask(null)).toEqual({ state: 'unknown' })
  expect(bed.log.lines.at(-1)).toMatchObject({ level: 'error', message: expect.stringContaining('did not sign') })
  expect(await ask(rival.signed)).toMatchObject({ state: 'dead' })
})

it('a lost action is waited for as long as its nonce is valid, plus an hour', () => {
  expect(adapter.lateTransactions?.maxForgottenTxAgeMs).toBe(49 * 3_600_000)
})

it('a cancellation costs its one unit and is not mistaken for the payment that it replaces', async () => {
  const unsent = await draw(adapter, bed.payment(bed.user.address, ONE_USDC))
  const order: Order = { kind: 'cancel', account: bed.treasury }
  const cancel = await inSlotOf(adapter, unsent, order)
  const again = await inSlotOf(adapter, cancel, order)
  await adapter.broadcast(cancel.signed)
  await final()
  const ask = (one: typeof unsent) => statusOf(adapter, one, [unsent, cancel, again])
  expect(await ask(cancel)).toMatchObject({ state: 'included', feeUnits: 100n })
  expect(await ask(again)).toMatchObject({ state: 'dead', evidence: { usedBy: cancel.signed.hash } })
  expect(await ask(unsent)).toMatchObject({ state: 'dead', evidence: { usedBy: cancel.signed.hash } })
})

it('foreign use of the key is reported as a movement that the ledger does not know', async () => {
  const { block } = await adapter.balances([])
  const time = Number(JSON.parse(await adapter.prepare(bed.payment(bed.user.address, 1n), null)).time)
  const action = {
    ...{ type: 'spotSend', signatureChainId: '0x1', hyperliquidChain: 'Testnet', amount: '2', time },
    ...{ destination: bed.user.address.toLowerCase(), token: 'USDC:0xeb62eee3685fc4c43992febcd9e75443' },
  }
  const bytes = await bed.signer.sign(TREASURY_KEY, digestOf(action), { quote: 'a stolen key' })
  const part = (from: number, to: number) => `0x${Buffer.from(bytes.slice(from, to)).toString('hex')}`
  const signature = { r: part(0, 32), s: part(32, 64), v: 27 + (bytes[64] ?? 0) }
  expect(hexToBytes(signature.r.slice(2))).toHaveLength(32)
  expect(await bed.node.post({ action, nonce: time, signature })).toBeNull()
  await bed.local.mine(bed.network.name, 4)
  const after = await adapter.balances([])
  const moved = await adapter.audit?.movements(bed.treasury, block?.number ?? 0n, after.block?.number ?? 0n)
  const strange = moved?.filter(({ slot }) => slot?.[0]?.startsWith('action:'))
  expect(strange).toMatchObject([{ changes: [{ units: -2n * ONE_USDC }] }])
})

it('a signature of another key is rejected before anything is stored', async () => {
  const order = bed.payment(bed.user.address, ONE_USDC)
  const draft = await adapter.prepare(order, null)
  const { family } = await import('@causeway/hyperliquid')
  const { testSigner } = await import('../../../../tests/support/chains/signer.ts')
  const thief = testSigner('somebody else')
  const signer = { ...bed.signer, sign: thief.sign }
  const misled = await family.open({ network: adapter.network, signer, log: bed.log })
  await expect(misled.sign(order, ['1790000000000'], draft)).rejects.toThrow('another key')
})
