/** Payouts beyond the conformance suite: an operator that lies or loses data, quanta, keys and expiry hours. */
import { type Order, PayoutImpossible, RetryLater } from '@causeway/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { USDC } from './test-network.ts'
import { again, draw, ETH, payment, startLedger, startProxy, statusOf, type Testbed } from './testbed.ts'

let bed: Testbed
beforeAll(async () => {
  bed = await startLedger()
})
afterAll(() => bed.local.stop())

const drawn = async (name: string, units = ETH) => {
  const to = await bed.stranger(name)
  return { to, ...(await draw(bed.adapter, payment(bed, to, units))) }
}
const requestIn = (bytes: string) => JSON.parse(bytes).body.requests[0]
const DAY_SECONDS = 86_400

test('whole quanta are sent, and never more than was ordered', async () => {
  const { to, ...attempt } = await drawn('rounded', ETH + 99_999_999n)
  await bed.adapter.broadcast(attempt.signed)
  await bed.mine()
  expect((await statusOf(bed.adapter, attempt)).state).toBe('included')
  expect(await bed.balance(to)).toBe(ETH)
  const less = payment(bed, to, 99_999_999n)
  await expect(bed.adapter.prepare(less, null)).rejects.toThrow(PayoutImpossible)
})

test('the signed bytes, read by other code, pay exactly the order, once, out of our vault', async () => {
  const { to, signed, slot } = await drawn('exactly', 5n * ETH)
  const { accounts } = await (await fetch(`${bed.url}/v1/users/${to}`)).json()
  expect(requestIn(signed.bytes)).toMatchObject({
    ...{ amount: `${5n * 10n ** 10n}`, nonce: slot[0], receiver_stark_key: accounts[0] },
    asset_id: '0x2705737cd248ac819034b5de474c8f0368224f72a0fda9e031499d519992d9e',
  })
  expect(slot[1]).toBe(
    `${slot[0]}@${requestIn(signed.bytes).expiration_timestamp}@${requestIn(signed.bytes).sender_vault_id}`,
  )
})

test('a recipient without a key cannot be paid, and no slot is taken', async () => {
  const order = payment(bed, await bed.nobody('unregistered'), ETH)
  const signatures = bed.signer.intents.length
  await expect(bed.adapter.prepare(order, null)).rejects.toThrow(PayoutImpossible)
  if (order.kind !== 'transfers' || !order.transfers[0]) throw new Error('a transfer was made')
  await expect(bed.adapter.recipientGas?.extraGas(order.transfers[0])).rejects.toThrow(PayoutImpossible)
  expect(await bed.adapter.recipientGas?.extraGas({ ...order.transfers[0], to: bed.user.address })).toBe(0n)
  expect(bed.signer.intents.length).toBe(signatures)
})

describe('an operator that lies', () => {
  test('about the key of a recipient gets no signature, and an alert is logged', async () => {
    const to = await bed.stranger('lied about')
    await bed.control('lie', { key: '0x1ef15c18599971b7beced415a40f0c7deacfd9b0d1819e03d723d8bc943cfca' })
    const signatures = bed.signer.intents.length
    await expect(bed.adapter.prepare(payment(bed, to, ETH), null)).rejects.toThrow('another key than that of')
    await bed.control('lie', { key: null })
    expect(bed.signer.intents.length).toBe(signatures)
    expect(bed.log.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: 'the operator would pay another key than that of the recipient',
      }),
    )
  })

  test('about it in every answer is caught by its earlier answer', async () => {
    const to = await bed.stranger('pinned')
    const liar = await startProxy(bed.url, (path, answer) =>
      isLying && path === `v1/users/${to}` ? { accounts: ['0x123'] } : answer,
    )
    let isLying = false
    const adapter = await bed.open({ nodes: [liar.url] })
    await adapter.prepare(payment(bed, to, ETH), null)
    isLying = true
    await expect(adapter.prepare(payment(bed, to, ETH), null)).rejects.toThrow('another one than it was')
    await liar.stop()
  })

  test('about our own vault between two attempts gets no second signature there', async () => {
    const { to, ...attempt } = await drawn('another vault')
    const liar = await startProxy(bed.url, (path, answer) => {
      if (path !== 'v2/signable-transfer-details') return answer
      const {
        signable_responses: [only],
        ...rest
      } = answer as { signable_responses: [object] }
      return { ...rest, signable_responses: [{ ...only, sender_vault_id: '999' }] }
    })
    const adapter = await bed.open({ nodes: [liar.url] })
    await expect(adapter.prepare(attempt.order, attempt.signed)).rejects.toThrow('another vault of ours')
    const draft = await adapter.prepare(attempt.order, null)
    await expect(adapter.sign(attempt.order, attempt.slot, draft)).rejects.toThrow('its slot is of')
    await liar.stop()
    expect(await bed.balance(to)).toBe(0n)
  })
})

