/** Payouts: only the order is signed, it is mined once, and costs no more than the network file allows. */
import { Bug, FeeAboveLimit, type Order, PayoutImpossible, RetryLater } from '@causeway/core'
import { family } from '@causeway/cosmos'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { forward, startServer } from '../../../../tests/support/chains/samples.ts'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { encode } from '../../src/address.ts'
import { addressOn } from './accounts.ts'
import { moduleAddress, moneyOf, openEnvelope } from './envelope.ts'
import { draw, payment, person, startChain, startProxy, type TestChain, testNetwork, tokenOf, USDC } from './testbed.ts'
import { fieldsOf, listAt, textAt } from './wire.ts'

let chain: TestChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())

let strangers = 0
const stranger = () => family.treasury(chain.network, testSigner(`stranger ${++strangers}`))
const osmo = () => chain.network.nativeToken
const usdc = () => tokenOf(chain.network, 'USDC')
const statusOf = ({ signed, slot }: { signed: { hash: string }; slot: readonly string[] }) =>
  chain.adapter.status({ hash: signed.hash, slot, account: chain.treasury }, nothingSigned)
const pay = async (token = osmo(), units = 1_000n) => payment(chain.treasury, await stranger(), token, units)

/** The payments in the bytes, decoded by independent code. */
function paidBy(bytes: string) {
  const envelope = openEnvelope(Buffer.from(bytes, 'base64'))
  const sends = envelope.messages.map(({ type, value }) => {
    const fields = fieldsOf(value)
    return { type, from: textAt(fields, 1), to: textAt(fields, 2), coins: listAt(fields, 3).map(moneyOf) }
  })
  return { ...envelope, sends }
}

it('the signed bytes, read by other code, pay exactly the order, with no memo and a bounded fee', async () => {
  const { adapter, treasury } = chain
  const [one, two] = [await stranger(), await stranger()]
  const order: Order = {
    kind: 'transfers',
    account: treasury,
    transfers: [
      { to: one, amount: { token: usdc(), units: 7n } },
      { to: two, amount: { token: osmo(), units: 8n } },
    ],
  }
  const drawn = await draw(adapter, order)
  const { sends, memo, fee, gas, timeoutHeight, signers, payer, signatures } = paidBy(drawn.signed.bytes)
  const type = '/cosmos.bank.v1beta1.MsgSend'
  expect(sends).toEqual([
    { type, from: treasury, to: one, coins: [{ denom: USDC, amount: 7n }] },
    { type, from: treasury, to: two, coins: [{ denom: 'uosmo', amount: 8n }] },
  ])
  expect([memo, payer, signers.length, signatures.length]).toEqual(['', '', 1, 1])
  expect(drawn.slot).toEqual([`${treasury}/${signers[0]?.sequence}`])
  // 0.03 per gas plus half of it, rounded up.
  expect(fee).toEqual([{ denom: 'uosmo', amount: (gas * 45n + 999n) / 1_000n }])
  expect(drawn.signed.feeCeiling).toBe(fee[0]?.amount)
  expect(adapter.maxSigningCost(order, drawn.slot, drawn.draft)).toEqual({ feeUnits: fee[0]?.amount })
  const { head } = await adapter.scan(null, { owned: async () => new Set() })
  expect(timeoutHeight).toBeGreaterThanOrEqual(head.number)
  expect(timeoutHeight).toBeLessThanOrEqual(head.number + 40n)
})

it('twenty payouts go in one transaction, and all arrive; one more is no order', async () => {
  const { adapter, treasury, local, mine } = chain
  const targets = await Promise.all(Array.from({ length: 20 }, stranger))
  const transfers = targets.map((to, at) => ({ to, amount: { token: usdc(), units: 100n + BigInt(at) } }))
  const order: Order = { kind: 'transfers', account: treasury, transfers }
  const drawn = await draw(adapter, order)
  await adapter.broadcast(drawn.signed)
  await mine()
  expect(await statusOf(drawn)).toMatchObject({ state: 'included', feeUnits: drawn.signed.feeCeiling })
  for (const { to, amount } of transfers) expect(await local.balance(usdc(), to)).toBe(amount.units)
  const [first] = transfers
  if (!first) throw new Error('no transfer')
  await expect(adapter.prepare({ ...order, transfers: [...transfers, first] }, null)).rejects.toThrow(Bug)
  expect(adapter.batch).toEqual({ maxTransfers: 20 })
})

it('one recipient who may not receive makes the whole batch unpayable, before anything is signed', async () => {
  const { adapter, treasury, signer, set } = chain
  const listed = await stranger()
  await set({ blocked: [listed] })
  const signatures = signer.intents.length
  const amount = { token: usdc(), units: 5n }
  const transfers = [
    { to: await stranger(), amount },
    { to: listed, amount },
  ]
  await expect(adapter.prepare({ kind: 'transfers', account: treasury, transfers }, null)).rejects.toThrow(
    PayoutImpossible,
  )
  // Modules, and addresses of other chains, without a request.
  const foreign = encode('cosmos', new Uint8Array(20).fill(3))
  for (const to of [moduleAddress('gov', 'osmo'), foreign, USDC])
    await expect(adapter.prepare(payment(treasury, to, usdc(), 5n), null)).rejects.toThrow(PayoutImpossible)
  expect(signer.intents.length).toBe(signatures)
})

