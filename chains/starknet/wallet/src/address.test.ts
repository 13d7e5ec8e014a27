/** Pasted Starknet addresses. */
import { expect, it } from 'vitest'
import { readAddress } from './address.ts'

const FULL = '0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7'

it('is accepted in any case and without leading zeros, and written in full', () => {
  const ok = { state: 'ok', address: FULL, amount: null, fromLink: false }
  expect(readAddress(FULL)).toEqual(ok)
  expect(readAddress(` ${FULL.replace('0x0', '0x').toUpperCase().replace('0X', '0x')} `)).toEqual(ok)
})

it.each([
  '',
  '0x',
  '0x0',
  `0x${'f'.repeat(64)}`,
  `${FULL}0`,
  FULL.slice(2),
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
])('%s is not an address', (text) => expect(readAddress(text)).toEqual({ state: 'not_one' }))
