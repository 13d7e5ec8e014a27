/** A signed payout pays exactly its order, costs no more than allowed, and survives a sequencer's first rejections. */
import { Bug, FeeAboveLimit, type Order, PayoutImpossible, RetryLater } from '@causeway/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { named } from './contracts.ts'
import { callsIn } from './execution.ts'
import { readSent } from './signature-checks.ts'
import { STRK, testNetwork, USDC } from './test-network.ts'
import { draw, payment, replacement, startChain, startProxy, statusOf, type TestChain, tokenOf } from './testbed.ts'

const network = testNetwork()
const [native, usdc] = [network.nativeToken, tokenOf(network, 'USDC')]
const FLOOR = 8_000_000_000n
let chain: TestChain
beforeAll(async () => {
  chain = await startChain(network)
})
afterAll(() => chain?.local.stop())

const recipient = (number: number) => `0x01${number.toString(16).padStart(62, '0')}`
const paying = (to: string, units: bigint, token = native): Order => payment(chain.treasury, [to, token, units])
const held = (to: string, token = native) => chain.local.balance(token, to)
const prices = async (l2Gas: bigint) => {
  await chain.command('devnet_prices', { l2Gas: `${l2Gas}` })
  await chain.mine(1)
}
const hold = (held: boolean) => chain.command('devnet_hold', { held })

describe('what is signed', () => {
  test('decoded by other code, is the order and nothing else, under the stated hash', async () => {
    const order = payment(chain.treasury, [recipient(1), usdc, 1_234_567n], [recipient(2), native, (1n << 129n) / 3n])
    const draft = JSON.stringify({
      nonce: '5',
      l2Gas: '3000000',
      l2Price: '12000000000',
      dataGas: '896',
      dataPrice: '30',
      l1Price: '9',
    })
    const signed = await chain.adapter.sign(order, ['5'], draft)
    const sent = readSent(String(network.chainId), JSON.parse(signed.bytes))
    expect(sent.hash).toBe(BigInt(signed.hash))
    expect([sent.sender, sent.nonce, sent.tip]).toEqual([BigInt(chain.treasury), 5n, 0n])
    const units = (1n << 129n) / 3n
    expect(callsIn(sent.calldata)).toEqual([
      { to: BigInt(USDC), name: named('transfer'), calldata: [BigInt(recipient(1)), 1_234_567n, 0n] },
      {
        to: BigInt(STRK),
        name: named('transfer'),
        calldata: [BigInt(recipient(2)), units % (1n << 128n), units >> 128n],
      },
    ])
    expect(sent.bounds).toEqual({
      l1_gas: { max_amount: 0n, max_price_per_unit: 9n },
      l1_data_gas: { max_amount: 896n, max_price_per_unit: 30n },
      l2_gas: { max_amount: 3_000_000n, max_price_per_unit: 12_000_000_000n },
    })
    expect(signed.feeCeiling).toBe(3_000_000n * 12_000_000_000n + 896n * 30n)
    expect(chain.adapter.maxSigningCost(order, ['5'], draft)).toEqual({ feeUnits: signed.feeCeiling })
  })

  test("never exceeds the file's bounds, whatever a draft says", async () => {
    const fair = { nonce: '5', l2Gas: '2000000', l2Price: '12000000000', dataGas: '576', dataPrice: '30', l1Price: '9' }
    const beyond = [
      { l2Gas: '6000001' },
      { dataGas: '1729' },
      { l2Price: '500000000001' },
      { dataPrice: '100000000000001' },
    ]
    const nonsense = [
      { l2Gas: '0' },
      { l2Price: '-1' },
      { l2Price: '0x10' },
      { dataGas: 5 },
      { l1Price: '9'.repeat(38) },
      { nonce: '' },
    ]
    for (const change of [...beyond, ...nonsense]) {
      const draft = JSON.stringify({ ...fair, ...change })
      expect(() => chain.adapter.maxSigningCost(paying(recipient(3), 1n), ['5'], draft), draft).toThrow()
      await expect(chain.adapter.sign(paying(recipient(3), 1n), ['5'], draft), draft).rejects.toThrow()
    }
    const signatures = chain.signer.intents.length
    const foreign = { ...usdc, contract: `0x05${'0'.repeat(61)}9` }
    const orders: Order[] = [
      payment(chain.treasury, [recipient(3), foreign, 1n]),
      payment(chain.other.address, [recipient(3), native, 1n]),
      payment(chain.treasury, [recipient(3), native, 0n]),
      payment(chain.treasury, ['0x123', native, 1n]),
      payment(chain.treasury),
      payment(
        chain.treasury,
        ...Array.from({ length: 26 }, (_, i) => [recipient(i + 1), native, 1n] as [string, typeof native, bigint]),
      ),
      { kind: 'sweep', account: chain.treasury, token: native, sources: [] },
      { ...paying(recipient(3), 1n), call: 'anything' } as Order,
    ]
    for (const order of orders)
      await expect(chain.adapter.sign(order, ['5'], JSON.stringify(fair))).rejects.toThrow(Bug)
    for (const slot of [[], ['05'], ['5', '6'], ['0x5'], ['-1'], ['5 ']]) {
      await expect(chain.adapter.sign(paying(recipient(3), 1n), slot, JSON.stringify(fair))).rejects.toThrow(
        'not a slot',
      )
    }
    expect(chain.signer.intents.length).toBe(signatures)
  })

  test('by another key is not sent', async () => {
    const { family } = await import('@causeway/starknet')
    const other = testSigner('somebody else')
    const mixed = { ...chain.signer, sign: other.sign }
    const adapter = await family.open({ network: chain.adapter.network, signer: mixed, log: chain.log })
    const { draft, slot, order } = await draw(chain.adapter, paying(recipient(4), 1n))
    await expect(adapter.sign(order, slot, draft)).rejects.toThrow('another key')
  })
})

