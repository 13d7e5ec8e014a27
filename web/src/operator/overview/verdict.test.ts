/** The overview's headline states the facts, and the worst one decides its tone. */
import { expect, test } from 'vitest'
import type { Overview } from '../shell/answers.ts'
import { verdictOf } from './verdict.ts'

const NOW = '2026-01-01T01:00:00.000Z'
const quiet: Overview = {
  ...{ now: NOW, waiting: [], retrying: 0, given_up: 0, paused: [], halted: [], wallets: [], feeds: [] },
  result: { earned: 3, spent: 1, usd: 2, is_partial: false },
  motion: { paid: 4, newest: NOW, under_way: 1 },
}
const wallet = {
  ...{ network: 'BASE', amount: '1', units: '1', symbol: 'ETH', usd: 1, account: '0x1' },
  ...{ floor: null, ceiling: null, scope: null, is_low: false, move_from: null },
  seen_at: '2026-01-01T00:59:20.000Z',
}
const held = {
  ...{ kind: 'held' as const, id: '1', swap: null, network: 'BASE', amount: '1', units: '1' },
  ...{ symbol: 'ETH', reason: 'x' },
  ...{ usd: 3_900, since: '2026-01-01T00:38:00.000Z' },
}

test('nothing waits, and the ledger matches', () => {
  const verdict = verdictOf({ ...quiet, wallets: [{ ...wallet, agrees: true }] })
  expect(verdict.tone).toBe('good')
  expect(verdict.words).toEqual(['All is well. Nothing needs you.', 'Books and chains agree, checked 40 s ago'])
})

test('waiting items are in a card of their own: all is not well, and nothing is shown twice', () => {
  const verdict = verdictOf({ ...quiet, waiting: [held], wallets: [{ ...wallet, agrees: true }] })
  expect(verdict).toEqual({ tone: 'warn', words: ['Books and chains agree, checked 40 s ago'] })
})

test('a halted wallet is the worst; an unchecked wallet is not a difference', () => {
  const halted = [{ network: 'BASE', account: '0x1', reason: 'coins are missing', at: NOW }]
  const verdict = verdictOf({ ...quiet, halted, wallets: [{ ...wallet, agrees: null }] })
  expect(verdict).toEqual({ tone: 'bad', words: ['1 wallet is halted'] })
  expect(verdictOf({ ...quiet, wallets: [{ ...wallet, agrees: false }] }).words.at(-1)).toBe(
    '1 balance differs from the books now',
  )
})

test('agreement is claimed only for the balances that were compared', () => {
  const wallets = [
    { ...wallet, agrees: true },
    { ...wallet, agrees: null },
  ]
  expect(verdictOf({ ...quiet, wallets }).words.at(-1)).toBe(
    'Books and chains agree for 1 of 2 balances, checked 40 s ago. The others are not compared yet.',
  )
})

test('a daily loss is shown, and so are webhooks that were given up', () => {
  const lost = { ...quiet, given_up: 2, result: { earned: 1, spent: 4.5, usd: -3.5, is_partial: false } }
  expect(verdictOf(lost).words).toEqual([
    '2 webhooks given up on in the last 24 h',
    '$3.50 more spent than earned in the last 24 h',
  ])
})

test('a wallet below its minimum is in the card of what needs an operator, and decides the tone', () => {
  const low = { ...wallet, agrees: true, floor: 5_000, is_low: true }
  const { tone, words } = verdictOf({ ...quiet, wallets: [low, { ...wallet, agrees: true }] })
  expect([tone, words]).toEqual(['warn', ['Books and chains agree, checked 40 s ago']])
})
