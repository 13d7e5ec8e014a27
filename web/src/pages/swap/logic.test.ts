/** The swap page's logic: the next step, token search, and the maximum amount. */
import type { RouteNetwork, RouteToken } from '@causeway/sdk/light'
import { expect, test } from 'vitest'
import {
  type Choice,
  type FormState,
  findChoice,
  flagsOf,
  hasMoved,
  keyOf,
  methodsOf,
  mostOf,
  nextStep,
  searchTokens,
} from './logic.ts'
import { groupsOf, popularOf } from './picker/groups.ts'

const token = (symbol: string, contract: string | null, rank: number, status = 'active') =>
  ({ symbol, display_asset: symbol, contract, source_rank: rank, destination_rank: rank, status }) as RouteToken
const network = (name: string, rank: number, tokens: RouteToken[]) =>
  ({
    name,
    display_name: name.toLowerCase(),
    chain_id: String(rank),
    source_rank: rank,
    destination_rank: rank,
    tokens,
  }) as RouteNetwork

const NETWORKS = [
  network('BETA', 2, [token('ETH', null, 1), token('USDC', '0xAb', 2, 'inactive')]),
  network('ALPHA', 1, [token('ETH', null, 1), token('USDC', '0xCd', 2)]),
]
const keys = (search: string, first: string[] = [], only: string | null = null) =>
  searchTokens(NETWORKS, search, only, first, 'source').map(({ key }) => key)

test('the button names the first missing step', () => {
  const all: FormState = {
    hasFrom: true,
    hasTo: true,
    hasAmount: true,
    isAmountBad: false,
    isAmountOpen: false,
    recipient: 'ok',
    isRefundBad: false,
    isRefundMissing: false,
    isPriced: true,
    isBlocked: false,
    limit: null,
  }
  const label = (changed: Partial<FormState>) => nextStep({ ...all, ...changed }).label
  // It opens the picker.
  expect(nextStep({ ...all, hasFrom: false, hasTo: false })).toEqual({ label: 'Select a token', isReady: true })
  expect(label({ hasAmount: false, recipient: 'empty' })).toBe('Enter an amount')
  expect(label({ hasAmount: false, isAmountBad: true })).toBe('Check the amount')
  expect(label({ hasAmount: false, isAmountBad: true, isAmountOpen: true })).toBe('Choose an amount')
  expect(label({ limit: 'Enter at least 0.002 ETH', recipient: 'empty' })).toBe('Enter at least 0.002 ETH')
  expect(label({ recipient: 'empty' })).toBe('Enter a recipient address')
  expect(label({ recipient: 'asking' })).toBe('Checking address…')
  expect(label({ recipient: 'bad' })).toBe('Check the recipient address')
  expect(label({ isRefundBad: true })).toBe('Check the refund address')
  expect(nextStep({ ...all, isRefundMissing: true })).toEqual({ label: 'Add a refund address', isReady: true })
  expect(nextStep({ ...all, isPriced: false })).toEqual({ label: 'Getting a price…', isReady: false })
  expect(nextStep(all)).toEqual({ label: 'Review swap', isReady: true })
  expect(nextStep({ ...all, isPriced: false, isBlocked: true }).isReady).toBe(false)
})

test('the picker shows what the wallet holds first, by value, then recent tokens, then the rest', () => {
  const found = searchTokens(NETWORKS, '', null, [], 'source')
  const held = { 'BETA:0xAb': { usd: 5 }, 'ALPHA:0xCd': { usd: 7 } }
  const groups = groupsOf(found, held, ['BETA:ETH', 'ALPHA:0xCd'])
  expect(groups.map(({ name, entries }) => [name, ...entries.map(({ key }) => key)])).toEqual([
    ['inWallet', 'ALPHA:0xCd'],
    ['recent', 'BETA:ETH'],
    ['allTokens', 'ALPHA:ETH', 'BETA:0xAb'],
  ])
  expect(popularOf(NETWORKS, 'source')[0]?.symbol).toBe('ETH')
})

test('tokens are found by symbol, network, contract and chain id, by rank, closed ones last', () => {
  expect(keys('')).toEqual(['ALPHA:ETH', 'ALPHA:0xCd', 'BETA:ETH', 'BETA:0xAb'])
  expect(keys('eth beta')).toEqual(['BETA:ETH'])
  expect(keys('0xab')).toEqual(['BETA:0xAb'])
  expect(keys('', [], 'BETA')).toEqual(['BETA:ETH', 'BETA:0xAb'])
  expect(keys('', ['BETA:ETH'])[0]).toBe('BETA:ETH')
  expect(keys('nothing')).toEqual([])
})

test('a link names a token by symbol or contract, in any case, and nothing else matches', () => {
  const found = findChoice(NETWORKS, 'ALPHA:0xcd')
  expect(found && keyOf(found)).toBe('ALPHA:0xCd')
  expect(findChoice(NETWORKS, '2:eth')?.network.name).toBe('BETA')
  expect(findChoice(NETWORKS, 'ALPHA:DAI')).toBeNull()
  expect(findChoice(NETWORKS, null)).toBeNull()
})

test('the maximum reserves 1.5 times the transfer cost and never exceeds the limit', () => {
  expect(mostOf(1_000n, 100n, null)).toBe(850n)
  expect(mostOf(1_000n, 100n, 500n)).toBe(500n)
  expect(mostOf(100n, 100n, null)).toBe(0n)
})

test('a price drop of more than 0.1 % needs confirmation', () => {
  expect(hasMoved(1_000, 999.5)).toBe(false)
  expect(hasMoved(1_000, 998.9)).toBe(true)
  expect(hasMoved(1_000, 1_100)).toBe(false)
})

test('an exact symbol match comes before recently used tokens', () => {
  const ether = [network('ETHEREUM', 1, [token('USDC', '0xEf', 1), token('ETH', null, 2)])]
  const found = searchTokens(ether, 'eth ethereum', null, ['ETHEREUM:0xEf'], 'source')
  expect(found.map(({ key }) => key)).toEqual(['ETHEREUM:ETH', 'ETHEREUM:0xEf'])
})

test('gasless is offered only for supported tokens and signing wallets; a deposit address comes last', () => {
  const choice = (methods: string[], gasless: boolean) =>
    ({ network: { deposit_methods: methods }, token: { supports_gasless_deposit: gasless } }) as unknown as Choice
  const both = ['wallet', 'deposit_address']
  expect(methodsOf(choice(both, true), true)).toEqual(['wallet', 'gasless', 'depository', 'deposit_address'])
  expect(methodsOf(choice(both, true), false)).toEqual(['wallet', 'depository', 'deposit_address'])
  expect(methodsOf(choice(both, false), true)).toEqual(['wallet', 'depository', 'deposit_address'])
  expect(methodsOf(choice(['deposit_address'], true), true)).toEqual(['deposit_address'])
  expect(flagsOf('gasless')).toEqual({ use_deposit_address: false, use_depository: false, use_gasless: true })
})
