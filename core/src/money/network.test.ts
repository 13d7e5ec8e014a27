import { describe, expect, test } from 'vitest'
import { GAS, networkOf, SOURCE, tokenOf } from '../fixtures.ts'
import { catalogueOf, confirmationsFor, findNetwork, findToken, tokenKey } from './network.ts'

const ALPHA = networkOf({})
const TEN = networkOf({ name: 'TEN', chainId: '10' })
const MEMO = networkOf({ name: 'MEMO', chainId: null })
const NETWORKS = [ALPHA, TEN, MEMO]

describe('a network is found', () => {
  test.each([
    ['ALPHA', ALPHA],
    ['alpha', ALPHA],
    ['10', TEN],
    ['1', ALPHA],
    ['MEMO', MEMO],
  ])('by %s', (text, network) => expect(findNetwork(NETWORKS, text)).toBe(network))

  test.each(['', 'null', '2', 'ALPH', ' ALPHA', '010'])('but not by %j', (text) => {
    expect(findNetwork(NETWORKS, text)).toBe(null)
  })

  test('by an alias, unless another one has that name', () => {
    const known = networkOf({ name: 'NEW_NAME', aliases: ['OLD_NAME'] })
    expect(findNetwork([...NETWORKS, known], 'old_name')).toBe(known)
    const named = networkOf({ name: 'OLD_NAME' })
    expect(findNetwork([known, named], 'OLD_NAME')).toBe(named)
  })

  test('a chain id of another family finds nothing', () => {
    expect(findNetwork([networkOf({ name: 'OTHER', type: 'fuel', chainId: '0' })], '0')).toBe(null)
  })

  test('by its name before another one by its chain id', () => {
    const named = networkOf({ name: '10', chainId: '99' })
    expect(findNetwork([TEN, named], '10')).toBe(named)
  })
})

describe('a token is found', () => {
  const contract = `0x${'ab'.repeat(20)}`
  const zero = `0x${'00'.repeat(20)}`
  const listed = tokenOf({ contract })
  const network = networkOf({ tokens: [GAS, tokenOf({ contract: `0x${'cd'.repeat(20)}`, symbol: 'USDC.e' }), listed] })
  const naming = {
    nativeAddress: zero,
    parseAddress: (text: string) => (/^0x[0-9a-f]{40}$/i.test(text) ? text.toLowerCase() : null),
  }

  test.each([
    ['its contract', contract, listed],
    ['its contract in another case', contract.toUpperCase().replace('0X', '0x'), listed],
    ['the zero address', zero, GAS],
    ['the zero address in another case', zero.toUpperCase(), GAS],
    ['its symbol', 'USDC', listed],
    ['its symbol in another case', 'usdc', listed],
    ['the native symbol', 'ETH', GAS],
  ])('by %s', (_, text, token) => expect(findToken(network, text, naming)).toBe(token))

  test.each([`0x${'ee'.repeat(20)}`, 'USD', '', 'null'])('but not by %j', (text) => {
    expect(findToken(network, text, naming)).toBe(null)
  })

  test('by any spelling of the native address that the family accepts', () => {
    const short = { nativeAddress: '0x0', parseAddress: (text: string) => (/^0x0+$/.test(text) ? '0x00' : null) }
    expect(findToken(network, '0x0000', short)).toBe(GAS)
  })

  test('by contract even if another token uses that contract as its symbol', () => {
    const fake = tokenOf({ contract: `0x${'11'.repeat(20)}`, symbol: contract })
    expect(findToken(networkOf({ tokens: [fake, listed] }), contract, naming)).toBe(listed)
  })
})

describe('confirmations', () => {
  const network = networkOf({
    finalDepth: 64,
    confirmations: [
      { upToUsd: 100, confirmations: 1 },
      { upToUsd: 10_000, confirmations: 12 },
      { upToUsd: null, confirmations: 40 },
    ],
  })

  test.each([
    [0, 1],
    [100, 1],
    [100.01, 12],
    [10_000, 12],
    [10_001, 40],
    [Number.POSITIVE_INFINITY, 40],
    [Number.NaN, 40],
  ])('a deposit worth %d dollars requires %d', (usd, wanted) => expect(confirmationsFor(network, usd)).toBe(wanted))

  test('beyond the last tier, or without tiers, the final depth is required', () => {
    expect(confirmationsFor({ ...network, confirmations: [] }, 1)).toBe(64)
    expect(confirmationsFor({ ...network, confirmations: network.confirmations.slice(0, 1) }, 101)).toBe(64)
  })
})

test('a stored token is found by its key, and an unknown key is a bug', () => {
  const catalogue = catalogueOf([ALPHA])
  expect(catalogue.token('ALPHA', tokenKey(SOURCE))).toBe(SOURCE)
  expect(catalogue.network('ALPHA')).toBe(ALPHA)
  expect(() => catalogue.token('ALPHA', '0xgone')).toThrow('no such entry')
  expect(() => catalogue.network('BETA')).toThrow('no such entry')
})
