/**
 * Attack A3 on Bitcoin: whatever the draft says about UTXOs and fees, at most the order and a bounded fee leave.
 * Decoded by bcoin.
 */
import { createRequire } from 'node:module'
import { family } from '@causeway/bitcoin'
import type { Order } from '@causeway/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openSigner, orRefused } from '../../../../tests/attacks/signer/signer.ts'
import { scriptOf } from '../../src/address.ts'
import { CHAINS } from '../../src/settings.ts'
import { loadBcoin } from './bcoin.ts'
import { testNetwork } from './test-network.ts'

const BTC = 100_000_000n
const network = testNetwork({ max_fee: '0.002', max_fee_rate: 100 })
const MOST_FEE = 200_000n
/** As permissive as a network file can be. */
const LAX = { max_fee: '21000000', max_fee_rate: 5_000, fallback_fee_rate: 5_000 }
const ALICE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080'

type Told = [part: string, units: string, isConfirmed: boolean, source: number | null]
const coin = (number: number, vout = 0) => `${number.toString(16).padStart(64, '0')}:${vout}`
const told = (part: string, units: bigint, source: number | null = null): Told => [part, `${units}`, true, source]
const draftOf = (coins: Told[], rate = 10_000n, leastFee = 0n) =>
  JSON.stringify({ rate: `${rate}`, leastFee: `${leastFee}`, coins })
const paying = (account: string, units: bigint, to = ALICE): Order => ({
  ...{ kind: 'transfers', account, transfers: [{ to, amount: { token: network.nativeToken, units } }] },
})

describe('the signer of a Bitcoin network', () => {
  it('leaves no ten coins to the miner for a payment of 0.0002', async () => {
    const { attacker, treasury } = await openSigner(family, network)
    const adapter = await attacker(LAX)
    const order = paying(treasury, 20_000n)
    const coins = [told(coin(1), 10n * BTC)]
    // Once by the claimed cost of a replacement, once by the rate.
    expect(await orRefused(adapter, order, [coin(1)], draftOf(coins, 1_000n, 10n * BTC - 20_000n))).toBeNull()
    expect(await orRefused(adapter, order, [coin(1)], draftOf(coins, 5_000_000n))).toBeNull()
    expect(await orRefused(adapter, order, [coin(1)], draftOf(coins, 1_000n, MOST_FEE + 1n))).toBeNull()
    const answer = await orRefused(adapter, order, [coin(1)], draftOf(coins))
    expect(read(answer?.bytes ?? '').outputs).toEqual([20_000n, 10n * BTC - 20_000n - 1_410n])
  })

  it('lets two lies about two coins never become one true transaction', async () => {
    const { askFor, attacker, treasury } = await openSigner(family, network)
    const adapter = await attacker(LAX)
    const order = paying(treasury, 20_000n)
    const slot = [coin(1), coin(2)]
    // Each draft is honest about one UTXO and pays a fair fee by its own claim. The valid signatures of both, combined,
    // would leave nearly ten coins to the miner.
    const first = draftOf([told(coin(1), 10n * BTC), told(coin(2), 1_000n)])
    const second = draftOf([told(coin(1), 1_000n), told(coin(2), 10n * BTC)])
    expect(await orRefused(adapter, order, slot, first)).not.toBeNull()
    expect(await orRefused(adapter, order, slot, second)).toBeNull()
    await expect(askFor({ network: network.name, order, slot, draft: second })).rejects.toThrow('slot_changed')
  })

  it('spends a deposit address for a sweep that names it, and for nothing else', async () => {
    const { askFor, treasury } = await openSigner(family, network)
    const order = paying(treasury, 20_000n)
    const ask = (asked: Order, source: number | null) =>
      askFor({
        ...{ network: network.name, order: asked, slot: [coin(1)], draft: draftOf([told(coin(1), BTC, source)]) },
      })
    await expect(ask(order, 5)).rejects.toThrow('that the order does not name')
    const sweep: Order = {
      kind: 'sweep',
      account: treasury,
      token: network.nativeToken,
      sources: [{ address: ALICE, index: 4 }],
    }
    await expect(ask(sweep, 5)).rejects.toThrow('that the order does not name')
    await expect(ask(sweep, null)).rejects.toThrow('that the order does not name')
  })

  it('accepts one spelling of a coin', async () => {
    const { askFor, treasury } = await openSigner(family, network)
    for (const part of [coin(1).replace(':0', ':00'), coin(1).toUpperCase().replace(/1:/, 'A:'), `${coin(1)} `]) {
      const intent = {
        ...{ network: network.name, order: paying(treasury, 20_000n), slot: [part] },
        draft: draftOf([told(part, BTC)]),
      }
      await expect(askFor(intent)).rejects.toThrow('not a slot')
    }
    const twice = { network: network.name, order: paying(treasury, 20_000n), slot: [coin(1), coin(1)] }
    await expect(askFor({ ...twice, draft: draftOf([told(coin(1), BTC)]) })).rejects.toThrow('not a slot')
  })
})

