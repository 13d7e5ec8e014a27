/** Payouts beyond the conformance suite: several assets at once, sweeps of many, replacements, prices, and refusals. */
import { Bug, FeeAboveLimit, type Order, PayoutImpossible, RetryLater, type Token } from '@causeway/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sizeOf } from '../../src/paying/gas.ts'
import { coinInputs, POLICY, parseTransaction, policyOf } from '../../src/transaction.ts'
import { draw, endow, type Lab, type Opened, openLab, payment, replace, startProxy, statusOf } from './testbed.ts'
import { WATCHDOG_ID } from './watchdog.ts'

let lab: Lab
let opened: Opened
beforeAll(async () => {
  lab = await openLab()
  opened = await lab.open('payouts')
  await endow(lab, opened.adapter)
})
afterAll(() => lab.devnet.stop())

const strangers = (name: string, count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => lab.stranger(`${name} ${index}`)))

/** Sends it, mines a block, and returns the result. */
async function land(adapter: Opened['adapter'], attempt: Awaited<ReturnType<typeof draw>>) {
  await adapter.broadcast(attempt.signed)
  await lab.mine()
  const status = await statusOf(adapter, attempt)
  if (status.state !== 'included') throw new Error(`it is ${status.state}`)
  return status
}

describe('batches', () => {
  it('a hundred transfers of two assets in one transaction are all made, to the unit', async () => {
    const { adapter } = opened
    const people = await strangers('batch', 100)
    const tokenOf = (place: number) => (place % 2 === 0 ? lab.native : lab.usdc)
    const order = payment(
      adapter,
      ...people
        .map((to, place) => [to, tokenOf(place), 1_000n + BigInt(place)] as const)
        .map(([to, token, units]): [string, typeof token, bigint] => [to, token, units]),
    )
    const before = [await lab.units(adapter.treasury), await lab.units(adapter.treasury, lab.usdc)]
    const { feeUnits } = await land(adapter, await draw(adapter, order))
    const got = await Promise.all(people.map((to, place) => lab.units(to, tokenOf(place))))
    expect(got).toEqual(people.map((_, place) => 1_000n + BigInt(place)))
    const sums = [0, 1].map((rest) => got.filter((_, place) => place % 2 === rest).reduce((sum, one) => sum + one, 0n))
    expect(await lab.units(adapter.treasury)).toBe((before[0] ?? 0n) - (sums[0] ?? 0n) - feeUnits)
    expect(await lab.units(adapter.treasury, lab.usdc)).toBe((before[1] ?? 0n) - (sums[1] ?? 0n))
  })

  it('every asset that goes in has its change: nothing is burnt', async () => {
    const { adapter } = opened
    const order = payment(adapter, [await lab.stranger('change'), lab.usdc, 5n])
    const { signed } = await draw(adapter, order)
    const transaction = parseTransaction(signed.bytes)
    const spent = new Set(transaction && coinInputs(transaction).map(({ asset }) => asset))
    const rests = transaction?.outputs.flatMap((one) => (one.type === 'change' ? [one.asset] : []))
    expect(spent.size).toBe(2)
    expect(new Set(rests)).toEqual(spent)
  })

  it('a treasury with one coin splits the rest, so that the next payouts need not wait for each other', async () => {
    const { adapter } = await lab.open('one coin')
    const base = lab.place.baseAsset
    const gift = { owner: adapter.treasury, asset: base, units: (100n * 10n ** 9n).toString() }
    await lab.command('devnet_fund', { coins: [gift] })
    await land(adapter, await draw(adapter, payment(adapter, [await lab.stranger('split'), lab.native, 1_000n])))
    const coins = await lab.coins(adapter.treasury)
    expect(coins).toHaveLength(12)
    const taken: string[][] = []
    for (let count = 0; count < 10; count++) {
      const order = payment(adapter, [await lab.stranger(`beside ${count}`), lab.native, 1_000n])
      const attempt = await draw(adapter, order, taken)
      taken.push([...attempt.slot])
      await adapter.broadcast(attempt.signed)
    }
    await lab.mine()
    for (let count = 0; count < 10; count++) expect(await lab.units(await lab.stranger(`beside ${count}`))).toBe(1_000n)
  })

  it('a coin that waits to be made is never spent: the payout waits for the block', async () => {
    const { adapter } = await lab.open('unconfirmed')
    const gift = { owner: adapter.treasury, asset: lab.place.baseAsset, units: '50000' }
    await lab.command('devnet_fund', { coins: [gift] })
    const first = await draw(adapter, payment(adapter, [await lab.stranger('first'), lab.native, 1_000n]))
    await adapter.broadcast(first.signed)
    const order = payment(adapter, [await lab.stranger('second'), lab.native, 1_000n])
    await expect(draw(adapter, order, [first.slot])).rejects.toThrow('that are free now do not cover')
    await lab.mine()
    const second = await draw(adapter, order, [first.slot])
    expect(second.slot[0]?.split(':')[0]).toBe(first.signed.hash)
  })

  it('coins of final blocks are spent before newer ones, which a reorg could take away', async () => {
    const { adapter } = await lab.open('settled')
    const [owner, asset] = [adapter.treasury, lab.place.baseAsset]
    await lab.command('devnet_fund', { coins: [{ owner, asset, units: '9000000' }] })
    const [old] = await lab.coins(owner)
    await lab.mine(lab.network.finalDepth)
    await lab.command('devnet_fund', { coins: [{ owner, asset, units: '50000' }] })
    const order = payment(adapter, [await lab.stranger('settled'), lab.native, 10_000n])
    const first = await draw(adapter, order)
    expect(first.slot[0]).toBe(`${old?.txId}:${old?.index}`)
    const second = await draw(adapter, order, [first.slot])
    expect(second.slot[0]).not.toBe(first.slot[0])
  })

  it('the smallest coin that suffices alone is spent, else the largest first', async () => {
    const { adapter } = await lab.open('choosing')
    const [owner, asset] = [adapter.treasury, lab.place.baseAsset]
    const amounts = [3_000n, 40_000n, 60_000n, 9_000_000n]
    await lab.command('devnet_fund', { coins: amounts.map((units) => ({ owner, asset, units: units.toString() })) })
    const coins = await lab.coins(owner)
    const spent = async (units: bigint) => {
      const { slot } = await draw(adapter, payment(adapter, [await lab.stranger('choosing'), lab.native, units]))
      const parts = new Set(slot)
      return coins.filter(({ txId, index }) => parts.has(`${txId}:${index}`)).map((coin) => coin.units)
    }
    expect(await spent(10_000n)).toEqual([40_000n])
    expect(await spent(50_000n)).toEqual([60_000n])
    expect(await spent(9_050_000n)).toEqual([9_000_000n, 60_000n])
  })
})

