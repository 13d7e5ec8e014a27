/** Payouts beyond the conformance suite: batches, rejections by the chain, and the expiry of a slot. */
import { Bug, PayoutImpossible, RetryLater, type Token } from '@causeway/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forward } from '../../../../tests/support/chains/samples.ts'
import { NATIVE_ADDRESS } from '../../src/address.ts'
import { TIMEOUT } from '../../src/paying/treasury.ts'
import { testNetwork, USDT } from './test-network.ts'
import { draw, ended, payment, startChain, startProxy, statusOf, type Testbed } from './testbed.ts'

let bed: Testbed
beforeAll(async () => {
  bed = await startChain()
  // Deployed once, so that the usual case is measured.
  const drawn = await draw(bed.adapter, payment(bed.treasury, [await bed.stranger('first'), bed.native, TON]))
  await bed.adapter.broadcast(drawn.signed)
  await ended(bed.adapter, drawn)
})
afterAll(() => bed.local.stop())

const TON = 1_000_000_000n
type Wanted = [to: string, token: Token, units: bigint]
const token = (symbol: string) => testNetwork().tokens.find((one) => one.symbol === symbol) ?? testNetwork().nativeToken
const usdt = token('USDT')

const units = async (owner: string, of = bed.native) => (await bed.adapter.balance(owner, of)).units
const stateQuestion = () => ({ id: '1', method: 'getAddressInformation', params: { address: bed.treasury } })
const resultOf = (body: unknown) => (body as { result: Record<string, unknown> }).result
const strangers = (name: string, count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => bed.stranger(`${name} ${index}`)))

describe('batches', () => {
  test.each([2, 254])('%i transfers in one message are all made, once, for the stated fee', async (count) => {
    const recipients = await strangers(`batch of ${count}`, count)
    const order = payment(
      bed.treasury,
      ...recipients.map((to, index) => [to, bed.native, 1_000_000n + BigInt(index)] as Wanted),
    )
    const before = await units(bed.treasury)
    const drawn = await draw(bed.adapter, order)
    await bed.adapter.broadcast(drawn.signed)
    const status = await ended(bed.adapter, drawn)
    await bed.adapter.broadcast(drawn.signed)
    await bed.local.mine(bed.network.name, 2)
    expect(status.state).toBe('included')
    const paid = recipients.map((_, index) => 1_000_000n + BigInt(index))
    expect(await Promise.all(recipients.map((to) => units(to)))).toEqual(paid)
    expect(before - (await units(bed.treasury))).toBe(status.feeUnits + paid.reduce((sum, one) => sum + one, 0n))
  })

  test('a jetton shares a message with nothing: it could fail alone, and the batch would be half made', async () => {
    const [one, two] = await strangers('mixed', 2)
    const jetton: Wanted = [one ?? '', usdt, 5_000_000n]
    for (const other of [jetton, [two ?? '', bed.native, TON] as Wanted]) {
      const order = payment(bed.treasury, jetton, other)
      await expect(bed.adapter.prepare(order, null)).rejects.toThrow(PayoutImpossible)
    }
    const drawn = await draw(bed.adapter, payment(bed.treasury, jetton))
    await bed.adapter.broadcast(drawn.signed)
    expect((await ended(bed.adapter, drawn)).state).toBe('included')
  })

  test('more than a transaction can send is refused', async () => {
    const many = Array.from({ length: 255 }, (): Wanted => [bed.user.address, bed.native, 1n])
    const order = payment(bed.treasury, ...many)
    await expect(bed.adapter.prepare(order, null)).rejects.toThrow(Bug)
  })

  test('one that cannot be covered makes none of its transfers, and is reported so', async () => {
    const [one, two] = await strangers('uncovered', 2)
    const most = (await units(bed.treasury)) - TON
    const order = payment(bed.treasury, [one ?? '', bed.native, TON / 2n], [two ?? '', bed.native, most - TON])
    const rival = payment(bed.treasury, [bed.user.address, bed.native, 3n * TON])
    const first = await draw(bed.adapter, order)
    const second = await draw(bed.adapter, rival)
    await bed.adapter.broadcast(second.signed)
    await ended(bed.adapter, second)
    await bed.adapter.broadcast(first.signed)
    expect((await ended(bed.adapter, first)).state).toBe('reverted')
    expect(await units(one ?? '')).toBe(0n)
    expect(await units(two ?? '')).toBe(0n)
  })
})

