/** UTXO selection: as few as suffice, plus small ones while blocks are cheap. */
import type { Order } from '@causeway/core'
import { expect, test } from 'vitest'
import { sampleNetwork } from '../../../../tests/support/chains/samples.ts'
import { publicKeyAddress, publicKeyScript } from '../address.ts'
import type { BitcoinChain } from '../chain.ts'
import { CHAINS, parseSettings } from '../settings.ts'
import { chooseCoins, type DraftCoin, outputsFor } from './order.ts'

const network = sampleNetwork([{ symbol: 'BTC', contract: null, decimals: 8 }], {
  name: 'BITCOIN_REGTEST',
  type: 'bitcoin',
  settings: { chain: 'regtest', quiet_fee_rate: 3 },
})
const { prefixes } = CHAINS.regtest
const key = Uint8Array.of(2, ...new Array<number>(32).fill(7))
const treasury = publicKeyAddress(key, prefixes)
const settings = parseSettings(network)
const chain = { network, settings, prefixes, treasury, treasuryScript: publicKeyScript(key) } as BitcoinChain
const order: Order = {
  kind: 'transfers',
  account: treasury,
  transfers: [{ to: treasury, amount: { token: network.nativeToken, units: 100_000n } }],
}
const coin = (number: number, units: bigint): DraftCoin => ({
  part: `${number.toString(16).padStart(64, '0')}:0`,
  units,
  isConfirmed: true,
  source: null,
})
const many = (count: number, units: bigint) => Array.from({ length: count }, (_, number) => coin(number, units))
const terms = (rate: bigint, coins: DraftCoin[], leastFee = 0n) => ({ rate, leastFee, coins })

test('while blocks are cheap a payout also spends the smallest coins, and leaves thirty', () => {
  const large = coin(999, 500_000n)
  const small = many(45, 20_000n)
  const chosen = chooseCoins(chain, order, [large, ...small], terms(3_000n, [])) ?? []
  expect(chosen.map(({ part }) => part)).toEqual([large.part, ...small.slice(0, 15).map(({ part }) => part)])
  const outputs = outputsFor(chain, order, chosen, terms(3_000n, [])) ?? []
  expect(outputs).toHaveLength(2)
  // Sixteen inputs of 68 virtual bytes, two outputs of 31, and the overhead.
  const fee = 800_000n - outputs.reduce((sum, { units }) => sum + units, 0n)
  expect(fee).toBe(3_483n)
})

test('none are added at a higher rate, in a replacement, from few coins, or if barely worth their cost', () => {
  const large = coin(999, 500_000n)
  const alone = [large.part]
  const parts = (coins: DraftCoin[], rate: bigint, leastFee = 0n) =>
    chooseCoins(chain, order, coins, terms(rate, [], leastFee))?.map(({ part }) => part)
  expect(parts([large, ...many(45, 20_000n)], 3_001n)).toEqual(alone)
  expect(parts([large, ...many(45, 20_000n)], 3_000n, 1n)).toEqual(alone)
  expect(parts([large, ...many(30, 20_000n)], 3_000n)).toEqual(alone)
  expect(parts([large, ...many(45, 800n)], 3_000n)).toEqual(alone)
  const unconfirmed = { ...large, isConfirmed: false }
  expect(parts([unconfirmed, ...many(45, 1_000n)], 3_000n)).toEqual(alone)
})
