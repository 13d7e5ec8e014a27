/** When rewards of a campaign are due, and to which recipients it applies. */
import { type Network, type NetworkType, parseDecimal, type Token } from '@causeway/core'
import { describe, expect, test } from 'vitest'
import type { Campaign } from '../catalogue/campaigns.ts'
import { openDatabase } from '../store/db/database.ts'
import { createCampaigns, settledThrough } from './campaigns.ts'

const ONE_USD = parseDecimal('1', 18) ?? 0n
const tokenOn = (network: string) => ({ network, symbol: 'X', contract: null, decimals: 6, precision: 6 }) as Token

const campaign: Campaign = {
  name: 'spring',
  display_name: 'Spring',
  type: 'default',
  nft_contract: null,
  token: tokenOn('HOME'),
  fee_share: 0.5,
  budgetUnits: 5_000_000n,
  minPayoutUnits: 0n,
  starts_at: '2026-03-01T00:00:00Z',
  ends_at: '2026-03-18T00:00:00Z',
  period_days: 7,
}

test.each([
  ['2026-02-01T00:00:00Z', -1],
  ['2026-03-01T00:00:00Z', -1],
  ['2026-03-07T23:59:59Z', -1],
  ['2026-03-08T00:00:00Z', 0],
  ['2026-03-17T23:59:59Z', 1],
  // The campaign ends in the middle of its third period, which is then over too.
  ['2026-03-18T00:00:00Z', 2],
  ['2026-03-22T00:00:00Z', 2],
  // Late rewards are still paid, one period later.
  ['2026-03-29T00:00:00Z', 3],
])('at %s rewards are due up to period %i', (now, period) => {
  expect(settledThrough(campaign, new Date(now))).toBe(period)
})

describe('a swap earns if its recipient can be paid in the token of the campaign', () => {
  const chain = (network: string, type: NetworkType) =>
    [
      network,
      {
        network: { name: network, type } as Network,
        treasury: 'us',
        parseAddress: (text: string) => (text === 'nonsense' ? null : text.toLowerCase()),
        isUnpayable: (address: string): boolean => address === 'burn',
      },
    ] as const
  const chains = new Map([chain('HOME', 'evm'), chain('NEIGHBOUR', 'evm'), chain('ABROAD', 'solana')])
  // No test here uses the database.
  const database = openDatabase('postgres://nobody@127.0.0.1:1/none')
  const holdings = { holds: () => null, refresh: async () => undefined }
  const campaigns = createCampaigns([campaign], { database, market: { price: () => ONE_USD }, chains, holdings })
  const source = tokenOn('ABROAD')
  const earned = (destination: string, address: string | null) => {
    const terms = {
      source,
      sourcePrice: ONE_USD,
      serviceFeeUnits: 3_000_000n,
      destination: tokenOn(destination),
      address,
    }
    return campaigns.earning(terms, new Date('2026-03-02T00:00:00Z')).earning?.units ?? null
  }

  test.each([
    ['at home', 'HOME', 'Somebody', 1_500_000n],
    ['on another network of the family', 'NEIGHBOUR', 'Somebody', 1_500_000n],
    ['where a quote does not say whom', 'NEIGHBOUR', null, 1_500_000n],
    ['on a network of another family', 'ABROAD', 'Somebody', null],
    ['of another family, whoever it is', 'ABROAD', null, null],
    ['to what is no address at home', 'NEIGHBOUR', 'nonsense', null],
    ['to an address that loses the money', 'NEIGHBOUR', 'burn', null],
    ['to ourselves', 'NEIGHBOUR', 'us', null],
  ])('%s', (_, destination, address, units) => {
    expect(earned(destination, address)).toBe(units)
  })
})
