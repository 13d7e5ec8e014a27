import { callNode } from '@causeway/chain-kit'
import { FeeAboveLimit } from '@causeway/core'
import { expect, test } from 'vitest'
import { sampleNetwork } from '../../../../tests/support/chains/samples.ts'
import type { BitcoinChain } from '../chain.ts'
import { Refusal } from '../node/node.ts'
import { parseSettings } from '../settings.ts'
import { feeRate, fees } from './fees.ts'

const BTC = { symbol: 'BTC', contract: null, decimals: 8 }
const rates = { chain: 'regtest', min_fee_rate: 2, max_fee_rate: 50, fallback_fee_rate: 10 }
const settings = parseSettings(sampleNetwork([BTC], { name: 'BITCOIN_REGTEST', type: 'bitcoin', settings: rates }))

/** The offered rate in sat per 1000 virtual bytes, by the node's estimate and its mempool minimum. */
function rateBy(estimate: bigint | null | Refusal, floor: bigint | Refusal): Promise<bigint> {
  const node = callNode('node', async () => [estimate, floor])
  return feeRate({ settings } as BitcoinChain, node)
}
const no = new Refusal('estimatesmartfee', -32601, 'not found')

test('the rate is the node’s estimate, or the fallback, and never below its mempool minimum', async () => {
  expect(await rateBy(7_000n, 1_000n)).toBe(7_000n)
  expect(await rateBy(null, 1_000n)).toBe(10_000n)
  expect(await rateBy(no, no)).toBe(10_000n)
  expect(await rateBy(1_000n, 1_000n)).toBe(2_000n)
  expect(await rateBy(7_000n, 9_000n)).toBe(9_000n)
})

test('above the operator’s ceiling nothing is offered, whether blocks cost that much or a node says so', async () => {
  expect(await rateBy(50_000n, 1_000n)).toBe(50_000n)
  await expect(rateBy(50_001n, 1_000n)).rejects.toThrow(FeeAboveLimit)
  await expect(rateBy(7_000n, 90_000n)).rejects.toThrow(FeeAboveLimit)
})

test('more than the ceiling is never charged either', async () => {
  const chargedAt = (estimate: bigint) => {
    const node = callNode('node', async () => [estimate, 1_000n])
    const rpc = { use: <T>(work: (one: typeof node) => Promise<T>) => work(node) }
    return fees({ settings, treasuryScript: new Uint8Array(22), rpc } as unknown as BitcoinChain)
  }
  expect(await chargedAt(900_000n)).toEqual(await chargedAt(50_000n))
  expect((await chargedAt(50_000n)).nativeTransfer).toBeGreaterThan((await chargedAt(49_000n)).nativeTransfer)
})

test('a treasury in small coins makes payouts cost more: a usual one spends many of them', async () => {
  const coin = (units: bigint) => ({ part: '', owner: '', units, madeAt: 1n, isCoinbase: false })
  const priceWith = async (...units: bigint[]) => {
    const node = callNode('node', async () => [10_000n, 1_000n])
    const book = { unspent: async () => ({ block: { number: 1n, hash: '' }, coins: units.map(coin) }) }
    const rpc = { use: (work: (asked: typeof node) => unknown) => work(node) }
    const chain = { settings, rpc, book, treasuryScript: new Uint8Array(22) } as unknown as BitcoinChain
    return (await fees(chain)).nativeTransfer
  }
  const whole = await priceWith(100_000_000n)
  expect(whole).toBe(2_210n)
  expect(await priceWith(...new Array<bigint>(100).fill(1_000_000n))).toBe(whole)
  expect(await priceWith(...new Array<bigint>(1_000).fill(100_000n))).toBe(whole + 18n * 680n)
  expect(await priceWith(50_000_000n, ...new Array<bigint>(1_000).fill(50_000n))).toBe(whole)
})
