/** The shipped network files: each one parses, and its facts have the form that its family requires. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { providerOfHost } from '@causeway/chain-kit'
import type { Network, TokenNaming } from '@causeway/core'
import { describe, expect, test } from 'vitest'
import { readCatalogue, withNodes } from '../../server/src/catalogue/catalogue.ts'
import { FamilyMissing, loadFamily } from '../../server/src/catalogue/chains.ts'
import { readFiles } from './files.ts'

const ROOT = path.join(import.meta.dirname, '../../networks')
const EVM = /^0x[0-9a-fA-F]{40}$/
const FELT = /^0x0[0-7][0-9a-f]{62}$/

/** The form of contracts in families whose packages are not installed; the others check their own. */
const FORMS: Partial<Record<Network['type'], RegExp>> = {
  starknet: FELT,
  paradex: FELT,
  tron: /^T[1-9A-HJ-NP-Za-km-z]{33}$/,
  fuel: /^0x[0-9a-f]{64}$/,
  cosmos: /^(u[a-z]+|ibc\/[0-9A-F]{64})$/,
  hyperliquid: EVM,
  zksynclite: EVM,
  starkex: EVM,
}

/** Halted, retired or not tried yet. */
const INACTIVE: Record<string, string[]> = {
  mainnet: ['IMMUTABLEX_MAINNET', 'PARADEX_MAINNET', 'ZKSYNC_MAINNET'],
  testnet: ['IMMUTABLEX_SANDBOX'],
}

async function naming(type: Network['type']): Promise<TokenNaming> {
  try {
    return await loadFamily(type)
  } catch (error) {
    const form = FORMS[type]
    if (!(error instanceof FamilyMissing) || !form) throw error
    return { nativeAddress: 'native', parseAddress: (text) => (form.test(text) ? text : null) }
  }
}

describe.each(['mainnet', 'testnet', 'sandbox'])('networks/%s', (environment) => {
  const folder = path.join(ROOT, environment)
  const read = () => readCatalogue(folder, {}, naming)

  test('every file parses, is named after its network, and its contracts are valid for their family', async () => {
    const left: string[] = []
    const { networks } = await readCatalogue(folder, {}, naming, (network) => left.push(network))
    const files = readdirSync(folder).map((file) => path.basename(file, '.json'))
    expect([...networks.map(({ name }) => name), ...left].sort()).toEqual(files.sort())
    expect(left.sort()).toEqual(INACTIVE[environment] ?? [])
  })

  test('names are unique, and so are the chain ids of a family', async () => {
    const { networks } = await read()
    expect(new Set(networks.map(({ name }) => name)).size).toBe(networks.length)
    const ids = networks.flatMap(({ type, chainId }) => (chainId === null ? [] : [`${type} ${chainId}`]))
    expect(new Set(ids).size).toBe(ids.length)
    // A chain id identifies one network: clients may use it instead of a name.
    const numbers = networks.flatMap(({ chainId }) => chainId ?? [])
    expect(new Set(numbers).size).toBe(numbers.length)
  })

  test('explorers are links with one place for the hash or the address', async () => {
    for (const { transactionExplorer, accountExplorer } of (await read()).networks) {
      for (const template of [transactionExplorer, accountExplorer]) {
        expect(template.split('{0}')).toHaveLength(2)
        expect(new URL(template.replace('{0}', 'x')).protocol).toMatch(/^https?:$/)
      }
    }
  })

  test('a network lists a token once, with a family and sane decimals', async () => {
    for (const { name, tokens } of (await read()).networks) {
      for (const key of ['symbol', 'contract'] as const)
        expect(new Set(tokens.map((token) => token[key])).size, name).toBe(tokens.length)
      for (const { symbol, group, decimals, precision } of tokens) {
        expect(group, `${name} ${symbol}`).not.toBeNull()
        expect(precision).toBeLessThanOrEqual(decimals)
      }
    }
  })
})

test('mainnet has the main networks of every family', async () => {
  const { networks } = await readCatalogue(path.join(ROOT, 'mainnet'), {}, naming)
  const evm = ['ETHEREUM', 'ARBITRUM', 'BASE', 'OPTIMISM', 'POLYGON', 'BSC', 'AVAX', 'LINEA', 'SCROLL', 'ZKSYNCERA']
  const names = networks.map(({ name }) => name)
  for (const name of evm) expect(names).toContain(`${name}_MAINNET`)
  const types = new Set(readFiles('mainnet').map(({ type }) => type))
  for (const type of Object.keys(FORMS)) expect(types).toContain(type)
})

test('at least forty networks of mainnet load with the families that are here', async () => {
  const { networks } = await readCatalogue(path.join(ROOT, 'mainnet'), {}, loadFamily)
  expect(networks.length).toBeGreaterThanOrEqual(40)
  for (const { type, settings } of networks) if (type === 'evm') expect(settings).toHaveProperty('max_fee_gwei')
})

test('families without a public network say so in every environment, and no other does', async () => {
  const told: string[] = []
  for (const environment of ['mainnet', 'testnet', 'sandbox']) {
    const { networks, closed } = await readCatalogue(path.join(ROOT, environment), {}, naming)
    for (const { type, name, notice } of [...networks, ...closed]) {
      const isSaid = notice?.startsWith('No public network') ?? false
      expect(isSaid, name).toBe(type === 'starkex' || type === 'zksynclite')
      if (isSaid) told.push(name)
    }
  }
  expect(told).toHaveLength(5)
})

test('every mainnet outside EVM names two nodes of different providers, or says why not', () => {
  for (const { name, type, nodes, inactive, fewer_nodes } of readFiles('mainnet')) {
    if (type === 'evm' || inactive !== undefined) continue
    const providers = new Set(nodes.map((url) => providerOfHost(new URL(url).host)))
    expect(providers.size >= 2, name).toBe(fewer_nodes === undefined)
  }
})

test('a network without a node is left out with one line that says what is missing', async () => {
  const all = await readCatalogue(path.join(ROOT, 'mainnet'), {}, loadFamily)
  const left: string[] = []
  const { networks } = withNodes(all, (network, reason) => left.push(`${network}: ${reason}`))
  expect(left).toEqual(['BITCOIN_MAINNET: no node is known: name one in NODES_BITCOIN_MAINNET'])
  expect(networks).toHaveLength(all.networks.length - 1)
  const none = await readCatalogue(path.join(ROOT, 'sandbox'), {}, loadFamily)
  expect(() => withNodes(none, () => undefined)).toThrow('no network has a node')
})

test('networks without an installed family are left out and named, even with configured nodes', async () => {
  const skipped: string[] = []
  const only: typeof loadFamily = async (type) => {
    if (type === 'evm') return loadFamily(type)
    throw new FamilyMissing(`the family ${type} is not installed`)
  }
  const folder = path.join(ROOT, 'mainnet')
  const nodes = { TRON_MAINNET: ['http://127.0.0.1:1'] }
  const { networks } = await readCatalogue(folder, nodes, only, (network) => skipped.push(network))
  expect(new Set(networks.map(({ type }) => type))).toEqual(new Set(['evm']))
  expect(skipped).toContain('TRON_MAINNET')
})

test('a family whose own code is broken is not taken for one that is missing', async () => {
  const broken = async () => {
    throw new Error('broken')
  }
  await expect(readCatalogue(path.join(ROOT, 'sandbox'), {}, broken)).rejects.toThrow('broken')
})
