/**
 * The gate's table: which objection stops which signature of which payout kind, and which approval removes the
 * objection.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PayoutHold } from '../swap/hold.ts'
import type { PayoutKind } from '../swap/payout.ts'
import {
  applies,
  type DepositInDoubt,
  type Found,
  isLeaving,
  OBJECTION_CODES,
  type ObjectionCode,
  objectionsTo,
  type PayoutFacts,
  PURPOSES,
} from './gate.ts'

const KINDS: PayoutKind[] = ['output', 'refuel', 'refund', 'return', 'sweep', 'relay', 'admin', 'reward', 'withdrawal']

/**
 * Per objection: its class, the purposes that it stops, and the payout kinds that it applies to. The same table is in
 * docs/security.md.
 */
const WANTED: Record<ObjectionCode, [string, string, string]> = {
  reorged: ['hold', 'new', 'all'],
  restore: ['hold', 'new', 'all'],
  stopped: ['hold', 'new bump cancel', 'all'],
  history: ['hold', 'new bump cancel', 'all'],
  halt: ['hold', 'new bump cancel', 'all'],
  switch: ['hold', 'new', 'leaving'],
  price: ['hold', 'new', 'leaving'],
  limit: ['hold', 'new', 'leaving'],
  reverifying: ['hold', 'new', 'leaving'],
  deposit: ['hold', 'new bump', 'leaving'],
  reward: ['hold', 'new', 'leaving'],
  proceeds: ['hold', 'new', 'leaving'],
  screening: ['hold', 'new', 'leaving'],
  approval: ['hold', 'new', 'leaving'],
  recipient_cap: ['hold', 'new', 'leaving'],
  rejected: ['end', 'new bump', 'all'],
  relay: ['end', 'new bump', 'relays'],
  relay_busy: ['wait', 'new bump', 'relays'],
  unlooked: ['wait', 'new', 'all'],
  unscreened: ['wait', 'new', 'leaving'],
  liquidity: ['wait', 'new', 'leaving'],
}

const HOLD: PayoutHold = { code: 'signing_stopped', state: 'rolled_back' }
const PLAIN: PayoutFacts = {
  ...{ id: 'p', kind: 'output', found: [], deposits: [], isAccepted: false, isReserved: false },
  ...{ symbol: 'SIM', worth: 50n, approvalAbove: null, budgets: [], approved: [] },
}
const found = (code: ObjectionCode): Found => ({ code, hold: HOLD })
const codesOf = (facts: Partial<PayoutFacts>, left: Record<string, bigint> = {}, purpose = PURPOSES[0]) =>
  (objectionsTo([{ ...PLAIN, ...facts }], new Map(Object.entries(left)), purpose).get('p') ?? []).map(
    ({ code }) => code,
  )
const holdsOf = (facts: Partial<PayoutFacts>) =>
  (objectionsTo([{ ...PLAIN, ...facts }], new Map(), 'new').get('p') ?? []).map(({ hold }) => hold)

test('every objection, purpose and kind', () => {
  expect(Object.keys(WANTED).toSorted()).toEqual(OBJECTION_CODES.toSorted())
  for (const code of OBJECTION_CODES)
    for (const kind of KINDS)
      for (const purpose of PURPOSES) {
        const [objectionClass, purposes, kinds] = WANTED[code]
        const isAbout = kinds === 'all' || (kinds === 'relays' ? kind === 'relay' : isLeaving(kind))
        const [first] = objectionsTo([{ ...PLAIN, kind, found: [found(code)] }], new Map(), purpose).get('p') ?? []
        const wanted = isAbout && purposes.split(' ').includes(purpose) ? objectionClass : undefined
        expect(first?.class, `${code} ${kind} ${purpose}`).toBe(wanted)
      }
})

test('a lost deposit stops a bump until a node has accepted the payment', () => {
  expect(applies('deposit', { kind: 'output', isAccepted: false }, 'bump')).toBe(true)
  expect(applies('deposit', { kind: 'output', isAccepted: true }, 'bump')).toBe(false)
  expect(applies('deposit', { kind: 'output', isAccepted: true }, 'new')).toBe(true)
})

test('all objections are returned, and those that never expire come before those that are retried', () => {
  const all = fc.uniqueArray(fc.constantFrom(...OBJECTION_CODES), { minLength: 1 })
  fc.assert(
    fc.property(all, (codes) => {
      const answered = codesOf({ kind: 'relay', found: codes.map(found) })
      expect(answered.toSorted()).toEqual(codes.filter((code) => WANTED[code][2] !== 'leaving').toSorted())
      const classes = codesOf({ found: codes.map(found) }).map((code) => WANTED[code][0])
      expect(classes).toEqual(
        classes.toSorted((a, b) => ['hold', 'end', 'wait'].indexOf(a) - ['hold', 'end', 'wait'].indexOf(b)),
      )
    }),
  )
})