describe('what the chain refuses', () => {
  test.each([['TON'], ['USDT']])(
    'a %s payout that another one left nothing for is reverted, at its cost',
    async (symbol) => {
      const of = token(symbol)
      const [one, two] = await strangers(`rival for ${symbol}`, 2)
      const most = (await units(bed.treasury, of)) - (symbol === 'TON' ? TON : 0n)
      const first = await draw(bed.adapter, payment(bed.treasury, [one ?? '', of, most]))
      const second = await draw(bed.adapter, payment(bed.treasury, [two ?? '', of, most]))
      await bed.adapter.broadcast(first.signed)
      expect((await ended(bed.adapter, first)).state).toBe('included')
      const before = await units(bed.treasury)
      await bed.adapter.broadcast(second.signed)
      const status = await ended(bed.adapter, second)
      expect(status.state).toBe('reverted')
      expect(status.feeUnits).toBe(before - (await units(bed.treasury)))
      expect(await units(two ?? '', of)).toBe(0n)
      await bed.local.fund(of, bed.treasury, most)
    },
  )

  test('no address that loses money is paid', async () => {
    for (const to of [NATIVE_ADDRESS, USDT]) {
      await expect(bed.adapter.prepare(payment(bed.treasury, [to, bed.native, TON]), null)).rejects.toThrow(
        PayoutImpossible,
      )
    }
  })
})