describe('dust', () => {
  it('thousands of small coins in front of the large ones do not stop payouts: the node is asked to pick', async () => {
    const { adapter: plain } = opened
    // Page after page of small coins, without end.
    const flood = await startProxy(lab.url, {
      answer: ({ operationName, variables }, body) => {
        if (operationName !== 'causewayCoins') return undefined
        const { owner, assetId } = variables.filter as { owner: string; assetId: string }
        const utxoId = `0x${'d5'.repeat(32)}0000`
        const pageInfo = { hasNextPage: true, endCursor: utxoId }
        return {
          ...body,
          data: { coins: { edges: [{ node: { utxoId, owner, amount: '1', assetId, blockCreated: '1' } }], pageInfo } },
        }
      },
    })
    const { adapter, lines } = await lab.open('payouts', { nodes: [flood.url] })
    const recipient = await lab.stranger('dust')
    const attempt = await draw(adapter, payment(adapter, [recipient, lab.usdc, 4_000n]))
    await flood.stop()
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'an address has more coins than are searched' }),
    )
    await land(plain, attempt)
    expect(await lab.units(recipient, lab.usdc)).toBe(4_000n)
  })
})

describe('sweeps', () => {
  it('forty addresses are swept by one transaction that the treasury pays for, each with its own signature', async () => {
    const { adapter } = opened
    const sources = await Promise.all(
      Array.from({ length: 40 }, async (_, place) => ({
        index: 100 + place,
        address: (await adapter.depositAddresses?.derive(100 + place)) ?? '',
      })),
    )
    const coins = sources.map(({ address: owner }) => ({ owner, asset: lab.usdc.contract, units: '5000' }))
    await lab.command('devnet_fund', { coins })
    const before = await lab.units(adapter.treasury, lab.usdc)
    const order = { kind: 'sweep', account: adapter.treasury, token: lab.usdc, sources } as const
    const attempt = await draw(adapter, order)
    const transaction = parseTransaction(attempt.signed.bytes)
    expect(transaction?.witnesses).toHaveLength(41)
    expect(transaction?.outputs.map(({ type }) => type)).toEqual(['change', 'change'])
    await land(adapter, attempt)
    expect(await lab.units(adapter.treasury, lab.usdc)).toBe(before + 200_000n)
    for (const { address } of sources) expect(await lab.units(address, lab.usdc)).toBe(0n)
    await expect(adapter.prepare(order, null)).rejects.toThrow('nothing to sweep')
  })

  it('an address that is not that of its number is not swept, and a sweep is not cancelled', async () => {
    const { adapter } = opened
    const address = (await adapter.depositAddresses?.derive(7)) ?? ''
    await lab.command('devnet_fund', { coins: [{ owner: address, asset: lab.usdc.contract, units: '5000' }] })
    const order = (index: number): Order => ({
      ...{ kind: 'sweep', account: adapter.treasury, token: lab.usdc, sources: [{ address, index }] },
    })
    await expect(adapter.prepare(order(8), null)).rejects.toThrow('is not the one of its index')
    const { signed } = await draw(adapter, order(7))
    const cancel = { kind: 'cancel', account: adapter.treasury } as const
    await expect(adapter.prepare(cancel, signed)).rejects.toThrow('nothing to cancel')
  })
})

