/** Deposits that try to cheat or just go wrong: rules 1, 24, 25 and 36 of `docs/rules.md`, and Fuel's own cases. */
import { MAX_REFERENCE } from '@causeway/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { predicateAddress } from './codec.ts'
import {
  contractOutputs,
  draw,
  endow,
  inspected,
  type Lab,
  type Opened,
  openLab,
  payment,
  resend,
  scriptOf,
  seen,
} from './testbed.ts'
import { coinInput, type Letter, written } from './wallet.ts'
import { WATCHDOG_CODE } from './watchdog.ts'

const OLD = `0x${'0d'.repeat(32)}`
const IMPOSTOR = `0x${'1e'.repeat(32)}`
const UNLISTED = `0x${'55'.repeat(32)}`

let lab: Lab
let opened: Opened
let base: string
beforeAll(async () => {
  lab = await openLab({ old_watchdog_contracts: [OLD] })
  opened = await lab.open('deposits')
  base = lab.place.baseAsset
  await endow(lab, opened.adapter)
  await lab.command('devnet_deploy', { id: IMPOSTOR, code: WATCHDOG_CODE })
})
afterAll(() => lab.devnet.stop())

const home = () => opened.adapter.treasury
const pays = (units: bigint, to = home(), asset = base) => ({ type: 'coin', to, units, asset }) as const
const look = (letter: Letter, ...alsoOurs: string[]) => seen(opened.adapter, () => lab.post(letter), ...alsoOurs)
/** A script, its contract outputs, and its other payments. */
function calling(script: ReturnType<typeof scriptOf>, ...outputs: Letter['outputs']): Letter {
  return { ...script, outputs: [...contractOutputs(script), ...outputs] }
}

describe('whose it is', () => {
  it('one call of the watchdog and one coin for the treasury name a swap', async () => {
    const [only, ...more] = await look(calling(scriptOf([{ number: 7_000_000_001n }]), pays(5_000n)))
    expect(only).toMatchObject({
      reference: 7_000_000_001n,
      index: 1,
      to: home(),
      refundableSender: lab.sender.address,
    })
    expect(only?.amount).toEqual({ token: lab.native, units: 5_000n })
    expect(more).toEqual([])
  })

  it('an earlier watchdog is still accepted', async () => {
    const sightings = await look(calling(scriptOf([{ number: 8n, contract: OLD }]), pays(5_000n)))
    expect(sightings.map(({ reference }) => reference)).toEqual([8n])
  })

  it('the same call of another contract names nothing', async () => {
    const sightings = await look(calling(scriptOf([{ number: 9n, contract: IMPOSTOR }]), pays(5_000n)))
    expect(sightings.map(({ reference, amount }) => [reference, amount.units])).toEqual([[null, 5_000n]])
  })

  it('a fake watchdog changes nothing, and a second call of the watchdog names nothing', async () => {
    const beside = scriptOf([{ number: 11n, contract: IMPOSTOR }, { number: 10n }])
    expect((await look(calling(beside, pays(1n)))).map(({ reference }) => reference)).toEqual([10n])
    const twice = scriptOf([{ number: 10n }, { number: 11n }])
    expect((await look(calling(twice, pays(2n)))).map(({ reference }) => reference)).toEqual([null])
    const old = scriptOf([{ number: 10n }, { number: 10n, contract: OLD }])
    expect((await look(calling(old, pays(3n)))).map(({ reference }) => reference)).toEqual([null])
  })

  it('a call without a coin for us is nothing, and names no payment of another transaction', async () => {
    expect(await look(calling(scriptOf([{ number: 12n }]), pays(5n, lab.other.address)))).toEqual([])
    const both = async () => {
      await lab.post(calling(scriptOf([{ number: 12n }]), pays(5n, lab.other.address)))
      await lab.post({ outputs: [pays(6n)] })
    }
    expect((await seen(opened.adapter, both)).map(({ reference }) => reference)).toEqual([null])
  })

  it('with two coins for the treasury the number is ambiguous: neither gets it', async () => {
    const sightings = await look(calling(scriptOf([{ number: 13n }]), pays(5n), pays(6n)))
    expect(sightings.map(({ index, reference }) => [index, reference])).toEqual([
      [1, null],
      [2, null],
    ])
  })

  it.each([0n, MAX_REFERENCE + 1n, 2n ** 64n - 1n])('%i is no number of a swap', async (number) => {
    const [only] = await look(calling(scriptOf([{ number }]), pays(5n)))
    expect(only?.reference).toBeNull()
  })

  it("a script's own payment is credited, with its number", async () => {
    const script = scriptOf([{ number: 14n }], 'return', { output: 1, to: home(), units: 4_321, asset: base })
    const variable = { type: 'variable', to: `0x${'00'.repeat(32)}`, units: 0n, asset: `0x${'00'.repeat(32)}` } as const
    const [only, ...more] = await look(calling(script, variable))
    expect(only).toMatchObject({ index: 1, reference: 14n, amount: { units: 4_321n } })
    expect(more).toEqual([])
  })

  it('change that is sent to us is money without a number', async () => {
    const rest = { type: 'change', to: home(), units: 0n, asset: base } as const
    const before = await lab.units(lab.sender.address)
    const sightings = await look(calling(scriptOf([{ number: 15n }]), pays(5n), rest))
    expect(sightings.map(({ index, reference }) => [index, reference])).toEqual([
      [1, 15n],
      [2, null],
    ])
    const after = await lab.units(lab.sender.address)
    const got = sightings.reduce((sum, { amount }) => sum + amount.units, 0n)
    expect(before - after - got).toBeGreaterThan(0n)
    expect(before - after - got).toBeLessThan(100_000n)
    expect(sightings.map(({ refundableSender: from }) => from)).toEqual([null, null])
  })
})