describe('paying', () => {
  test('twenty-five at once all get theirs, and the fee is what the chain took', async () => {
    const each = Array.from(
      { length: 25 },
      (_, i) => [recipient(100 + i), i % 2 ? usdc : native, BigInt(i + 1)] as [string, typeof native, bigint],
    )
    const before = await held(chain.treasury)
    const drawn = await draw(chain.adapter, payment(chain.treasury, ...each))
    await chain.adapter.broadcast(drawn.signed)
    await chain.mine(1)
    const status = await statusOf(chain.adapter, drawn)
    for (const [to, token, units] of each) expect(await held(to, token)).toBe(units)
    const sent = each.reduce((sum, [, token, units]) => (token === native ? sum + units : sum), 0n)
    expect(status).toMatchObject({ state: 'included', feeUnits: before - (await held(chain.treasury)) - sent })
  })

  test('a recipient that the token rejects is known before signing, and takes the others with it', async () => {
    await chain.command('devnet_block', { token: USDC, address: recipient(5) })
    const both = payment(chain.treasury, [recipient(6), usdc, 5n], [recipient(5), usdc, 5n])
    await expect(chain.adapter.prepare(both, null)).rejects.toThrow(PayoutImpossible)
    await expect(chain.adapter.prepare(paying(recipient(6), 5n, usdc), null)).resolves.toBeTypeOf('string')
  })

  test('a payout that fails in its block is reverted: its fee is spent, its money is not', async () => {
    const drawn = await draw(chain.adapter, paying(recipient(7), 5n, usdc))
    await chain.command('devnet_block', { token: USDC, address: recipient(7) })
    const before = { native: await held(chain.treasury), usdc: await held(chain.treasury, usdc) }
    await chain.adapter.broadcast(drawn.signed)
    await chain.mine(1)
    const status = await statusOf(chain.adapter, drawn)
    if (status.state !== 'reverted') throw new Error(`it is ${status.state}`)
    expect(status.feeUnits).toBeGreaterThan(0n)
    expect(await held(chain.treasury)).toBe(before.native - status.feeUnits)
    expect(await held(chain.treasury, usdc)).toBe(before.usdc)
    const [moved] =
      (await chain.adapter.audit?.movements(chain.treasury, status.block.number, status.block.number)) ?? []
    expect(moved).toMatchObject({ txHash: drawn.signed.hash, slot: drawn.slot, changes: [{ units: -status.feeUnits }] })
  })

  test('the whole ceiling of the fee must be there, not the fee alone', async () => {
    const all = await held(chain.treasury)
    const draft = await chain.adapter.prepare(paying(recipient(8), 1n), null)
    const { feeCeiling = 0n } = await chain.adapter.sign(paying(recipient(8), 1n), ['0'], draft)
    await expect(chain.adapter.prepare(paying(recipient(8), all - feeCeiling), null)).resolves.toBe(draft)
    await expect(chain.adapter.prepare(paying(recipient(8), all - feeCeiling + 1n), null)).rejects.toThrow(
      'for the fee',
    )
  })

  test('an account that is not deployed, or has an unlisted class, pays nothing yet', async () => {
    const proxied = async (answer: object) => {
      const proxy = await startProxy(chain.url, ({ method, id }) =>
        method === 'starknet_getClassHashAt' ? { jsonrpc: '2.0', id, ...answer } : undefined,
      )
      return { proxy, adapter: await chain.open({ nodes: [proxy.url] }) }
    }
    const bare = await proxied({ error: { code: 20, message: 'Contract not found' } })
    await expect(bare.adapter.prepare(paying(recipient(9), 1n), null)).rejects.toThrow('is not deployed')
    const upgraded = await proxied({ result: '0x777' })
    await expect(upgraded.adapter.prepare(paying(recipient(9), 1n), null)).rejects.toThrow('runs the class 0x777')
    const settings = { ...network.settings, account_upgrades: ['0x777'] }
    const known = await chain.open({ nodes: [upgraded.proxy.url], settings })
    await expect(known.prepare(paying(recipient(9), 1n), null)).resolves.toBeTypeOf('string')
    await Promise.all([bare.proxy.stop(), upgraded.proxy.stop()])
  })

  test('only a limited number are pending at once', async () => {
    const adapter = await chain.open({ settings: { ...network.settings, max_in_flight: 2 } })
    const order = paying(recipient(10), 1n)
    const draft = await adapter.prepare(order, null)
    const first = await adapter.nextSlot(order, draft, [])
    const second = await adapter.nextSlot(order, draft, [first])
    expect(BigInt(second[0] ?? 0)).toBe(BigInt(first[0] ?? 0) + 1n)
    await expect(adapter.nextSlot(order, draft, [first, second])).rejects.toThrow(RetryLater)
    // A released one is the next again: a gap would block all later ones.
    expect(await adapter.nextSlot(order, draft, [second])).toEqual(first)
  })
})

