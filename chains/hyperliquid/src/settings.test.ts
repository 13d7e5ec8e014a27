/** Settings: their defaults, and that each mistake is reported by name before anything is opened. */
import type { Network } from '@causeway/core'
import { describe, expect, it } from 'vitest'
import { sampleNetwork } from '../../../tests/support/chains/samples.ts'
import { family } from './index.ts'
import { parseSettings, wireOf } from './settings.ts'

const HYPE = '0x2222222222222222222222222222222222222222'
const WIRES = { [HYPE]: 'HYPE:0x0d01dc56dcaaca66ad901c959b4011ec' }

const networkOf = (settings: Record<string, unknown>, decimals = 8): Network =>
  sampleNetwork(
    [
      { symbol: 'USDC', contract: null, decimals },
      { symbol: 'HYPE', contract: HYPE, decimals: 8 },
    ],
    { name: 'HYPERLIQUID_MAINNET', type: 'hyperliquid', settings },
  )

describe('settings', () => {
  it('have defaults, and USDC follows from the network', () => {
    const network = networkOf({ hyperliquid_chain: 'Mainnet', tokens: WIRES })
    const settings = parseSettings(network)
    expect(settings).toMatchObject({ chain: 'Mainnet', activationFee: 100_000_000n, floor: 500_000_000n })
    expect(network.tokens.map((token) => wireOf(settings, token).wire)).toEqual([
      'USDC:0x6d1e7cde53ba9467b783cb7c530ce054',
      'HYPE:0x0d01dc56dcaaca66ad901c959b4011ec',
    ])
    const test = networkOf({ hyperliquid_chain: 'Testnet', tokens: WIRES })
    expect(wireOf(parseSettings(test), test.nativeToken).wire).toBe('USDC:0xeb62eee3685fc4c43992febcd9e75443')
  })

  it.each([
    [{}, 'hyperliquid_chain must be Mainnet or Testnet'],
    [{ hyperliquid_chain: 'mainnet' }, 'hyperliquid_chain must be'],
    [{ treasury_floor: '0' }, 'treasury_floor must be'],
    [{ treasury_floor: 5 }, 'treasury_floor must be'],
    [{ max_fee: '0.5' }, 'max_fee must not be below activation_fee'],
    [{ max_fee: '1,5' }, 'max_fee must be'],
    [{ weight_per_minute: 1.5 }, 'weight_per_minute must be'],
    [{ explorer_url: 'nowhere' }, 'explorer_url must be'],
    [{ tokens: {} }, 'tokens must be'],
    [{ tokens: { [HYPE]: 'HYPE:0x0D01dc56dcaaca66ad901c959b4011ec' } }, 'tokens must be'],
    [{ tokens: { [HYPE]: 'USDC:0x0d01dc56dcaaca66ad901c959b4011ec' } }, 'tokens must be another name'],
    [{ tokens: { [HYPE]: 'HYPE:0x6d1e7cde53ba9467b783cb7c530ce054' } }, 'tokens must be another name'],
    [{ tokens: { ...WIRES, '0x01': 'PURR:0x0d01dc56dcaaca66ad901c959b4011ec' } }, 'about listed tokens only'],
    [{ flor: '5' }, 'setting flor is unknown here'],
  ])('%j is refused: %s', (settings, words) => {
    const base = 'hyperliquid_chain' in settings || words.includes('Mainnet or') ? {} : { hyperliquid_chain: 'Mainnet' }
    expect(() => parseSettings(networkOf({ tokens: WIRES, ...base, ...settings }))).toThrow(words)
  })

  it('USDC of six decimals is refused: a deposit of eight would not fit', () => {
    expect(() => parseSettings(networkOf({ hyperliquid_chain: 'Mainnet', tokens: WIRES }, 6))).toThrow('8 decimals')
  })

  it('the two networks sign different data despite one chain id, and one holds real money', () => {
    const [main, test] = ['Mainnet', 'Testnet'].map((chain) => networkOf({ hyperliquid_chain: chain, tokens: WIRES }))
    if (!main || !test) throw new Error('two networks')
    expect(family.domain?.(main)).not.toBe(family.domain?.(test))
    expect(family.holdsRealMoney?.(main)).toBe(true)
    expect(family.holdsRealMoney?.(test)).toBe(false)
    expect(family.feeBounds?.(main)).toEqual({ payment: 400_000_000n, hour: 60_000_000_000n })
  })
})