describe('a script that fails', () => {
  it('still pays its coins: they are sighted without a number, and never called failed', async () => {
    let txHash = ''
    const letter = calling(scriptOf([{ number: 16n }], 'revert'), pays(777n))
    const sightings = await seen(opened.adapter, async () => {
      txHash = await lab.post(letter)
    })
    expect(sightings).toMatchObject([
      { reference: null, amount: { units: 777n }, refundableSender: lab.sender.address },
    ])
    expect(await inspected(opened.adapter, txHash)).toMatchObject({ state: 'included', sightings })
    expect(await lab.coins(home())).toContainEqual(expect.objectContaining({ txId: txHash, index: 1, units: 777n }))
  })

  it('is credited at a deposit address', async () => {
    const address = (await opened.adapter.depositAddresses?.derive(5)) ?? ''
    const sightings = await look(calling(scriptOf([{ number: 17n }], 'revert'), pays(778n, address)), address)
    expect(sightings).toMatchObject([{ to: address, reference: null, amount: { units: 778n } }])
  })

  it('pays nothing that the script would have paid, and is failed if nothing is left for us', async () => {
    const script = scriptOf([{ number: 18n }], 'revert', { output: 1, to: home(), units: 4_321, asset: base })
    const variable = { type: 'variable', to: `0x${'00'.repeat(32)}`, units: 0n, asset: `0x${'00'.repeat(32)}` } as const
    let txHash = ''
    const sightings = await seen(opened.adapter, async () => {
      txHash = await lab.post(calling(script, variable))
    })
    expect(sightings).toEqual([])
    expect(await inspected(opened.adapter, txHash)).toMatchObject({ state: 'failed', confirmations: 1 })
  })
})

