/**
 * The operator's optional files: a missing file means none, a valid one is used, and an invalid one stops the start
 * with a list of its errors.
 */
import { mkdtemp, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { catalogueOf, type Network, type Token } from '@causeway/core'
import { expect, test } from 'vitest'
import { readCampaigns } from './campaigns.ts'
import { readExchanges } from './exchanges.ts'
import { readRouteRules } from './routes.ts'

const token = (network: string, symbol: string): Token => ({
  network,
  symbol,
  displayAsset: symbol,
  contract: null,
  decimals: 6,
  precision: 6,
  group: symbol,
  listingDate: '2026-01-01T00:00:00Z',
  sourceRank: 1,
  destinationRank: 1,
})

/** A network that is configured out. */
const NONE = { files: [], networks: [], known: [] }

async function fileWith(content: unknown): Promise<string> {
  const file = path.join(await mkdtemp(path.join(os.tmpdir(), 'causeway-lists-')), 'list.json')
  await writeFile(file, JSON.stringify(content))
  return file
}

test('route rules: the first that fits decides, by network, symbol, family or contract', async () => {
  expect(readRouteRules('/nowhere.json', NONE)(token('A', 'X'), token('B', 'Y'))).toBeNull()
  const rules = readRouteRules(
    await fileWith([
      { source: { network: 'A', token: 'X' }, destination: { network: 'B' }, fee_bps: 5 },
      { source: { network: 'A' }, closed: true },
    ]),
    { ...NONE, files: ['A', 'B'] },
  )
  expect(rules(token('A', 'X'), token('B', 'Y'))).toMatchObject({ fee_bps: 5, closed: false, provider: null })
  expect(rules(token('A', 'Z'), token('B', 'Y'))).toMatchObject({ closed: true })
  expect(rules(token('C', 'X'), token('B', 'Y'))).toBeNull()
  const wrong = await fileWith([{ fee_bps: 5000, colour: 'red' }])
  expect(() => readRouteRules(wrong, NONE)).toThrow(/fee_bps/)
})

test('route rules: a delisted token or network is logged, and an unknown one is an error', async () => {
  const nativeToken = token('A', 'X')
  const networks = [{ name: 'A', tokens: [nativeToken], nativeToken } as Network]
  const known = [nativeToken, token('A', 'OLD'), token('C', 'Y')]
  const file = await fileWith([
    { source: { network: 'A', token: 'OLD' }, closed: true },
    { destination: { network: 'C' }, closed: true },
    { source: { network: 'A', token: 'X' }, closed: true },
  ])
  const gone: string[] = []
  const rules = readRouteRules(file, { files: ['A'], networks, known }, (rule) => gone.push(rule))
  expect(gone).toEqual([
    '0.source.token: OLD is not listed on A any more',
    '1.destination.network: C is not listed any more',
  ])
  expect(rules(token('A', 'X'), token('B', 'Y'))).toMatchObject({ closed: true })
  for (const source of [{ network: 'A', token: 'ODL' }, { network: 'D' }]) {
    const typo = await fileWith([{ source, closed: true }])
    expect(() => readRouteRules(typo, { files: ['A'], networks, known })).toThrow('0.source')
  }
})

test('exchanges: names are unique and of one form', async () => {
  expect(readExchanges('/nowhere.json')).toEqual([])
  const exchange = {
    name: 'KRAKEN',
    display_name: 'Kraken',
    listing_date: '2026-01-01T00:00:00Z',
    withdrawals: { A: ['X'] },
  }
  expect(readExchanges(await fileWith([exchange]))).toMatchObject([{ name: 'KRAKEN', oauth: null }])
  const twice = await fileWith([exchange, exchange])
  expect(() => readExchanges(twice)).toThrow('unique')
})

test('campaigns: the token is listed, the budget is positive, and for holders the chain has NFT lookup', async () => {
  const nativeToken = token('A', 'X')
  const catalogue = catalogueOf([{ name: 'A', tokens: [nativeToken], nativeToken } as Network])
  const parseAddress = (text: string) => (text.startsWith('0x') ? text.toLowerCase() : null)
  const chainOf = (isHeldBy?: () => Promise<boolean>) =>
    new Map([['A', { parseAddress, ...(isHeldBy ? { nfts: { isHeldBy } } : {}) }]])
  const plain = chainOf()
  expect(readCampaigns('/nowhere.json', catalogue, plain)).toEqual([])
  const campaign = {
    name: 'spring',
    display_name: 'Spring',
    type: 'default',
    token: { network: 'A', symbol: 'X' },
    fee_share: 0.5,
    budget: '12.5',
    starts_at: '2026-01-01T00:00:00Z',
    ends_at: '2026-02-01T00:00:00Z',
  }
  expect(readCampaigns(await fileWith([campaign]), catalogue, plain)).toMatchObject([
    { budgetUnits: 12_500_000n, minPayoutUnits: 0n, period_days: 7 },
  ])
  for (const wrong of [{ budget: '0' }, { token: { network: 'A', symbol: 'Z' } }, { fee_share: 2 }]) {
    const file = await fileWith([{ ...campaign, ...wrong }])
    expect(() => readCampaigns(file, catalogue, plain)).toThrow()
  }
  const twice = await fileWith([campaign, campaign])
  expect(() => readCampaigns(twice, catalogue, plain)).toThrow('unique')

  const forHolders = { ...campaign, type: 'for_nft_holders', nft_contract: '0xABC' }
  const file = await fileWith([forHolders])
  expect(() => readCampaigns(file, catalogue, plain)).toThrow('A cannot tell who holds an NFT')
  const able = chainOf(async () => true)
  expect(readCampaigns(file, catalogue, able)).toMatchObject([{ nft_contract: '0xabc' }])
  for (const nft_contract of [null, 'abc']) {
    const wrong = await fileWith([{ ...forHolders, nft_contract }])
    expect(() => readCampaigns(wrong, catalogue, able)).toThrow('nft_contract must be an address of A')
  }
})