describe('prices', () => {
  test('a first send rejected for its price is resent at a higher price, and lands once', async () => {
    const drawn = await draw(chain.adapter, paying(recipient(11), 11n))
    await prices(FLOOR * 2n)
    await expect(chain.adapter.broadcast(drawn.signed)).rejects.toThrow(RetryLater)
    const dearer = await replacement(chain.adapter, drawn)
    await chain.adapter.broadcast(dearer.signed)
    await chain.mine(1)
    expect(await statusOf(chain.adapter, dearer)).toMatchObject({ state: 'included' })
    await prices(FLOOR)
    await expect(chain.adapter.broadcast(drawn.signed)).rejects.toThrow(RetryLater)
    await chain.mine(network.finalDepth)
    expect(await statusOf(chain.adapter, drawn)).toMatchObject({ state: 'dead' })
    expect(await held(recipient(11))).toBe(11n)
  })

  test('the same bytes are accepted once the price has fallen', async () => {
    const drawn = await draw(chain.adapter, paying(recipient(12), 12n))
    await prices(FLOOR * 2n)
    await expect(chain.adapter.broadcast(drawn.signed)).rejects.toThrow(RetryLater)
    await prices(FLOOR)
    await chain.adapter.broadcast(drawn.signed)
    await chain.mine(1)
    expect(await held(recipient(12))).toBe(12n)
  })

  test('a dropped transaction is resent with the same bytes; a known one is no error', async () => {
    await hold(true)
    const drawn = await draw(chain.adapter, paying(recipient(13), 13n))
    await chain.adapter.broadcast(drawn.signed)
    expect(await statusOf(chain.adapter, drawn)).toEqual({ state: 'pending' })
    await chain.adapter.broadcast(drawn.signed)
    await chain.command('devnet_forget')
    expect(await statusOf(chain.adapter, drawn)).toEqual({ state: 'unknown' })
    await chain.adapter.broadcast(drawn.signed)
    await chain.mine(1)
    await chain.adapter.broadcast(drawn.signed)
    await chain.mine(1)
    expect(await held(recipient(13))).toBe(13n)
    await hold(false)
  })

  test('a replacement offers an eighth more and displaces; one that offers the same does not', async () => {
    await hold(true)
    const first = await draw(chain.adapter, paying(recipient(14), 14n))
    await chain.adapter.broadcast(first.signed)
    const same = await chain.adapter.sign(paying(recipient(14), 15n), first.slot, first.draft)
    await expect(chain.adapter.broadcast(same)).rejects.toThrow('nonce')
    const second = await replacement(chain.adapter, first)
    const priceIn = ({ bytes }: { bytes: string }) =>
      BigInt(JSON.parse(bytes).resource_bounds.l2_gas.max_price_per_unit)
    expect(priceIn(first.signed)).toBe(12_000_000_000n)
    expect(priceIn(second.signed)).toBe(13_500_000_000n)
    await chain.adapter.broadcast(second.signed)
    expect(await statusOf(chain.adapter, first)).toEqual({ state: 'unknown' })
    await chain.mine(1)
    expect(await held(recipient(14))).toBe(14n)
    await hold(false)
  })

  test('only the account’s next transaction is replaced', async () => {
    await hold(true)
    const first = await draw(chain.adapter, paying(recipient(15), 1n))
    const second = await draw(chain.adapter, paying(recipient(16), 1n), [first.slot])
    await expect(replacement(chain.adapter, second)).rejects.toThrow('waits for')
    for (const { signed } of [second, first]) await chain.adapter.broadcast(signed)
    await chain.mine(1)
    expect([await held(recipient(15)), await held(recipient(16))]).toEqual([1n, 1n])
    await hold(false)
  })

  test('above the ceiling nothing is prepared, and the reason has no changing number in it', async () => {
    await prices(500_000_000_001n)
    await chain.mine(1)
    await expect(chain.adapter.prepare(paying(recipient(17), 1n), null)).rejects.toThrow(FeeAboveLimit)
    await prices(FLOOR)
    await chain.mine(1)
    await eventually(async () => (await chain.adapter.fees()).nativeTransfer < 10n ** 17n, 'the floor')
    const capped = await chain.open({ settings: { ...network.settings, max_l2_price: '9000000000' } })
    const drawn = await draw(capped, paying(recipient(17), 1n))
    expect(JSON.parse(drawn.draft).l2Price).toBe('9000000000')
    await expect(replacement(capped, drawn)).rejects.toThrow('more than the ceiling')
  })
})
