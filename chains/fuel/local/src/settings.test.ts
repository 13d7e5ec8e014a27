/** The settings of a network's file and their errors. */
import { family } from '@causeway/fuel'
import { describe, expect, it } from 'vitest'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { parseSettings } from '../../src/settings.ts'
import { testNetwork } from './test-network.ts'

const ID = `0x${'ab'.repeat(32)}`
const parsed = (settings: Record<string, unknown>) => parseSettings(testNetwork(settings))

describe('settings', () => {
  it('have defaults that a network can begin with', () => {
    expect(parseSettings({ ...testNetwork(), settings: {} })).toEqual({
      ...{ chainId: 0n, watchdog: null, oldWatchdogs: [], maxFee: 500_000n, depositFee: 10_000n, expiresAfter: 600n },
      ...{ scanBlocks: 100, requestTimeoutMs: 10_000 },
      baseAsset: '0xf8f8b6283d7fa5b672b530cbb84fcccb4ff8dc40f8176ef4544ddb1f1952ad07',
    })
  })

  it.each([
    [{ max_fee: 0.1 }, 'max_fee must be whole coins in decimal text'],
    [{ max_fee: '0' }, 'max_fee must be whole coins in decimal text, above zero'],
    [{ max_fee: '0.0000000001' }, 'max_fee must be whole coins'],
    [{ deposit_fee: 'much' }, 'deposit_fee must be whole coins'],
    [{ watchdog_contract: ID.toUpperCase() }, 'watchdog_contract must be 0x and 64 lower-case hex digits'],
    [{ watchdog_contract: '0x12' }, 'watchdog_contract must be'],
    [{ old_watchdog_contracts: ID }, 'old_watchdog_contracts must be a list'],
    [{ base_asset: 'ETH' }, 'base_asset must be'],
    [{ expires_after_blocks: 5 }, 'expires_after_blocks must be a whole number from 30'],
    [{ scan_blocks: 1_000 }, 'scan_blocks must be a whole number from 1 to 100'],
    [{ request_timeout_ms: '10' }, 'request_timeout_ms must be a whole number'],
    [{ wachdog: ID }, 'setting wachdog is unknown here, there are base_asset, watchdog_contract'],
  ])('%j is refused', (settings, words) => {
    expect(() => parsed(settings)).toThrow(words)
  })

  it('a chain without its id, with other native decimals, or a slot shorter than finality is rejected', () => {
    const network = testNetwork()
    for (const chainId of [null, '', '0x0', '-1', '18446744073709551616']) {
      expect(() => parseSettings({ ...network, chainId }), String(chainId)).toThrow('chain_id must be')
    }
    const nativeToken = { ...network.nativeToken, decimals: 18 }
    expect(() => parseSettings({ ...network, nativeToken })).toThrow('has 9 decimals')
    expect(() => parseSettings({ ...network, finalDepth: 600 })).toThrow('above final_depth')
    const listed = { ...network.nativeToken, contract: parsed({}).baseAsset }
    expect(() => parseSettings({ ...network, tokens: [...network.tokens, listed] })).toThrow(
      'listed without a contract',
    )
  })
})

it('without a watchdog a transfer carries no number, and that is reported', async () => {
  const plain = { ...testNetwork(), settings: {} }
  const log = { info() {}, warn() {}, error() {} }
  const bare = await family.open({ network: plain, signer: testSigner('settings'), log })
  const request = { token: plain.nativeToken, units: 5n, receiver: bare.treasury, reference: 7n, sourceAddress: null }
  expect(bare.references).toBeUndefined()
  expect(await bare.depositAction(request)).toMatchObject({ callData: null, toAddress: bare.treasury, units: 5n })
  expect(bare.walletContracts?.byName()).toEqual({ watchdog_contract: null })
  const watched = await family.open({ network: testNetwork(), signer: testSigner('settings'), log })
  expect(watched.references).toBeDefined()
  expect(watched.walletContracts?.byName()).toEqual({ watchdog_contract: testNetwork().settings.watchdog_contract })
})

it('only the public main network holds real money, and networks differ by their chain id', () => {
  const main = { ...testNetwork(), chainId: '9889' }
  expect([main, testNetwork()].map((network) => family.holdsRealMoney?.(network))).toEqual([true, false])
  expect([main, testNetwork()].map((network) => family.domain?.(network))).toEqual(['fuel 9889', 'fuel 0'])
  expect(family.feeBounds?.(main)).toEqual({ payment: 500_000n, hour: 10_000_000n })
})
