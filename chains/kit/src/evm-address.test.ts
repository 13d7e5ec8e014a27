import { expect, it } from 'vitest'
import { evmAddresses } from './evm-address.ts'

/** A stand-in for EIP-55: the real checksum is the library's, and is tested by the families. */
const CHECKSUMMED = `0x${'aB'.repeat(20)}`
const { parseAddress, canonical } = evmAddresses((text) => {
  if (text !== CHECKSUMMED.toLowerCase()) throw new Error(`${text} is not an address`)
  return CHECKSUMMED
})

it('reads one case and the right mixed case as the same address', () => {
  const digits = CHECKSUMMED.slice(2)
  for (const text of [CHECKSUMMED, `0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`]) {
    expect(parseAddress(text)).toBe(CHECKSUMMED)
  }
})

it('refuses mixed case that is not the checksum', () => {
  expect(parseAddress(`0x${'Ab'.repeat(20)}`)).toBeNull()
})

it.each([
  '',
  'aB'.repeat(20),
  `0X${'ab'.repeat(20)}`,
  `0x${'ab'.repeat(19)}`,
  `0x${'ag'.repeat(20)}`,
  `${CHECKSUMMED} `,
])('refuses %j, which is not an address', (text) => {
  expect(parseAddress(text)).toBeNull()
})

it('makes text of any case canonical, and throws for other text', () => {
  expect(canonical(`0x${'Ab'.repeat(20)}`)).toBe(CHECKSUMMED)
  expect(() => canonical('0x1')).toThrow('not an address')
})
