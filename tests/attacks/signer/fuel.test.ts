/**
 * Attacks A3 and A6 on Fuel: whatever the draft says, only the order and a bounded fee leave, and the signature is
 * valid on one network.
 */
import type { Network, Order, Token } from '@causeway/core'
import { family } from '@causeway/fuel'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Decoded, decodeScript, recovered, transactionId, unhex } from '../../../chains/fuel/local/src/codec.ts'
import { mnemonicSigner } from '../../../server/src/keys/keystore/mnemonic.ts'
import { refuseSharedDomains } from '../../../server/src/keys/signer-process/replay-domains.ts'
import { sampleNetwork } from '../../support/chains/samples.ts'
import { openSigner, orRefused, PHRASE, quiet } from './signer.ts'

const BASE = '0xf8f8b6283d7fa5b672b530cbb84fcccb4ff8dc40f8176ef4544ddb1f1952ad07'
const USDC = '0x286c479da40dc953bddc3bb4c453b608bba2e0ac483b077bd475174115395e6b'
const [ALICE, BOB] = [`0x${'a1'.repeat(32)}`, `0x${'b0'.repeat(32)}`]
const KEY = { curve: 'secp256k1', path: "m/44'/1179993420'/0'/0/0" } as const
/** In base units: 0.0005 coins. */
const MAX_FEE = 500_000n

const networkOf = (name: string, chainId: string): Network =>
  sampleNetwork(
    [
      { symbol: 'ETH', contract: null, decimals: 9 },
      { symbol: 'USDC', contract: USDC, decimals: 6 },
    ],
    { name, type: 'fuel', chainId },
  )
const mainnet = networkOf('FUEL_MAINNET', '9889')
const testnet = networkOf('FUEL_TESTNET', '0')
const [eth, usdc] = mainnet.tokens as [Token, Token]

const coin = (number: number) => `0x${number.toString(16).padStart(64, '0')}:0`
const slotOf = (...parts: string[]) => [...parts, `until:700:${parts[0]}`]
const paying = (account: string, ...transfers: [Token, bigint, string][]): Order => ({
  ...{ kind: 'transfers', account },
  transfers: transfers.map(([token, units, to]) => ({ to, amount: { token, units } })),
})
/** Gas price, price factor, and gas per transaction, per byte and per signature. */
const PRICING = ['40000', '1150000', '5020', '65', '26135']
const draftOf = (coins: [string, string, string, number | null][], changes: Record<string, unknown> = {}) =>
  JSON.stringify({ pricing: PRICING, tip: '0', head: '100', splits: [], coins, ...changes })
const RICH: [string, string, string, null][] = [
  [coin(1), BASE, '1000000000000', null],
  [coin(2), USDC, '5000000000', null],
]
const both = slotOf(coin(1), coin(2))