it('"unpayable" is never reported for an order that may be in flight', async () => {
  const { adapter, treasury, set } = chain
  const to = await stranger()
  const first = await draw(adapter, payment(treasury, to, usdc(), 5n))
  await set({ blocked: [to] })
  await expect(adapter.prepare(first.order, first.signed)).rejects.toThrow(RetryLater)
  const lost = payment(treasury, moduleAddress('gov', 'osmo'), usdc(), 5n)
  await expect(adapter.prepare(lost, first.signed)).rejects.toThrow(RetryLater)
})

it('a refusal about us, not about the recipient, is retried', async () => {
  const { url, open } = chain
  const log = 'an address (osmo1us) is blacklisted and can not send tokens: unauthorized'
  const refuses = await startProxy(url, ({ method, params }, answer) =>
    method === 'abci_query' && String(params.path).endsWith('Simulate')
      ? { result: { response: { code: 6, log, value: null, height: '0' } } }
      : answer,
  )
  onTestFinished(refuses.stop)
  await expect((await open({ nodes: [refuses.url] })).prepare(await pay(), null)).rejects.toThrow(RetryLater)
})

it('a token that is disabled for sending is waited for', async () => {
  const { adapter, set } = chain
  await set({ disabled: [USDC] })
  const refused = await adapter.prepare(await pay(usdc()), null).catch((error: unknown) => error)
  await set({ disabled: [] })
  expect(refused).toBeInstanceOf(RetryLater)
  expect(String(refused)).toContain('disabled')
})

it('a price above the ceiling is waited for, and one below it is offered with room', async () => {
  const { adapter, set } = chain
  const at = async (price: bigint) => {
    await set({ gasPrice: price.toString() })
    return adapter.prepare(await pay(), null)
  }
  try {
    await expect(at(10n ** 18n + 1n)).rejects.toThrow(FeeAboveLimit)
    await expect(adapter.fees()).rejects.toThrow(FeeAboveLimit)
    const { gas, feeUnits } = JSON.parse(await at(10n ** 18n))
    // No more than the ceiling, however large the margin.
    expect(feeUnits).toBe(gas)
  } finally {
    await set({ gasPrice: (3n * 10n ** 16n).toString() })
  }
  expect(await adapter.fees()).toEqual({ nativeTransfer: 7_200n, tokenTransfer: 7_200n, sweep: 8_100n })
})

it('a first send that is refused for its fee is sent again and lands, by the same bytes', async () => {
  const { adapter, set, mine, local } = chain
  const order = await pay()
  const drawn = await draw(adapter, order)
  await set({ gasPrice: (9n * 10n ** 17n).toString() })
  await expect(adapter.broadcast(drawn.signed)).rejects.toThrow('insufficient fee')
  await set({ gasPrice: (3n * 10n ** 16n).toString() })
  await adapter.broadcast(drawn.signed)
  await mine()
  expect(await statusOf(drawn)).toMatchObject({ state: 'included' })
  if (order.kind === 'transfers') expect(await local.balance(osmo(), order.transfers[0]?.to ?? '')).toBe(1_000n)
})

it('numbers land in order: one whose predecessor is missing is refused for now, and lands behind it', async () => {
  const { adapter, mine } = chain
  const first = await draw(adapter, await pay())
  const second = await draw(adapter, await pay(), [first.slot])
  await expect(adapter.broadcast(second.signed)).rejects.toThrow(RetryLater)
  await adapter.broadcast(first.signed)
  await adapter.broadcast(second.signed)
  await mine()
  for (const one of [first, second]) expect(await statusOf(one)).toMatchObject({ state: 'included' })
})

it('a released slot leaves no gap: it is the next one', async () => {
  const { adapter } = chain
  const order = await pay()
  const draft = await adapter.prepare(order, null)
  const first = await adapter.nextSlot(order, draft, [])
  const second = await adapter.nextSlot(order, draft, [first])
  const third = await adapter.nextSlot(order, draft, [first, second])
  expect(await adapter.nextSlot(order, draft, [first, third])).toEqual(second)
})

