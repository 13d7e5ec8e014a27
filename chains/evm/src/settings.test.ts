import type { Network } from '@causeway/core'
import { describe, expect, test } from 'vitest'
import { sampleNetwork } from '../../../tests/support/chains/samples.ts'
import { chainIdOf, parseSettings } from './settings.ts'

const ETH = { symbol: 'ETH', contract: null, decimals: 18 }
const testNetwork = (changes: Partial<Network> = {}) =>
  sampleNetwork([ETH], { name: 'ETHEREUM_SEPOLIA', type: 'evm', chainId: '11155111', ...changes })

describe('settings', () => {
  test('without settings the defaults apply', () => {
    expect(parseSettings(testNetwork())).toMatchObject({
      maxFeePerGas: 500_000_000_000n,
      scanBlocks: 50,
      depositAddresses: true,
    })
  })

  test('gwei are read exactly, also fractions', () => {
    expect(parseSettings(testNetwork({ settings: { max_fee_gwei: 0.07 } })).maxFeePerGas).toBe(70_000_000n)
    expect(parseSettings(testNetwork({ settings: { min_tip_gwei: 30 } })).minTipPerGas).toBe(30_000_000_000n)
  })

  test.each([
    ['a text for a number', { scan_blocks: '50' }, /scan_blocks must be a whole number from 1 to 1000/],
    ['too large a number', { scan_blocks: 5000 }, /scan_blocks must be a whole number from 1 to 1000/],
    ['a negative fee', { max_fee_gwei: -1 }, /max_fee_gwei must be a number of gwei/],
    ['a misspelt name', { max_fee: 5 }, /max_fee is unknown here, there are fee_model, max_fee_gwei, /],
    ['no address', { depository_owner: '0x12' }, /depository_owner must be an address/],
    ['one address for a list', { old_depositories: '0x12' }, /old_depositories must be a list of addresses/],
    ['a list with something else', { old_depositories: [7] }, /old_depositories must be an address/],
    ['a text for a truth', { deposit_addresses: 'no' }, /deposit_addresses must be true or false/],
  ])('%s is refused by name', (_, settings, message) => {
    expect(() => parseSettings(testNetwork({ settings }))).toThrow(message)
  })

  test('addresses are read in their canonical form', () => {
    const settings = { depository: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', old_depositories: [] }
    expect(parseSettings(testNetwork({ settings })).depository).toBe('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')
  })

  test('a chain id is needed', () => {
    expect(() => chainIdOf(testNetwork({ chainId: null }))).toThrow(/chain_id/)
    expect(() => chainIdOf(testNetwork({ chainId: 'mainnet' }))).toThrow(/chain_id/)
  })
})