describe('the signer of a Fuel network', () => {
  it('leaves no more for the fee than its own file allows, by price, by size or by tip', async () => {
    const { attacker, treasury } = await openSigner(family, mainnet)
    const thief = await attacker({ max_fee: '1000' })
    const order = paying(treasury, [eth, 1n, ALICE])
    const one = slotOf(coin(1))
    for (const changes of [
      { tip: '500000000000' },
      { tip: MAX_FEE.toString() },
      { pricing: ['40000000000', ...PRICING.slice(1)] },
      { pricing: ['40000', '1', ...PRICING.slice(2)] },
      { pricing: ['40000', '1150000', '99999999999', '65', '26135'] },
    ]) {
      expect(await orRefused(thief, order, one, draftOf(RICH, changes)), JSON.stringify(changes)).toBeNull()
    }
    const honest = await orRefused(thief, order, one, draftOf(RICH))
    expect(read(honest?.bytes).maxFee).toBeLessThan(MAX_FEE)
  })

  it('spends no coin of a deposit address for a payout, and none that a sweep does not name', async () => {
    const { askFor, treasury } = await openSigner(family, mainnet)
    const [paid, swept] = [paying(treasury, [eth, 1n, ALICE]), sweepOf(treasury, 3)]
    const asked: [Order, [string, string, string, number | null]][] = [
      [paid, [coin(1), BASE, '1000000000', 3]],
      [swept, [coin(1), BASE, '1000000000', 4]],
      [swept, [coin(1), USDC, '1000000000', null]],
      [{ kind: 'cancel', account: treasury }, [coin(1), BASE, '1000000000', 3]],
    ]
    for (const [order, given] of asked) {
      const intent = { network: mainnet.name, order, slot: slotOf(coin(1)), draft: draftOf([given]) }
      await expect(askFor(intent)).rejects.toThrow('does not name')
    }
  })

  it('counts every one of a chain of slots that share a coin: the first and the third can both be mined', async () => {
    const { attacker, treasury } = await openSigner(family, mainnet, {
      tokens: { ETH: { max: '1', max_per_hour: '2.5' } },
    })
    const thief = await attacker()
    const order = paying(treasury, [eth, 10n ** 9n, ALICE])
    const coins = [1, 2, 3, 4, 5, 6].map((number) => [coin(number), BASE, '4000000000', null] as const)
    const slots = [1, 2, 3, 4, 5].map((number) => slotOf(coin(number), coin(number + 1)))
    const signed: boolean[] = []
    for (const slot of slots) {
      const draft = draftOf(coins.filter(([part]) => slot.includes(part)).map((one) => [...one]))
      signed.push((await orRefused(thief, order, slot, draft)) !== null)
    }
    expect(signed).toEqual([true, true, false, false, false])
  })

  it('signs nothing but the transaction of the order itself', async () => {
    const { signer, treasury } = await openSigner(family, mainnet)
    const order = paying(treasury, [eth, 1n, ALICE])
    const intent = { network: mainnet.name, order, slot: slotOf(coin(1)), draft: draftOf(RICH) }
    await expect(signer.sign(KEY, new Uint8Array(32).fill(7), intent)).rejects.toThrow('no bare digest')
  })

  it('knows one spelling of a slot: a coin is never signed for two orders', async () => {
    const { askFor, attacker, treasury } = await openSigner(family, mainnet)
    const adapter = await attacker()
    const draft = draftOf(RICH)
    const first = paying(treasury, [eth, 1n, ALICE])
    expect(await orRefused(adapter, first, slotOf(coin(1)), draft)).not.toBeNull()
    const rival = paying(treasury, [eth, 1n, BOB])
    for (const slot of [
      slotOf(coin(1)),
      both,
      [coin(1), `until:900:${coin(1)}`],
      [coin(2), coin(1), `until:700:${coin(2)}`],
    ]) {
      await expect(adapter.sign(rival, slot, draft), slot.join()).rejects.toThrow('was signed for another order')
    }
    const spellings = [
      [coin(1)],
      [`until:700:${coin(1)}`],
      [coin(1), `until:0700:${coin(1)}`],
      [coin(1), `until:700:${coin(2)}`],
      [coin(1), `until:4294967296:${coin(1)}`],
      [coin(1).replace('0x', '0X'), `until:700:${coin(1)}`],
      [`${coin(1).slice(0, -1)}00`, `until:700:${coin(1).slice(0, -1)}00`],
      [coin(1), coin(1), `until:700:${coin(1)}`],
      [coin(1), `until:700:${coin(1)}`, `until:701:${coin(1)}`],
      [`${coin(1).slice(0, -1)}65536`, `until:700:${coin(1).slice(0, -1)}65536`],
    ]
    for (const slot of spellings) {
      const intent = { network: mainnet.name, order: rival, slot, draft }
      await expect(askFor(intent), slot.join()).rejects.toThrow('not a slot')
    }
  })
})

describe('what is signed on a test network', () => {
  it('recovers to another signer on the main network: the chain id is part of what is signed', async () => {
    const keys = mnemonicSigner(PHRASE)
    const adapter = await family.open({ network: testnet, signer: keys, log: quiet })
    const order = paying(adapter.treasury, [{ ...eth, network: testnet.name }, 1n, ALICE])
    const { bytes, hash } = await adapter.sign(order, slotOf(coin(1)), draftOf(RICH))
    const decoded = read(bytes)
    const [witness = Buffer.alloc(0)] = decoded.witnesses
    expect(transactionId(decoded, 0n)).toBe(hash)
    expect(recovered(witness, hash)).toBe(adapter.treasury)
    const elsewhere = recovered(witness, transactionId(decoded, 9_889n))
    expect(elsewhere).not.toBe(adapter.treasury)
    expect(await family.treasury(mainnet, keys)).toBe(adapter.treasury)
    const families = async () => family
    await refuseSharedDomains({ networks: [mainnet, testnet] } as never, families)
    const same = networkOf('FUEL_ALIAS', '9889')
    await expect(refuseSharedDomains({ networks: [mainnet, same] } as never, families)).rejects.toThrow(
      'FUEL_MAINNET too',
    )
  })
})

