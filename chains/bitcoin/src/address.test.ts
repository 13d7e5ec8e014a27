/** Addresses read as the public chains write them, of the right network only, and keys lead to the addresses that wallets show. */
import { describe, expect, it } from 'vitest'
import { addressOf, isGrave, parseAddress, publicKeyAddress, scriptOf } from './address.ts'
import { family } from './index.ts'
import { CHAINS } from './settings.ts'

const main = CHAINS.main.prefixes
const test = CHAINS.test.prefixes
const regtest = CHAINS.regtest.prefixes
const hex = (bytes: Uint8Array | null) => (bytes ? Buffer.from(bytes).toString('hex') : null)

/** From the Bitcoin wiki, BIP 173, BIP 350 and BIP 341. */
const MAINNET: [string, string][] = [
  ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', '76a91477bff20c60e522dfaa3350c39b030a5d004e839a88ac'],
  ['3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'a914b472a266d0bd89c13706a4132ccfb16f7c3b9fcb87'],
  ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
  [
    'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3',
    '00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262',
  ],
  [
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
    '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  ],
]

const TESTNET: [string, string][] = [
  ['tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
  [
    'tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c',
    '5120000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433',
  ],
]

describe('addresses', () => {
  it.each(MAINNET)('%s is its script, both ways', (address, script) => {
    expect(hex(scriptOf(address, main))).toBe(script)
    expect(addressOf(Buffer.from(script, 'hex'), main)).toBe(address)
    expect(parseAddress(address, main)).toBe(address)
    expect(family.parseAddress(address)).toBe(address)
    expect(parseAddress(address, test)).toBeNull()
    expect(parseAddress(address, regtest)).toBeNull()
  })

  it.each(TESTNET)('%s is a testnet address only', (address, script) => {
    expect(hex(scriptOf(address, test))).toBe(script)
    expect(addressOf(Buffer.from(script, 'hex'), test)).toBe(address)
    expect(parseAddress(address, main)).toBeNull()
    expect(parseAddress(address, regtest)).toBeNull()
  })

  it('capitals all through are the same address; mixed ones are a typing mistake', () => {
    const lower = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
    expect(parseAddress(lower.toUpperCase(), main)).toBe(lower)
    expect(parseAddress(lower.replace('q', 'Q'), main)).toBeNull()
  })

  it.each([
    ['a wrong checksum', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5'],
    ['version 1 with the old checksum', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd'],
    ['version 0 with the new checksum', 'bc1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq8kgfff'],
    ['a program of the wrong length', 'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P'],
    ['a later version that anybody may spend', 'BC1SW50QGDZ25J'],
    ['version 2', 'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs'],
    ['pay-to-anchor', 'bc1pfeessrawgf'],
    ['a wrong base58 checksum', '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3'],
    ['a private key', '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ'],
    ['a space before', ' 1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2'],
  ])('%s is refused', (_, text) => {
    expect(parseAddress(text, main)).toBeNull()
    expect(family.parseAddress(text)).toBeNull()
  })

  it('a taproot key that is no point of the curve could never be spent, and is refused', () => {
    const offCurve = addressOf(Buffer.from(`5120${'00'.repeat(31)}05`, 'hex'), main)
    expect(parseAddress(offCurve ?? '', main)).toBeNull()
  })

  it('the first BIP 84 address of the test phrase is the one that wallets show', () => {
    const key = Buffer.from('0330d54fd0dd420a6e5f8d3624f5f3482cae350f79d5f0753bf5beef9c2d91af3c', 'hex')
    expect(publicKeyAddress(key, main)).toBe('bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu')
  })

  it('burn addresses are known', () => {
    const zero = [`76a914${'00'.repeat(20)}88ac`, `a914${'00'.repeat(20)}87`, `0014${'00'.repeat(20)}`]
    for (const script of zero) expect(isGrave(addressOf(Buffer.from(script, 'hex'), main) ?? '', main)).toBe(true)
    expect(isGrave('1BitcoinEaterAddressDontSendf59kuE', main)).toBe(true)
    for (const [address] of MAINNET) expect(isGrave(address, main)).toBe(false)
  })
})
