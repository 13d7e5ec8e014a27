/** Links for people without a wallet: to the wallet's own site, and on a phone into its app with this page. */
import type { NetworkType } from '@causeway/sdk/light'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { canSend } from './families.ts'
import { knownFor } from './known.ts'

const PAGE = 'https://swap.example/swap/1?from=A:B&to=C:D'
const FAMILIES: NetworkType[] = ['evm', 'solana', 'ton', 'bitcoin', 'tron', 'starknet', 'paradex', 'cosmos', 'fuel']

const device = (isPhone: boolean) => vi.stubGlobal('matchMedia', () => ({ matches: isPhone }))
afterEach(() => void vi.unstubAllGlobals())

const linksOf = (type: NetworkType) =>
  Object.fromEntries(knownFor(type).map(({ name, opens, link }) => [name, { opens, link: link(PAGE) }]))

describe('on a desktop', () => {
  test.each(FAMILIES)('%s: every link leads to a site over https, without this page in it', (type) => {
    device(false)
    const links = Object.values(linksOf(type))
    expect(links.length).toBeGreaterThan(0)
    for (const { opens, link } of links) {
      expect(opens).toBe(false)
      expect(new URL(link).protocol).toBe('https:')
      expect(link).not.toContain('swap.example')
    }
  })
})

test('on a phone, a link that opens the app carries the whole address of this page', () => {
  device(true)
  expect(linksOf('evm').MetaMask).toEqual({ opens: true, link: `https://link.metamask.io/dapp/${PAGE.slice(8)}` })
  expect(new URL(linksOf('evm')['Coinbase Wallet']?.link ?? '').searchParams.get('cb_url')).toBe(PAGE)
  const phantom = new URL(linksOf('solana').Phantom?.link ?? '')
  expect(decodeURIComponent(phantom.pathname.replace('/ul/browse/', ''))).toBe(PAGE)
  expect(phantom.searchParams.get('ref')).toBe('https://swap.example')
})

test('every family whose wallets can send has a wallet to get', () => {
  device(false)
  for (const type of FAMILIES.filter(canSend)) expect(knownFor(type), type).not.toEqual([])
})