describe('nothing is reported dead', () => {
  test('because its hour has passed: it is signed again under the same nonce, and pays once', async () => {
    const { to, ...attempt } = await drawn('late')
    await bed.control('advance', { seconds: 2 * DAY_SECONDS })
    await expect(bed.adapter.broadcast(attempt.signed)).rejects.toThrow('expired')
    await bed.mine(bed.network.finalDepth + 1)
    expect(await statusOf(bed.adapter, attempt)).toEqual({ state: 'unknown' })
    await bed.control('advance', { seconds: -2 * DAY_SECONDS })
    const second = await again(bed.adapter, attempt)
    expect(requestIn(second.signed.bytes).nonce).toBe(requestIn(attempt.signed.bytes).nonce)
    expect(Number(requestIn(second.signed.bytes).expiration_timestamp)).toBeGreaterThan(
      Number(requestIn(attempt.signed.bytes).expiration_timestamp),
    )
    await bed.adapter.broadcast(second.signed)
    await bed.adapter.broadcast(attempt.signed)
    await bed.mine(bed.network.finalDepth)
    expect((await statusOf(bed.adapter, second)).state).toBe('included')
    expect(await statusOf(bed.adapter, attempt)).toMatchObject({
      state: 'dead',
      evidence: { usedBy: second.signed.hash },
    })
    expect(await bed.balance(to)).toBe(ETH)
  })

  test('because an answer was lost after it was accepted', async () => {
    const { to, ...attempt } = await drawn('lost')
    await bed.control('lose', { answers: 1 })
    await expect(bed.adapter.broadcast(attempt.signed)).rejects.toThrow(RetryLater)
    expect(await statusOf(bed.adapter, attempt)).toEqual({ state: 'pending' })
    await bed.adapter.broadcast(attempt.signed)
    await bed.mine()
    expect((await statusOf(bed.adapter, attempt)).state).toBe('included')
    expect(await bed.balance(to)).toBe(ETH)
  })

  test('by a list that withholds, alters, signs for us, or shows a batch that is not final', async () => {
    const { to, ...unsent } = await drawn('loser')
    const order = payment(bed, await bed.stranger('winner'), ETH)
    const draft = await bed.adapter.prepare(order, null)
    const rival = { order, draft, slot: unsent.slot, signed: await bed.adapter.sign(order, unsent.slot, draft) }
    await bed.adapter.broadcast(rival.signed)
    await bed.mine(bed.network.finalDepth)
    type Row = { message: Record<string, string>; stark_signature: unknown }
    const changed = (change: (row: Row) => Row) => (path: string, answer: unknown) => {
      if (!path.includes('&nonce=')) return answer
      const { head, result } = answer as { head: unknown; result: Row[] }
      return { head, result: result.map(change) }
    }
    const lies: Record<string, (path: string, answer: unknown) => unknown> = {
      withholds: (path, answer) => (path.includes('&nonce=') ? { ...(answer as object), result: [] } : answer),
      alters: changed((row) => ({ ...row, message: { ...row.message, amount: '1' } })),
      'names another nonce': changed((row) => ({ ...row, message: { ...row.message, nonce: '5' } })),
      'names another vault': changed((row) => ({ ...row, message: { ...row.message, sender_vault_id: '999' } })),
      'signs for us': changed((row) => ({ ...row, stark_signature: { r: '0x1', s: '0x2' } })),
      'is behind': (path, answer) => {
        if (!path.includes('&nonce=')) return answer
        const { result } = answer as { result: { batch: unknown }[] }
        return { head: result[0]?.batch, result }
      },
    }
    for (const [name, lie] of Object.entries(lies)) {
      const liar = await startProxy(bed.url, lie)
      for (const nodes of [[liar.url], [liar.url, bed.url], [bed.url, liar.url]]) {
        expect(await statusOf(await bed.open({ nodes }), unsent), `${name} ${nodes.length}`).toEqual({
          state: 'unknown',
        })
      }
      await liar.stop()
    }
    expect(await statusOf(bed.adapter, unsent)).toMatchObject({
      state: 'dead',
      evidence: { usedBy: rival.signed.hash },
    })
    await bed.adapter.broadcast(unsent.signed)
    await bed.mine(2)
    expect(await bed.balance(to)).toBe(0n)
  })
})

