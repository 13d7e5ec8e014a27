/** A wrong network file gets a clear error, and a valid one bounds the cost of a payment. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Network } from '@causeway/core'
import { sha256 } from '@noble/hashes/sha2.js'
import { expect, it } from 'vitest'
import { sampleNetwork } from '../../../tests/support/chains/samples.ts'
import { family } from './index.ts'
import { parseSettings } from './settings.ts'

const GOOD = { prefix: 'osmo', denom: 'uosmo', gas_price: '0.03', max_gas_price: '1' }
const NETWORKS = path.join(import.meta.dirname, '../../../networks')

function networkWith(settings: Record<string, unknown>, changes: Partial<Network> = {}): Network {
  const own = { name: 'OSMOSIS_TESTNET', type: 'cosmos', chainId: 'osmo-test-5', settings, ...changes } as const
  return sampleNetwork([{ symbol: 'OSMO', contract: null, decimals: 6 }], own)
}

it.each([
  [{ ...GOOD, prefix: 'Osmo' }, 'setting prefix must be'],
  [{ ...GOOD, prefix: undefined }, 'setting prefix must be'],
  [{ ...GOOD, denom: '1x' }, 'setting denom must be'],
  [{ ...GOOD, gas_price: 0.03 }, 'setting gas_price must be'],
  [{ ...GOOD, gas_price: '0' }, 'setting gas_price must be'],
  [{ ...GOOD, max_gas_price: undefined }, 'setting max_gas_price must be'],
  [{ ...GOOD, max_gas_price: '0.02' }, 'max_gas_price must not be below gas_price'],
  [{ ...GOOD, fee_model: 'cheap' }, 'setting fee_model must be one of fixed, feemarket, osmosis, injective, evm'],
  [{ ...GOOD, key: 'ed25519' }, 'setting key must be one of secp256k1, eth_secp256k1'],
  [{ ...GOOD, pubkey_type: 'PubKey' }, 'setting pubkey_type must be'],
  [{ ...GOOD, scan: 'all' }, 'setting scan must be one of results, candidates'],
  [{ ...GOOD, timeout_blocks: 1 }, 'setting timeout_blocks must be a whole number from 5'],
  [{ ...GOOD, first_block: 'AB' }, 'setting first_block must be'],
  [{ ...GOOD, check_data_hash: 'no' }, 'setting check_data_hash must be true or false'],
  [{ ...GOOD, gasprice: '1' }, 'setting gasprice is unknown here'],
])('a file that is wrong says so: %#', (settings, reason) => {
  expect(() => parseSettings(networkWith(settings))).toThrow(reason)
})

it('a network needs the id of its chain: signatures are bound to it', () => {
  expect(() => parseSettings(networkWith(GOOD, { chainId: null }))).toThrow('needs a chain_id')
  expect(family.domain?.(networkWith(GOOD))).toBe('osmo-test-5')
})

it('the maximum cost follows from the file: 400,000 gas at the highest price', () => {
  expect(family.feeBounds?.(networkWith(GOOD))).toEqual({ payment: 400_000n, hour: 40_000_000n })
})

it('Ethereum keys imply their coin type and name by default', () => {
  const { coinType, pubkeyType } = parseSettings(networkWith({ ...GOOD, key: 'eth_secp256k1' }))
  expect([coinType, pubkeyType]).toEqual([60, '/cosmos.evm.crypto.v1.ethsecp256k1.PubKey'])
  expect(parseSettings(networkWith(GOOD)).coinType).toBe(118)
})

/** IBC paths of listed tokens, which define whom we trust. */
const TRACES: Readonly<Record<string, string>> = {
  'OSMOSIS_MAINNET USDC': 'transfer/channel-750/uusdc',
  'OSMOSIS_MAINNET ATOM': 'transfer/channel-0/uatom',
  'OSMOSIS_TESTNET USDC': 'transfer/channel-4280/uusdc',
  'DYDX_MAINNET USDC': 'transfer/channel-0/uusdc',
  'INJECTIVE_MAINNET USDC': 'transfer/channel-148/uusdc',
  'NEUTRON_MAINNET USDC': 'transfer/channel-30/uusdc',
}

it.each(['mainnet', 'testnet', 'sandbox'])(
  'every file of networks/%s is right, and its tokens came the way that we trust',
  (folder) => {
    const files = readdirSync(path.join(NETWORKS, folder)).map((file) =>
      JSON.parse(readFileSync(path.join(NETWORKS, folder, file), 'utf8')),
    )
    const own = files.filter(({ type }) => type === 'cosmos')
    expect(own.length).toBeGreaterThan(0)
    for (const { name, chain_id: chainId, settings, tokens, final_depth: finalDepth } of own) {
      const network = networkWith(settings, { name, chainId })
      expect(parseSettings(network).chainId).toBe(chainId)
      expect(family.holdsRealMoney?.(network), name).toBe(folder === 'mainnet')
      expect(finalDepth).toBe(3)
      for (const { symbol, contract } of tokens as { symbol: string; contract: string | null }[]) {
        if (contract === null) continue
        expect(family.parseAddress(contract)).toBe(contract)
        if (!contract.startsWith('ibc/')) continue
        const trace = TRACES[`${name} ${symbol}`]
        const hash = Buffer.from(sha256(Buffer.from(trace ?? '')))
          .toString('hex')
          .toUpperCase()
        expect(contract, `${name} ${symbol}`).toBe(`ibc/${hash}`)
      }
    }
  },
)
