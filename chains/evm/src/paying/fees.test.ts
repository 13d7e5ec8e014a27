import { RetryLater } from '@causeway/core'
import { describe, expect, test } from 'vitest'
import { sampleNetwork } from '../../../../tests/support/chains/samples.ts'
import type { EvmChain } from '../chain.ts'
import { Refusal } from '../node/node.ts'
import { parseSettings } from '../settings.ts'
import { fees, termsAbove, termsNow } from './fees.ts'

const GWEI = 10n ** 9n
const ETH = { symbol: 'ETH', contract: null, decimals: 18 }
const ceilings = { max_fee_gwei: 100, max_tip_gwei: 5, min_tip_gwei: 1 }
const settings = parseSettings(sampleNetwork([ETH], { name: 'ETHEREUM_SEPOLIA', type: 'evm', settings: ceilings }))
const head = (baseFee: bigint | null) => ({ number: 1n, hash: '0x', parentHash: '0x', logsBloom: '0x', baseFee })

describe('terms', () => {
  test('leave room for the base fee to double', () => {
    expect(termsNow(settings, head(20n * GWEI), 2n * GWEI)).toEqual({
      maxFeePerGas: 42n * GWEI,
      maxPriorityFeePerGas: 2n * GWEI,
    })
  })

  test('keep the tip within its bounds, and use the default if the node suggests none', () => {
    expect(termsNow(settings, head(1n), 90n * GWEI).maxPriorityFeePerGas).toBe(5n * GWEI)
    expect(termsNow(settings, head(1n), 3n).maxPriorityFeePerGas).toBe(1n * GWEI)
    const refusal = new Refusal('eth_maxPriorityFeePerGas', -32601, 'not found', null)
    expect(termsNow(settings, head(1n), refusal).maxPriorityFeePerGas).toBe(1n * GWEI)
  })

  test('stop at the ceiling, and wait if gas already costs more than that', () => {
    expect(termsNow(settings, head(80n * GWEI), 2n * GWEI).maxFeePerGas).toBe(100n * GWEI)
    expect(() => termsNow(settings, head(99n * GWEI), 2n * GWEI)).toThrow(RetryLater)
    expect(() => termsNow(settings, head(null), 2n * GWEI)).toThrow(/EIP-1559/)
  })

  test('of a replacement are an eighth above the old ones and at least what is usual today', () => {
    const old = { maxFeePerGas: 41n, maxPriorityFeePerGas: 0n }
    expect(termsAbove(settings, old, { maxFeePerGas: 10n, maxPriorityFeePerGas: 0n })).toEqual({
      maxFeePerGas: 47n,
      maxPriorityFeePerGas: 1n,
    })
    expect(termsAbove(settings, old, { maxFeePerGas: 90n, maxPriorityFeePerGas: 7n })).toEqual({
      maxFeePerGas: 90n,
      maxPriorityFeePerGas: 7n,
    })
    const high = { maxFeePerGas: 95n * GWEI, maxPriorityFeePerGas: 1n }
    expect(() => termsAbove(settings, high, old)).toThrow(RetryLater)
  })
})

describe('fees', () => {
  const CEILING = 300n
  const bounded = parseSettings(
    sampleNetwork([ETH], { name: 'ETHEREUM_SEPOLIA', type: 'evm', settings: { max_fee_gwei: Number(CEILING) } }),
  )

  function chainWith(baseFee: bigint, past: bigint | null): EvmChain {
    const node = { settle: async () => [head(baseFee), GWEI], ask: async () => [] }
    const prices = Array.from({ length: past === null ? 0 : 20 }, (_, i) => ({
      baseFee: past ?? 0n,
      tip: GWEI,
      at: Date.now() - (i + 1) * 60_000,
    })).toReversed()
    const rpc = { use: (work: (one: unknown) => unknown) => work(node) }
    return { settings: bounded, facts: { prices, plainGas: null }, rpc } as unknown as EvmChain
  }

  test('of a token transfer are never above what could be signed', async () => {
    const { tokenTransfer } = await fees(chainWith(1_000_000n * GWEI, 20n * GWEI))
    expect(tokenTransfer).toBeLessThanOrEqual(65_000n * CEILING * GWEI)
    expect((await fees(chainWith(1_000_000n * GWEI, null))).tokenTransfer).toBe(65_000n * CEILING * GWEI)
  })

  test('are at most ten times the median of the last half hour, as payouts are', async () => {
    expect((await fees(chainWith(290n * GWEI, 2n * GWEI))).tokenTransfer).toBe(65_000n * 30n * GWEI)
    expect((await fees(chainWith(20n * GWEI, 2n * GWEI))).tokenTransfer).toBe(65_000n * 21n * GWEI)
  })
})