test('a cancellation uses the vault it replaces: the same nonce in another vault is another message', async () => {
  const to = await bed.stranger('cancelled')
  const attempt = await draw(bed.adapter, payment(bed, to, 1_000_000n, bed.usdc))
  const order: Order = { kind: 'cancel', account: bed.treasury }
  const draft = await bed.adapter.prepare(order, attempt.signed)
  const cancel = await bed.adapter.sign(order, attempt.slot, draft)
  const { sender_vault_id, receiver_vault_id, asset_id, amount } = requestIn(cancel.bytes)
  expect({ sender_vault_id, asset_id, amount }).toEqual({
    ...{ sender_vault_id: requestIn(attempt.signed.bytes).sender_vault_id, amount: '0' },
    asset_id: requestIn(attempt.signed.bytes).asset_id,
  })
  expect(receiver_vault_id).toBe(sender_vault_id)
  const native = await bed.adapter.prepare(order, null)
  await expect(bed.adapter.sign(order, attempt.slot, native)).rejects.toThrow('its slot is of')
})

test('nonces continue above all allocated ones, and ahead of a restored database', async () => {
  const order = payment(bed, bed.user.address, ETH)
  const draft = await bed.adapter.prepare(order, null)
  const [lowest = ''] = await bed.adapter.nextSlot(order, draft, [])
  expect(Number(lowest)).toBeGreaterThan(40_000_000)
  const high = [`${Number(lowest) + 500}`, `${Number(lowest) + 500}@500000@1000`]
  expect((await bed.adapter.nextSlot(order, draft, [high]))[0]).toBe(`${Number(lowest) + 501}`)
  for (const slot of [
    ['7'],
    ['07', '07@500000@1000'],
    ['7', '8@500000@1000'],
    ['7', '7@500000'],
    [...high, 'x'],
    ['2147483648', '2147483648@1@1'],
  ]) {
    await expect(bed.adapter.sign(order, slot, draft)).rejects.toThrow('not a slot')
  }
})

test('no address that loses money is paid', async () => {
  for (const to of [bed.adapter.nativeAddress, USDC]) {
    await expect(bed.adapter.prepare(payment(bed, to, ETH), null)).rejects.toThrow(PayoutImpossible)
  }
})

test('an address of ours that is linked to another key is not paid to, and an alert is logged', async () => {
  const liar = await startProxy(bed.url, (path, answer) =>
    path === `v1/users/${bed.treasury}` ? { accounts: ['0x123'] } : answer,
  )
  await bed.open({ nodes: [liar.url] })
  expect(bed.log.lines).toContainEqual(
    expect.objectContaining({ level: 'error', message: 'the operator links our address to a key that is not ours' }),
  )
  await liar.stop()
})

test('an operator that is down does not prevent opening, and one of another ledger is not used', async () => {
  const away = await bed.open({ nodes: ['http://127.0.0.1:1'] })
  expect(away.treasury).toBe(bed.treasury)
  const other = await bed.open({ settings: { ...bed.network.settings, instance: 'another-ledger' } })
  await expect(other.fees()).resolves.toBeDefined()
  await expect(other.balance(bed.treasury, bed.native)).rejects.toThrow('keeps the ledger immutablex-sandbox')
})

test.each([
  [{ quanta: { ETH: '1', USDC: '1' } }, 'instance must be'],
  [{ instance: 'a-ledger', quanta: { ETH: '1' } }, 'quanta must be'],
  [{ instance: 'a-ledger' }, 'quanta must be'],
  [{ instance: 'a-ledger', quanta: { ETH: '1', USDC: '1' }, valid_hours: 1 }, 'valid_hours must be'],
  [{ instance: 'a-ledger', quanta: { ETH: '1', USDC: '1' }, receivers: { x: '0x1' } }, 'receivers must be'],
  [{ instance: 'a-ledger', quanta: { ETH: '1', USDC: '1' }, fee: 1 }, 'fee is unknown'],
])('settings %j are refused with a word about what is wrong', async (settings, reason) => {
  await expect(bed.open({ settings })).rejects.toThrow(reason)
})

test('a sent and forgotten transfer is waited for until its expiry plus an hour', () => {
  expect(bed.adapter.lateTransactions?.maxForgottenTxAgeMs).toBe(25 * 3_600_000)
})