describe('replacing', () => {
  it('each attempt offers a quarter more and replaces the one before it, with the same coins and payments', async () => {
    const { adapter } = opened
    const recipient = await lab.stranger('replaced')
    let attempt = await draw(adapter, payment(adapter, [recipient, lab.native, 4_000n]))
    const tips: bigint[] = []
    for (let turn = 0; turn < 6; turn++) {
      await adapter.broadcast(attempt.signed)
      const waiting = attempt
      attempt = await replace(adapter, attempt)
      const [old, now] = [parseTransaction(waiting.signed.bytes), parseTransaction(attempt.signed.bytes)]
      expect(now && policyOf(now, POLICY.expiration)).toBe(old && policyOf(old, POLICY.expiration))
      expect(now?.inputs).toEqual(old?.inputs)
      tips.push((now && policyOf(now, POLICY.tip)) ?? 0n)
    }
    expect(tips).toEqual([1n, 2n, 3n, 4n, 6n, 8n])
    await land(adapter, attempt)
    expect(await lab.units(recipient)).toBe(4_000n)
  })

  it('the first send is rejected after gas rose; the same slot is signed again and pays once', async () => {
    const { adapter } = opened
    const recipient = await lab.stranger('dearer')
    const first = await draw(adapter, payment(adapter, [recipient, lab.native, 4_100n]))
    await lab.command('devnet_price', { price: '90000' })
    await expect(adapter.broadcast(first.signed)).rejects.toThrow('InsufficientMaxFee')
    expect(await statusOf(adapter, first)).toEqual({ state: 'unknown' })
    const second = await replace(adapter, first)
    await land(adapter, second)
    await lab.command('devnet_price', { price: '20000' })
    await expect(adapter.broadcast(first.signed)).rejects.toThrow(RetryLater)
    await lab.mine(lab.network.finalDepth)
    expect(await statusOf(adapter, first)).toMatchObject({ state: 'dead', evidence: { usedBy: second.signed.hash } })
    expect(await lab.units(recipient)).toBe(4_100n)
  })

  it('bytes that wait, or have landed, are sent again without harm', async () => {
    const { adapter } = opened
    const attempt = await draw(adapter, payment(adapter, [await lab.stranger('again'), lab.native, 4_200n]))
    await adapter.broadcast(attempt.signed)
    await adapter.broadcast(attempt.signed)
    expect((await statusOf(adapter, attempt)).state).toBe('pending')
    await lab.mine()
    await adapter.broadcast(attempt.signed)
    expect((await statusOf(adapter, attempt)).state).toBe('included')
  })

  it('a transaction dropped from the mempool is unknown, and is mined by the same bytes', async () => {
    const { adapter } = opened
    const attempt = await draw(adapter, payment(adapter, [await lab.stranger('dropped'), lab.native, 4_300n]))
    await adapter.broadcast(attempt.signed)
    await lab.command('devnet_forget')
    await lab.mine(lab.network.finalDepth + 1)
    expect(await statusOf(adapter, attempt)).toEqual({ state: 'unknown' })
    await land(adapter, attempt)
  })
})