it('a pending transaction is waited for until its timeout, then signed again', async () => {
  const { adapter, set, mine, local, treasury } = chain
  await set({ halted: true })
  onTestFinished(async () => void (await set({ halted: false })))
  const to = await stranger()
  const first = await draw(adapter, payment(treasury, to, osmo(), 77n))
  await adapter.broadcast(first.signed)
  await expect(adapter.prepare(first.order, first.signed)).rejects.toThrow('a pool holds it')
  // Also by an adapter that has not sent it: the mempool itself shows it.
  await expect((await chain.open()).prepare(first.order, first.signed)).rejects.toThrow('a pool holds it')
  await mine()
  expect(await statusOf(first)).toMatchObject({ state: 'included' })
  const late = await draw(adapter, payment(treasury, to, osmo(), 5n))
  const { timeoutHeight } = paidBy(late.signed.bytes)
  await mine(42)
  // Void, but no proof of anything.
  await expect(adapter.broadcast(late.signed)).rejects.toThrow('timeout')
  expect(await statusOf(late)).toEqual({ state: 'unknown' })
  const draft = await adapter.prepare(late.order, late.signed)
  const again = { ...late, draft, signed: await adapter.sign(late.order, late.slot, draft) }
  expect(paidBy(again.signed.bytes).timeoutHeight).toBeGreaterThan(timeoutHeight)
  await adapter.broadcast(again.signed)
  await mine(3)
  expect(await statusOf(again)).toMatchObject({ state: 'included' })
  expect(await statusOf(late)).toMatchObject({ state: 'dead', evidence: { usedBy: again.signed.hash } })
  await expect(adapter.broadcast(late.signed)).rejects.toThrow(RetryLater)
  await mine()
  expect(await local.balance(osmo(), to)).toBe(82n)
})

it('a mined transaction is not replaced, and one behind another is not accelerated', async () => {
  const { adapter, mine } = chain
  const first = await draw(adapter, await pay())
  const second = await draw(adapter, await pay(), [first.slot])
  await expect(adapter.prepare(second.order, second.signed)).rejects.toThrow("it waits for the account's transaction")
  await adapter.broadcast(first.signed)
  await mine()
  await expect(adapter.prepare(first.order, first.signed)).rejects.toThrow('used already')
})

it('a token that is off the list by now is still sent back, and one of another network never', async () => {
  const { adapter, treasury, local, mine } = chain
  const former = { ...usdc(), contract: 'factory/osmo1x/former' }
  await local.fund(former, treasury, 9n)
  const to = await stranger()
  const drawn = await draw(adapter, payment(treasury, to, former, 9n))
  await adapter.broadcast(drawn.signed)
  await mine()
  expect(await local.balance(former, to)).toBe(9n)
  const foreign = { ...usdc(), network: 'NOBLE_TESTNET' }
  await expect(adapter.prepare(payment(treasury, to, foreign, 1n), null)).rejects.toThrow(Bug)
})

it('a treasury that was never funded waits for its account', async () => {
  const { open } = chain
  const poor = await open({}, testSigner('a treasury with nothing'))
  const order = payment(poor.treasury, await stranger(), osmo(), 1n)
  await expect(poor.prepare(order, null)).rejects.toThrow('no account yet')
})

it('every node is sent the bytes: one that keeps them to itself does not hold them up', async () => {
  const { url, open } = chain
  const heard = [0, 0]
  const proxies = await Promise.all(
    heard.map((_, at) =>
      startProxy(url, ({ method }, answer) => {
        if (method === 'broadcast_tx_sync') heard[at] = (heard[at] ?? 0) + 1
        return answer
      }),
    ),
  )
  for (const { stop } of proxies) onTestFinished(stop)
  const both = await open({ nodes: proxies.map((proxy) => proxy.url) })
  await both.broadcast((await draw(both, await pay())).signed)
  await expect.poll(() => heard).toEqual([1, 1])
})

it('a node that rejects our signature raises an alert, and proves nothing', async () => {
  const { url, open, log, mine, adapter } = chain
  const wrong = { result: { code: 4, log: 'signature verification failed: unauthorized', codespace: 'sdk', hash: '' } }
  const deaf = await startServer(async (text) => {
    const wire: { method: string } = JSON.parse(text)
    return wire.method === 'broadcast_tx_sync' ? { body: wrong } : forward(url, wire)
  })
  onTestFinished(deaf.stop)
  await mine()
  const drawn = await draw(adapter, await pay())
  log.lines.length = 0
  await expect((await open({ nodes: [deaf.url] })).broadcast(drawn.signed)).rejects.toThrow(RetryLater)
  expect(log.lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
    'a node says that our signature is wrong',
  ])
  expect(await statusOf(drawn)).toEqual({ state: 'unknown' })
  await adapter.broadcast(drawn.signed)
  await mine()
  expect(await statusOf(drawn)).toMatchObject({ state: 'included' })
})

it('a key of another kind signs another digest under its own name', async () => {
  const changes = {
    key: 'eth_secp256k1',
    pubkey_type: '/injective.crypto.v1beta1.ethsecp256k1.PubKey',
    prefix: 'inj',
    denom: 'inj',
  }
  const other = await startChain(
    testNetwork({ name: 'INJECTIVE_TESTNET', chainId: 'injective-888' }, { ...changes, fee_model: 'injective' }),
  )
  onTestFinished(other.local.stop)
  const { adapter, treasury, network, mine, local } = other
  const to = await family.treasury(network, testSigner('somebody there'))
  const drawn = await draw(adapter, payment(treasury, to, network.nativeToken, 12n))
  const { signers } = openEnvelope(Buffer.from(drawn.signed.bytes, 'base64'))
  expect(signers[0]?.keyType).toBe(changes.pubkey_type)
  await adapter.broadcast(drawn.signed)
  await mine()
  expect(await local.balance(network.nativeToken, to)).toBe(12n)
  expect(addressOn(network, person(0))).toMatch(/^inj1/)
})