it('whatever order and draft it gets, its signature pays only the order and a bounded fee', async () => {
  const { attacker, treasury } = await openSigner(family, mainnet, { max_fees_per_hour: '1000000' })
  const [honest, lax] = [await attacker(), await attacker({ max_fee: '1000000' })]
  let number = 10
  let signed = 0
  const transfer = fc.tuple(
    fc.constantFrom(eth, usdc),
    fc.bigInt(1n, 10n ** 12n),
    fc.constantFrom(ALICE, BOB, treasury),
  )
  const amount = fc.oneof({ weight: 6, arbitrary: fc.constant('9000000000000') }, fc.bigInt(0n, 2n ** 64n).map(String))
  const hostile = fc.record(
    {
      tip: fc.oneof(
        { weight: 6, arbitrary: fc.nat(1_000).map(String) },
        fc.bigInt(0n, 2n ** 64n).map(String),
        fc.constant(-1),
      ),
      pricing: fc.oneof(
        { weight: 6, arbitrary: fc.constant(PRICING) },
        fc.array(fc.bigInt(0n, 2n ** 40n).map(String), { minLength: 5, maxLength: 5 }),
      ),
      splits: fc.constantFrom(
        [],
        [[BASE, 5]],
        [
          [BASE, 12],
          [USDC, 3],
        ],
        [[USDC, 99]],
        [[ALICE, 2]],
      ),
      head: fc.constantFrom('100', '0', 'now'),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(transfer, { maxLength: 4 }),
      fc.tuple(amount, amount),
      hostile,
      fc.boolean(),
      async (transfers, [first, second], changes, isHonest) => {
        const order: Order =
          transfers.length === 0 ? { kind: 'cancel', account: treasury } : paying(treasury, ...transfers)
        const [one, two] = [coin(number++), coin(number++)]
        const coins: [string, string, string, null][] = [
          [one, BASE, first, null],
          [two, USDC, second, null],
        ]
        const slot = slotOf(one, two)
        const answer = await orRefused(isHonest ? honest : lax, order, slot, draftOf(coins, changes)).catch(
          (error: Error) => {
            if (/not a draft|do not cover|is the bound/.test(error.message)) return null
            throw error
          },
        )
        if (!answer) return
        signed++
        const { inputs, outputs, maxFee, tip, expiration } = read(answer.bytes)
        expect(inputs).toMatchObject([
          { utxo: utxoOf(one), owner: treasury, amount: BigInt(first), asset: BASE },
          { utxo: utxoOf(two), owner: treasury, amount: BigInt(second), asset: USDC },
        ])
        const paid = outputs.slice(0, transfers.length)
        expect(paid).toMatchObject(
          transfers.map(([{ contract }, units, to]) => ({ kind: 'coin', to, amount: units, asset: contract ?? BASE })),
        )
        const rest = outputs.slice(transfers.length)
        expect(rest.every((output) => 'to' in output && output.to === treasury)).toBe(true)
        const changed = rest.flatMap((output) => ('to' in output && output.kind === 'change' ? [output.asset] : []))
        expect(changed.toSorted()).toEqual([USDC, BASE])
        expect(maxFee).toBeLessThanOrEqual(MAX_FEE)
        expect(tip).toBeLessThanOrEqual(maxFee ?? 0n)
        expect(expiration).toBe(700n)
      },
    ),
    { numRuns: 200 },
  )
  expect(signed).toBeGreaterThan(5)
  expect(family.feeBounds?.(mainnet).payment).toBe(MAX_FEE)
})

function sweepOf(account: string, index: number): Order {
  return { kind: 'sweep', account, token: eth, sources: [{ address: ALICE, index }] }
}

function utxoOf(part: string): string {
  return `${part.split(':')[0]}0000`
}

function read(bytes = ''): Decoded {
  return decodeScript(unhex(bytes))
}