describe('limits', () => {
  test('may be reached, but not exceeded by the smallest unit', () => {
    expect(codesOf({ budgets: ['hour'] }, { hour: 50n })).toEqual([])
    expect(codesOf({ budgets: ['hour'] }, { hour: 49n })).toEqual(['limit'])
    expect(codesOf({ budgets: ['hour', 'day'] }, { hour: 50n, day: 49n })).toEqual(['limit'])
    expect(codesOf({ budgets: ['hour'] }, {}), 'no such limit').toEqual([])
  })

  test('payouts that pass together stay within them, in any order', () => {
    const worths = fc.array(fc.record({ worth: fc.bigInt(0n, 100n), isHalted: fc.boolean() }), { maxLength: 8 })
    fc.assert(
      fc.property(worths, fc.bigInt(0n, 300n), (payouts, left) => {
        const facts = payouts.map(({ worth, isHalted }, id): PayoutFacts => {
          return { ...PLAIN, id: `${id}`, worth, budgets: ['hour'], found: isHalted ? [found('halt')] : [] }
        })
        const objections = objectionsTo(facts, new Map([['hour', left]]), 'new')
        const passing = facts.filter(({ id }) => !objections.has(id))
        expect(passing.reduce((sum, { worth }) => sum + (worth ?? 0n), 0n) <= left).toBe(true)
      }),
    )
  })

  test('if none is set, every payout passes', () => {
    const both = [PLAIN, { ...PLAIN, id: 'q' }].map((one) => ({ ...one, budgets: ['hour'] }))
    expect(objectionsTo(both, new Map(), 'new').size).toBe(0)
  })

  test('a payout that has its slot was counted when it got it', () => {
    expect(codesOf({ budgets: ['hour'], isReserved: true }, { hour: 0n })).toEqual([])
    const [reserved, next] = [
      { ...PLAIN, budgets: ['hour'], isReserved: true },
      { ...PLAIN, id: 'q', budgets: ['hour'] },
    ]
    expect(objectionsTo([reserved, next], new Map([['hour', 50n]]), 'new').size).toBe(0)
  })

  test('without a price, no payout with a limit or a threshold passes', () => {
    expect(codesOf({ worth: null, budgets: ['hour'] }, { hour: 10n ** 30n })).toEqual(['price'])
    expect(codesOf({ worth: null, approvalAbove: 10n ** 30n })).toEqual(['price'])
    expect(codesOf({ worth: null, budgets: ['hour'] })).toEqual([])
  })
})

describe('an approval removes exactly the objection that was shown', () => {
  const lost = (id: string): DepositInDoubt => ({ id, txHash: '0x1', state: 'lost' })
  const screened = (listing: string, address = 'sim1x'): PayoutHold => ({ code: 'screened', address, listing })
  const screening = (hold: PayoutHold): Partial<PayoutFacts> => ({ found: [{ code: 'screening', hold }] })

  test('of the value, up to a tenth more', () => {
    const approved: PayoutHold[] = [{ code: 'approval_needed', usd: '50' }]
    expect(codesOf({ approvalAbove: 49n })).toEqual(['approval'])
    expect(codesOf({ approvalAbove: 49n, approved })).toEqual([])
    expect(codesOf({ approvalAbove: 49n, approved, worth: 55n })).toEqual([])
    expect(codesOf({ approvalAbove: 49n, approved, worth: 56n })).toEqual(['approval'])
    expect(codesOf({ approvalAbove: 49n, approved: [{ code: 'approval_needed' }] }), 'no value was shown').toEqual([
      'approval',
    ])
  })

  test('of one deposit, not of another one of the same transaction', () => {
    const approved: PayoutHold[] = [{ code: 'deposit_lost', txHash: '0x1', deposit: 'a' }]
    expect(codesOf({ deposits: [lost('a')], approved })).toEqual([])
    expect(holdsOf({ deposits: [lost('a'), lost('b')], approved })).toEqual([
      { code: 'deposit_lost', txHash: '0x1', deposit: 'b' },
    ])
  })

  test('of one listing, whatever score it counts up to', () => {
    const approved = [screened('risk score 80')]
    expect(codesOf({ ...screening(screened('risk score 81', 'SIM1X')), approved })).toEqual([])
    expect(codesOf({ ...screening(screened('sanctioned')), approved })).toEqual(['screening'])
    expect(codesOf({ ...screening(screened('risk score 80', 'sim1y')), approved })).toEqual(['screening'])
  })

  test('and no halt, switch or limit', () => {
    for (const code of ['halt', 'switch', 'restore', 'history'] as const)
      expect(codesOf({ found: [found(code)], approved: [HOLD] })).toEqual([code])
  })
})

test('a deposit in reverification is shown before those that an operator must decide about', () => {
  const deposits: DepositInDoubt[] = [
    { id: 'a', txHash: '0xa', state: 'unlocatable' },
    { id: 'b', txHash: '0xb', state: 'lost' },
    { id: 'c', txHash: '0xc', state: 'reverifying' },
  ]
  expect(holdsOf({ deposits }).map(({ code }) => code)).toEqual([
    'deposit_reverifying',
    'deposit_lost',
    'deposit_unlocatable',
  ])
})