describe('what it is', () => {
  it('an asset that is not listed is not sighted', async () => {
    const coins = [{ owner: lab.sender.address, asset: UNLISTED, units: '1000' }]
    await lab.command('devnet_fund', { coins })
    expect(await look({ outputs: [pays(1_000n, home(), UNLISTED)] })).toEqual([])
  })

  it('two outputs to two addresses are two deposits, and several assets are each their own', async () => {
    const [one = '', two = ''] = await Promise.all(
      [1, 2].map((index) => opened.adapter.depositAddresses?.derive(index)),
    )
    const usdc = lab.usdc.contract ?? ''
    const letter = { outputs: [pays(5n, one), pays(6n, two), pays(7n, one), pays(8n, one, usdc)] }
    const sightings = await look(letter, one, two)
    expect(sightings.map(({ index, to, amount }) => [index, to, amount.token.symbol, amount.units])).toEqual([
      [0, one, 'ETH', 5n],
      [1, two, 'ETH', 6n],
      [2, one, 'ETH', 7n],
      [3, one, 'USDC', 8n],
    ])
    expect((await look(letter)).length, 'somebody else does not see them').toBe(0)
  })

  it('our own payouts, their change and what is split of it are no deposits', async () => {
    const { adapter } = opened
    const attempt = await draw(adapter, payment(adapter, [await lab.stranger('change'), lab.native, 5_000n]))
    const sightings = await seen(adapter, async () => {
      await adapter.broadcast(attempt.signed)
      await lab.mine()
    })
    expect(sightings).toEqual([])
    expect(await inspected(adapter, attempt.signed.hash)).toMatchObject({ state: 'included', sightings: [] })
  })

  it('the same transaction re-included with other change is reported as it is now', async () => {
    const rest = { type: 'change', to: home(), units: 0n, asset: base } as const
    const { raw } = await written(lab.place, lab.other, { outputs: [rest] })
    await lab.mine(3)
    const txHash = await resend(lab, raw)
    await lab.mine()
    const amountOf = async () => {
      const inspection = await inspected(opened.adapter, txHash)
      return inspection.state === 'included'
        ? inspection.sightings.map(({ amount, index }) => [index, amount.units])
        : []
    }
    const [[, before = 0n] = []] = await amountOf()
    await lab.devnet.reorg(lab.network.name, 1)
    expect(await inspected(opened.adapter, txHash)).toEqual({ state: 'unknown' })
    await lab.command('devnet_price', { price: '40000' })
    await resend(lab, raw)
    await lab.mine()
    const [[index, after = 0n] = []] = await amountOf()
    await lab.command('devnet_price', { price: '20000' })
    expect(index).toBe(0)
    expect(after).toBeLessThan(before as bigint)
  })
})

describe('who sent it', () => {
  const CODE = Buffer.from('2404000000000000', 'hex')
  const coded = predicateAddress(CODE)
  /** A coin guarded by a predicate that anyone may satisfy. */
  async function guarded(units = 1_000_000n) {
    await lab.command('devnet_fund', { coins: [{ owner: coded, asset: base, units: units.toString() }] })
    const [coin] = await lab.coins(coded)
    if (!coin) throw new Error('it was funded')
    return coinInput(coin, 0, CODE)
  }

  it('the owner of all coins, if the change went back to it', async () => {
    const [plain] = await look({ outputs: [pays(5n)] })
    expect(plain).toMatchObject({ refundableSender: lab.sender.address, fundingAddresses: [lab.sender.address] })
    const elsewhere = { type: 'change', to: lab.other.address, units: 0n, asset: base } as const
    const [redirected] = await look({ outputs: [pays(5n), elsewhere] })
    expect(redirected).toMatchObject({ refundableSender: null, fundingAddresses: [lab.sender.address] })
  })

  it('none if two have paid, and both are named', async () => {
    const [joint] = await look({ outputs: [pays(5n)], others: [lab.other] })
    expect(joint?.refundableSender).toBeNull()
    expect(joint?.fundingAddresses.toSorted()).toEqual([lab.sender.address, lab.other.address].toSorted())
  })

  it('a wallet behind a predicate is refundable, an order behind a predicate is not', async () => {
    const back = { type: 'change', to: coded, units: 0n, asset: base } as const
    const [wallet] = await look({ inputs: [await guarded()], outputs: [pays(5n), back] })
    expect(wallet).toMatchObject({ refundableSender: coded, fundingAddresses: [coded] })
    const [order] = await look({ inputs: [await guarded()], outputs: [pays(5n)], withoutChange: [base] })
    expect(order).toMatchObject({ refundableSender: null, fundingAddresses: [coded] })
  })

  it('a predicate payment submitted by another account names nothing: the payer did not sign the number', async () => {
    const script = scriptOf([{ number: 19n }])
    const alone = calling(script, pays(5n), { type: 'change', to: coded, units: 0n, asset: base })
    const [own] = await look({ ...alone, inputs: [...(script.inputs ?? []), await guarded()] })
    expect(own?.reference).toBe(19n)
    const filled = calling(script, pays(5_000_000n))
    const [shared] = await look({ ...filled, inputs: [...(script.inputs ?? []), await guarded(4_000_000n)] })
    expect(shared).toMatchObject({ reference: null, refundableSender: null, amount: { units: 5_000_000n } })
    expect(shared?.fundingAddresses).toHaveLength(2)
  })
})
