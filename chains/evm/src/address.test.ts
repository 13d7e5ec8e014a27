import { describe, expect, test } from 'vitest'
import { isBurnAddress, parseAddress } from './address.ts'

/** The examples of EIP-55. */
const CHECKSUMMED = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
]

describe('parseAddress', () => {
  test.each(CHECKSUMMED)('%s reads as itself, and from one case only', (address) => {
    expect(parseAddress(address)).toBe(address)
    expect(parseAddress(address.toLowerCase())).toBe(address)
    expect(parseAddress(`0x${address.slice(2).toUpperCase()}`)).toBe(address)
  })

  test.each([
    ['a wrong checksum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'],
    ['one digit short', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe'],
    ['one digit long', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed0'],
    ['no prefix', '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['a prefix in upper case', '0X5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED'],
    ['not hex', '0xgaaeb6053f3e94c9b9a09f33669435e7ef1beaed'],
    ['a space behind', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed '],
    ['a name', 'vitalik.eth'],
  ])('%s is no address', (_, text) => {
    expect(parseAddress(text)).toBeNull()
  })
})

describe('isBurnAddress', () => {
  test.each([
    '0x0000000000000000000000000000000000000000',
    '0x0000000000000000000000000000000000000001',
    '0x000000000000000000000000000000000000000A',
    '0x0000000000000000000000000000000000000100',
    '0x000000000000000000000000000000000000dEaD',
  ])('%s keeps what it is sent', (address) => {
    expect(isBurnAddress(parseAddress(address) ?? '')).toBe(true)
  })

  test('a person is not', () => {
    for (const address of CHECKSUMMED) expect(isBurnAddress(address)).toBe(false)
  })
})
