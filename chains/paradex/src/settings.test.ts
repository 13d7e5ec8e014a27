/** The settings of a network's file and their errors. */
import type { Network } from '@causeway/core'
import { expect, test } from 'vitest'
import { family } from './index.ts'

const USDC = '0x07348407ebad690fec0cc8597e87dc16ef7b269a655ff72587dafff83d462be2'
const PARACLEAR = '0x03ca9388f8d4e04adecbd7b06b9b24a33030a593522248a7bddd87afc0b61a0c'
const CHAIN = '0x505249564154455f534e5f50415241434c4541525f4d41494e4e4554'

const bounds = (settings: Record<string, unknown>, tokens: object[] = []) =>
  family.feeBounds?.({
    name: 'PARADEX_MAINNET',
    type: 'paradex',
    chainId: CHAIN,
    settings,
    tokens,
  } as unknown as Network)

test('USDC and Paraclear are named by the file, and a payment is bounded in dollars', () => {
  const payment = 6_000_000n * 4n + 1_728n * 1_000n
  expect(bounds({ fee_token: USDC, paraclear: PARACLEAR })).toEqual({ payment, hour: 10n * payment })
  expect(bounds({ fee_token: USDC, payout: 'transfer' })).toEqual({ payment, hour: 10n * payment })
})

test.each([
  [{ paraclear: PARACLEAR }, 'setting fee_token must be given'],
  [{ fee_token: USDC }, 'setting paraclear must be given'],
  [{ fee_token: USDC, paraclear: PARACLEAR, payout: 'cheque' }, 'setting payout must be one of paraclear, transfer'],
  [{ fee_token: USDC, paraclear: '0x3ca' }, 'setting paraclear must be an address'],
  [{ fee_token: USDC, paraclear: PARACLEAR, jwt: 'x' }, 'setting jwt is unknown here'],
])('%j is refused', (settings, reason) => {
  expect(() => bounds(settings)).toThrow(reason)
})

test('no other token is paid here', () => {
  const dime = { symbol: 'DIME', contract: PARACLEAR }
  expect(() => bounds({ fee_token: USDC, paraclear: PARACLEAR }, [dime])).toThrow('only the native token')
})