it('whatever order and draft it gets, a valid signature pays only the order and a bounded fee', async () => {
  const { attacker, treasury } = await openSigner(family, network, { max_fees_per_hour: '1000' })
  const adapter = await attacker(LAX)
  const home = Buffer.from(scriptOf(treasury, CHAINS.regtest.prefixes) ?? []).toString('hex')
  const alice = Buffer.from(scriptOf(ALICE, CHAINS.regtest.prefixes) ?? []).toString('hex')
  let number = 100
  let good = 0
  const rate = fc.oneof({ weight: 3, arbitrary: fc.bigInt(1_000n, 100_000n) }, fc.bigInt(-10n, 5_000_000n))
  const least = fc.oneof({ weight: 3, arbitrary: fc.constant(0n) }, fc.bigInt(0n, 300_000n), fc.bigInt(-10n, 20n * BTC))
  const holds = fc.bigInt(1_000n, 10n * BTC)
  // Mostly true: otherwise no signature would be valid, and nothing would be shown.
  const coins = fc.array(
    fc.record({ holds, lie: fc.oneof({ weight: 12, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: holds }) }),
    { minLength: 1, maxLength: 4 },
  )
  const units = fc.oneof(fc.bigInt(1_000n, BTC), fc.bigInt(1n, 12n * BTC))
  const shape = fc.record({ coins, units, rate, least, isCancel: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(shape, async ({ coins: owned, units: paid, rate: asked, least: fee, isCancel }) => {
      const slot = owned.map(() => coin(number++))
      const order: Order = isCancel ? { kind: 'cancel', account: treasury } : paying(treasury, paid)
      const draft = draftOf(
        owned.map((one, position) => told(slot[position] ?? '', one.lie ?? one.holds)),
        asked,
        fee,
      )
      const answer = await orRefused(adapter, order, slot, draft).catch((error: Error) => {
        // The attacker's own code finds no transaction in it.
        if (/do not cover|not a draft/.test(error.message)) return null
        throw error
      })
      if (!answer) return
      const found = read(answer.bytes)
      expect(found.spent).toEqual(slot)
      const isGood = owned.every((one, position) => found.verify(position, home, one.holds))
      expect(isGood).toBe(owned.every(({ holds: held, lie }) => lie === null || lie === held))
      if (!isGood) return
      good++
      const payments = isCancel ? [] : [{ script: alice, units: paid }]
      const rest = found.paid.slice(payments.length)
      expect(found.paid.slice(0, payments.length)).toEqual(payments)
      expect(rest.length <= 1 && rest.every(({ script }) => script === home)).toBe(true)
      const total = owned.reduce((sum, { holds: held }) => sum + held, 0n)
      const left = total - found.outputs.reduce((sum, one) => sum + one, 0n)
      expect(left >= 0n && left <= MOST_FEE).toBe(true)
    }),
    { numRuns: 80 },
  )
  expect(good).toBeGreaterThan(5)
})

/** The transaction as decoded by bcoin. */
function read(hex: string) {
  const { TX } = loadBcoin()
  const require = createRequire(import.meta.url)
  const Script: { fromRaw(bytes: Buffer): unknown } = require('bcoin/lib/script/script')
  const tx = TX.fromRaw(Buffer.from(hex, 'hex')) as unknown as {
    inputs: { prevout: { txid(): string; index: number } }[]
    outputs: { value: number; script: { toRaw(): Buffer } }[]
    verifyInput(index: number, coin: { script: unknown; value: number }): boolean
  }
  return {
    spent: tx.inputs.map(({ prevout }) => `${prevout.txid()}:${prevout.index}`),
    outputs: tx.outputs.map(({ value }) => BigInt(value)),
    paid: tx.outputs.map(({ value, script }) => ({ script: script.toRaw().toString('hex'), units: BigInt(value) })),
    verify: (index: number, script: string, units: bigint) =>
      tx.verifyInput(index, { script: Script.fromRaw(Buffer.from(script, 'hex')), value: Number(units) }),
  }
}
