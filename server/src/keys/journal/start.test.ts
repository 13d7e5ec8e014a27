import { expect, it } from 'vitest'
import { behindOf, decideStart, nextBranch, type StartFacts } from './start.ts'

const ROW = { id: 'j', databaseId: 'd', state: 'running' } as const
const JOURNAL = { id: 'j', database: 'd', state: 'running', hasSignatures: true } as const
const BOTH: StartFacts = {
  row: ROW,
  journal: JOURNAL,
  hasAttempts: true,
  newest: null,
  behind: [],
  hasUnknownLines: false,
}

it.each<[string, Partial<StartFacts>, string]>([
  ['a first start makes the journal', { row: null, journal: null, hasAttempts: false }, 'create'],
  ['an old database needs a word', { row: null, journal: null }, 'refuse'],
  ['a lost journal', { journal: null }, 'refuse'],
  ['a lost journal of a database that never signed', { journal: null, hasAttempts: false }, 'refuse'],
  [
    'a crash after the journal was made',
    { row: null, hasAttempts: false, journal: { ...JOURNAL, hasSignatures: false } },
    'insert_row',
  ],
  ['a journal with signatures and an empty database', { row: null, hasAttempts: false }, 'refuse'],
  ['a journal of another database', { journal: { ...JOURNAL, database: 'other' } }, 'refuse'],
  ['another journal of this database', { journal: { ...JOURNAL, id: 'other' } }, 'refuse'],
  ['both agree', { newest: { n: 3, hash: 'x', found: 'x' } }, 'run'],
  ['the journal lacks a line', { newest: { n: 3, hash: 'x', found: null } }, 'journal_behind'],
  ['the journal has another line', { newest: { n: 3, hash: 'x', found: 'y' } }, 'journal_behind'],
  ['a writer is behind', { behind: ['w'] }, 'rolled_back'],
  ['a slot is unknown', { hasUnknownLines: true }, 'rolled_back'],
  ['a stop is latched in the journal', { journal: { ...JOURNAL, state: 'rolled_back' } }, 'rolled_back'],
  ['a stop is latched in the database', { row: { ...ROW, state: 'journal_behind' } }, 'journal_behind'],
])('%s', (_, facts, expected) => {
  const decision = decideStart({ ...BOTH, ...facts }, false)
  expect(decision.do === 'stop' ? decision.code : decision.do).toBe(expected)
})

it('a writer is behind if it is missing, or one of its counters is lower', () => {
  expect(behindOf({ a: [3, 1], b: [2, 2], c: [1, 0], d: [1, 0] }, { a: [3, 1], b: [2, 1], c: [0, 5] })).toEqual([
    'b',
    'c',
    'd',
  ])
})

it('a branch is above the last one and, if the clock can be right, not below the clock', () => {
  const seconds = (now: string) => Math.floor((Date.parse(now) - Date.UTC(2020, 0, 1)) / 1000)
  expect(nextBranch(0, new Date('2026-01-01'))).toBe(seconds('2026-01-01'))
  expect(nextBranch(seconds('2027-01-01'), new Date('2026-01-01'))).toBe(seconds('2027-01-01') + 1)
  // A clock that jumped by decades would use up the branches that derivation paths have.
  expect(nextBranch(7, new Date('2090-01-01'))).toBe(8)
})