describe('a slot’s time', () => {
  test('an unsent payout is dead only long after its expiry, and can then not be sent any more', async () => {
    const [loser] = await strangers('too late', 1)
    const unsent = await draw(bed.adapter, payment(bed.treasury, [loser ?? '', bed.native, TON]))
    await bed.advance(TIMEOUT - 60)
    expect(await statusOf(bed.adapter, unsent)).toEqual({ state: 'unknown' })
    await bed.advance(120)
    await expect(bed.adapter.broadcast(unsent.signed)).rejects.toThrow(RetryLater)
    // At final depth, so that only the margin keeps it from being reported dead.
    await bed.local.mine(bed.network.name, bed.network.finalDepth + 1)
    expect(await statusOf(bed.adapter, unsent), 'a margin is kept').toEqual({ state: 'unknown' })
    await bed.advance(300)
    expect(await statusOf(bed.adapter, unsent), 'not at final depth').toEqual({ state: 'unknown' })
    await bed.local.mine(bed.network.name, bed.network.finalDepth)
    expect(await statusOf(bed.adapter, unsent)).toEqual({
      state: 'dead',
      evidence: {
        usedBy: null,
        block: { number: expect.any(BigInt), hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
        reason: expect.stringContaining('its time was over'),
      },
    })
    await expect(bed.adapter.broadcast(unsent.signed)).rejects.toThrow(RetryLater)
    expect(await units(loser ?? '')).toBe(0n)
  })

  test('a payout that the contract remembers is not dead on a node with an older history', async () => {
    const [paid] = await strangers('remembered', 1)
    const before = await forward(bed.url, stateQuestion())
    const { last_transaction_id } = resultOf(before.body)
    const drawn = await draw(bed.adapter, payment(bed.treasury, [paid ?? '', bed.native, TON]))
    await bed.adapter.broadcast(drawn.signed)
    await ended(bed.adapter, drawn)
    await bed.advance(TIMEOUT + 400)
    await bed.local.mine(bed.network.name, bed.network.finalDepth + 1)
    // Its clock is right, but its history of the treasury ends before the payout.
    const lagging = await startProxy(bed.url, async (wire) => {
      if (wire.method !== 'getAddressInformation') return undefined
      const { body } = await forward(bed.url, wire)
      return { body: { ok: true, result: { ...resultOf(body), last_transaction_id } } }
    })
    expect(await statusOf(await bed.open({ nodes: [lagging.url] }), drawn)).toEqual({ state: 'unknown' })
    expect(lagging.counts.runGetMethod).toBeGreaterThan(0)
    await lagging.stop()
  })

  test('a backend with a history from before the payout does not make it dead', async () => {
    const [paid] = await strangers('two ages', 1)
    const drawn = await draw(bed.adapter, payment(bed.treasury, [paid ?? '', bed.native, TON]))
    // One of them is stuck from here on: its answers are consistent, but of this moment.
    const then = await forward(bed.url, stateQuestion())
    await bed.adapter.broadcast(drawn.signed)
    await ended(bed.adapter, drawn)
    await bed.advance(3 * TIMEOUT)
    // The contract forgets old query ids as soon as it runs another one.
    const later = await draw(bed.adapter, payment(bed.treasury, [paid ?? '', bed.native, TON]))
    await bed.adapter.broadcast(later.signed)
    await ended(bed.adapter, later)
    await bed.local.mine(bed.network.name, bed.network.finalDepth + 1)
    const looks = [then, undefined, undefined, then]
    const balancer = await startProxy(bed.url, ({ method }) =>
      method === 'getAddressInformation' ? looks.shift() : undefined,
    )
    expect(await statusOf(await bed.open({ nodes: [balancer.url] }), drawn)).toEqual({ state: 'unknown' })
    expect(looks).toEqual([])
    await balancer.stop()
  })

  test('an executed payout stays included after its expiry, when the contract has forgotten it', async () => {
    const [lucky] = await strangers('in time', 1)
    const drawn = await draw(bed.adapter, payment(bed.treasury, [lucky ?? '', bed.native, TON]))
    await bed.adapter.broadcast(drawn.signed)
    await ended(bed.adapter, drawn)
    await bed.advance(3 * TIMEOUT)
    const later = await draw(bed.adapter, payment(bed.treasury, [lucky ?? '', bed.native, TON]))
    await bed.adapter.broadcast(later.signed)
    await ended(bed.adapter, later)
    await bed.local.mine(bed.network.name, bed.network.finalDepth)
    expect((await statusOf(await bed.open(), drawn)).state).toBe('included')
  })

  test('a replacement lives and dies with its slot: it is no minute longer valid', async () => {
    const [loser] = await strangers('replaced', 1)
    const first = await draw(bed.adapter, payment(bed.treasury, [loser ?? '', bed.native, TON]))
    await bed.advance(TIMEOUT - 600)
    const draft = await bed.adapter.prepare(first.order, first.signed)
    const second = { ...first, draft, signed: await bed.adapter.sign(first.order, first.slot, draft) }
    expect(second.signed.hash).not.toBe(first.signed.hash)
    await bed.advance(660)
    await expect(bed.adapter.broadcast(second.signed)).rejects.toThrow(RetryLater)
    expect(await units(loser ?? '')).toBe(0n)
  })
})

test('a node ahead of our clock is not used for drafts: its messages would neither run nor expire', async () => {
  const fresh = await startChain()
  const { max_lead_seconds: _, ...settings } = fresh.network.settings
  const dreamer = await startProxy(fresh.url, async (wire) => {
    if (wire.method !== 'getAddressInformation') return undefined
    const told = resultOf((await forward(fresh.url, wire)).body)
    return { body: { ok: true, result: { ...told, sync_utime: Number(told.sync_utime) + 86_400 } } }
  })
  const order = payment(fresh.treasury, [await fresh.stranger('dated'), fresh.native, TON])
  const deceived = await fresh.open({ nodes: [dreamer.url], settings })
  await expect(deceived.prepare(order, null)).rejects.toThrow(RetryLater)
  const both = await fresh.open({ nodes: [dreamer.url, fresh.url], settings })
  const { draft, slot } = await draw(both, order)
  // Nor does a remote signer sign a message that is valid only from a later day on.
  const later = [String(slot[0]).replace(/@(\d+)$/, (_, at) => `@${Number(at) + 86_400}`)]
  await expect(both.sign(order, later, draft)).rejects.toThrow(RetryLater)
  expect(() => both.maxSigningCost(order, later, draft)).toThrow(RetryLater)
  await dreamer.stop()
  await fresh.local.stop()
})

test('quoted fees are slightly higher than actual ones', async () => {
  const { nativeTransfer, tokenTransfer } = await bed.adapter.fees()
  for (const [of, told] of [
    [bed.native, nativeTransfer],
    [usdt, tokenTransfer],
  ] as const) {
    const [to] = await strangers(`fee in ${of.symbol}`, 1)
    const drawn = await draw(bed.adapter, payment(bed.treasury, [to ?? '', of, 1_000_000n]))
    await bed.adapter.broadcast(drawn.signed)
    const { feeUnits } = await ended(bed.adapter, drawn)
    expect(told).toBeGreaterThanOrEqual(feeUnits)
    expect(told).toBeLessThan(2n * feeUnits)
  }
})