describe('prices', () => {
  it('the fee follows from the signed size, and the chain takes no more than computed', async () => {
    const { adapter } = opened
    const people = await strangers('sized', 7)
    const order = payment(adapter, ...people.map((to): [string, Token, bigint] => [to, lab.usdc, 1_000n]))
    const first = await draw(adapter, order)
    // With a tip, all three policies are present.
    const attempt = await replace(adapter, first)
    const transaction = parseTransaction(attempt.signed.bytes)
    const { inputs = [], outputs = [] } = transaction ?? {}
    const size = sizeOf({ inputs: inputs.length, outputs: outputs.length, keys: 1 })
    expect(BigInt(attempt.signed.bytes.length - 2) / 2n).toBe(size)
    const { feeUnits } = await land(adapter, attempt)
    expect(feeUnits).toBeGreaterThan(0n)
    // Half of the limit is for a rising price; the tip comes on top of both.
    expect(2n * (feeUnits - 1n)).toBeLessThanOrEqual(attempt.signed.feeCeiling ?? 0n)
  })

  it('above the operator’s limit nothing is made, and quotes charge no more than the limit', async () => {
    const { adapter } = await lab.open('payouts', { settings: { max_fee: '0.00001' } })
    const order = payment(adapter, [await lab.stranger('dear'), lab.native, 4_400n])
    await lab.command('devnet_price', { price: '2000000' })
    await expect(adapter.prepare(order, null)).rejects.toThrow(FeeAboveLimit)
    expect((await adapter.fees()).nativeTransfer).toBe(10_000n)
    await lab.command('devnet_price', { price: '20000' })
    const { signed } = await draw(adapter, order)
    expect(signed.feeCeiling).toBeLessThanOrEqual(10_000n)
    expect((await adapter.fees()).nativeTransfer).toBeLessThan(10_000n)
  })

  it('if gas is free the fee limit is still one unit: without it nodes reject the transaction', async () => {
    const { adapter } = opened
    await lab.command('devnet_price', { price: '0' })
    const attempt = await draw(adapter, payment(adapter, [await lab.stranger('free'), lab.native, 4_500n]))
    expect(attempt.signed.feeCeiling).toBe(1n)
    expect(await land(adapter, attempt)).toMatchObject({ feeUnits: 0n })
    expect(await adapter.fees()).toEqual({ nativeTransfer: 1n, tokenTransfer: 1n, sweep: 1n })
    await lab.command('devnet_price', { price: '20000' })
  })
})

describe('who is not paid', () => {
  it('ids without a key: contracts, transactions, assets, zero', async () => {
    const { adapter } = opened
    const contract = `0x${'c7'.repeat(32)}`
    await lab.command('devnet_deploy', { id: contract, code: '0x24000000' })
    const { hash } = (await draw(adapter, payment(adapter, [await lab.stranger('tx'), lab.native, 4_600n]))).signed
    const landed = await lab.post({ outputs: [{ type: 'coin', to: hash, units: 1n, asset: lab.place.baseAsset }] })
    const places = [contract, landed, WATCHDOG_ID, lab.usdc.contract ?? '', lab.place.baseAsset, `0x${'00'.repeat(32)}`]
    for (const to of places) {
      await expect(adapter.prepare(payment(adapter, [to, lab.native, 5n]), null), to).rejects.toThrow(PayoutImpossible)
    }
    for (const to of places.slice(2)) expect(adapter.isUnpayable(to), to).toBe(true)
    expect(await adapter.accounts?.isContract(contract)).toBe(true)
    expect(await adapter.accounts?.isContract(await lab.stranger('person'))).toBe(false)
    expect(lab.network.tokens.map((token) => adapter.isUnpayable(token.contract ?? ''))).toEqual([false, true])
  })

  it('is never called unpayable while an earlier attempt may land', async () => {
    const { adapter } = opened
    const to = `0x${'c8'.repeat(32)}`
    const attempt = await draw(adapter, payment(adapter, [to, lab.native, 4_700n]))
    await lab.command('devnet_deploy', { id: to, code: '0x24000000' })
    const refused = await adapter.prepare(attempt.order, attempt.signed).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(RetryLater)
  })

  it('an order of another wallet, of another network’s token, or of zero is a bug', async () => {
    const { adapter } = opened
    const to = await lab.stranger('foreign')
    const orders = [
      { ...payment(adapter, [to, lab.native, 5n]), account: to },
      payment(adapter, [to, { ...lab.usdc, network: 'ELSEWHERE' }, 5n]),
      payment(adapter, [to, { ...lab.usdc, contract: `0x${'77'.repeat(32)}` }, 5n]),
      payment(adapter, [to, lab.native, 0n]),
      payment(adapter),
      { kind: 'cancel', account: adapter.treasury } as const,
    ]
    for (const order of orders) await expect(adapter.prepare(order, null)).rejects.toThrow(Bug)
  })
})

it("the block time is the block's own, and a block that does not exist has none", async () => {
  const { adapter } = opened
  const { block } = await adapter.balances([])
  if (!block) throw new Error('the balances are of a block')
  const time = await adapter.blockTimes?.timeOf(block)
  expect(Math.abs(Date.now() - (time?.getTime() ?? 0))).toBeLessThan(600_000)
  await expect(adapter.blockTimes?.timeOf({ ...block, hash: `0x${'00'.repeat(32)}` })).rejects.toThrow(RetryLater)
})
