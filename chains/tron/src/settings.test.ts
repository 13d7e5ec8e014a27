import type { Network } from '@causeway/core'
import { expect, it, test } from 'vitest'
import { family } from './index.ts'
import { MAIN_GENESIS, parseSettings } from './settings.ts'

const GENESIS = 'ab'.repeat(32)
const networkOf = (settings: Record<string, unknown>) => ({ name: 'TRON_TESTNET', settings }) as unknown as Network

it('a file that only names its genesis block gets the defaults', () => {
  expect(parseSettings(networkOf({ genesis: GENESIS }))).toMatchObject({
    expirationMs: 180_000,
    maxFeeLimit: 60_000_000n,
    maxFlatFee: 8_000_000n,
    tokenEnergy: 131_000n,
    factory: null,
    depository: null,
  })
})

test.each([
  [{}, 'genesis must be'],
  [{ genesis: GENESIS.toUpperCase() }, 'genesis must be'],
  [{ genesis: GENESIS, expiration_seconds: 30 }, 'expiration_seconds must be a whole number from 60 to 3600'],
  [{ genesis: GENESIS, expiration_seconds: '180' }, 'expiration_seconds must be'],
  [{ genesis: GENESIS, scan_blocks: 101 }, 'scan_blocks must be'],
  [{ genesis: GENESIS, max_fee_limit: 60 }, 'max_fee_limit must be whole TRX in decimal text'],
  [{ genesis: GENESIS, max_fee_limit: '0' }, 'max_fee_limit must be'],
  [{ genesis: GENESIS, max_fee_limit: '1.0000001' }, 'max_fee_limit must be'],
  [
    { genesis: GENESIS, forwarder_factory: '0x5cd0fb0ab3ce40f3051414c604b27756e69e43db' },
    'forwarder_factory must be an address',
  ],
  [{ genesis: GENESIS, old_depositories: 'T' }, 'old_depositories must be a list'],
  [{ genesis: GENESIS, unproven_blocks: ['1'] }, 'unproven_blocks must be'],
  [{ genesis: GENESIS, fee_limit: '60' }, 'fee_limit is unknown here, there are genesis'],
])('%j is refused in plain words', (settings, words) => {
  expect(() => parseSettings(networkOf(settings))).toThrow(words)
})

it('the main network is identified by its first block, and no two networks share a signer', () => {
  expect(family.holdsRealMoney?.(networkOf({ genesis: MAIN_GENESIS }))).toBe(true)
  expect(family.holdsRealMoney?.(networkOf({ genesis: GENESIS }))).toBe(false)
  expect(family.domain?.(networkOf({ genesis: MAIN_GENESIS }))).toBe(family.domain?.(networkOf({ genesis: GENESIS })))
  expect(family.feeBounds?.(networkOf({ genesis: GENESIS }))).toEqual({ payment: 68_000_000n, hour: 4_080_000_000n })
})
