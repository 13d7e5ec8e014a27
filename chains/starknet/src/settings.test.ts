/** The settings of a network's file and their errors. */
import type { Network } from '@causeway/core'
import { expect, test } from 'vitest'
import { family } from './index.ts'
import { starknet } from './starknet.ts'

const network = (settings: Record<string, unknown>, chainId: string | null = '0x534e5f5345504f4c4941') =>
  ({ name: 'STARKNET_SEPOLIA', type: 'starknet', chainId, settings, tokens: [] }) as unknown as Network

const WATCHDOG = '0x0567890abcdef0123456789abcdef0123456789abcdef0123456789abcdef012'

test('without any, the account is the one of OpenZeppelin and STRK pays', () => {
  const { settings } = starknet.profileOf(network({}))
  expect(settings).toMatchObject({
    accountClass: 0x05b4b537eaa2399e3aa99c4e2e0208ebd6c71bc1467938cd52c798c601e43564n,
    watchdog: null,
    feeToken: family.nativeAddress,
    maxTransfers: 25,
  })
})

test.each([
  [{ watchdog: WATCHDOG.slice(0, -1) }, 'setting watchdog must be an address in lower case with all 64 digits'],
  [{ watchdog: WATCHDOG.toUpperCase().replace('0X', '0x') }, 'setting watchdog must be an address in lower case'],
  [{ watchdog: `0x${WATCHDOG.slice(3)}` }, 'setting watchdog must be an address'],
  [{ account_class: 5 }, 'setting account_class must be a hex number'],
  [{ account_upgrades: ['0xg'] }, 'setting account_upgrades must be a hex number'],
  [{ max_l2_price: 500 }, 'setting max_l2_price must be a whole number above zero, as text'],
  [{ max_l2_price: '0' }, 'setting max_l2_price must be'],
  [{ max_transfers: 0 }, 'setting max_transfers must be a whole number from 1 to 100'],
  [{ scan_blocks: 1.5 }, 'setting scan_blocks must be a whole number'],
  [{ watch_dog: WATCHDOG }, 'setting watch_dog is unknown here'],
])('%j is refused', (settings, reason) => {
  expect(() => starknet.profileOf(network(settings))).toThrow(reason)
})

test('the chain is identified by its id, as a number', () => {
  expect(family.domain?.(network({}))).toBe('0x534e5f5345504f4c4941')
  expect(family.holdsRealMoney?.(network({}))).toBe(false)
  expect(family.holdsRealMoney?.(network({}, '0x534e5f4d41494e'))).toBe(true)
  expect(family.holdsRealMoney?.(network({}, '0x00534e5f4d41494e')), 'however it is written').toBe(true)
  for (const id of [null, 'SN_MAIN', '', '0x'])
    expect(() => family.domain?.(network({}, id))).toThrow('needs its chain_id')
})

test('a payment’s fee is bounded, and ten of them last for an hour', () => {
  const payment = 6_000_000n * 500n * 10n ** 9n + 1_728n * 100_000n * 10n ** 9n
  expect(family.feeBounds?.(network({}))).toEqual({ payment, hour: 10n * payment })
})
