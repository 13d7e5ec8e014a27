/** The table of the payout state machine: each slot state with each event. */
import { describe, expect, test } from 'vitest'
import type { TransferStatus } from '../port/paying.ts'
import type { PayoutHold } from '../swap/hold.ts'
import type { Objection, ObjectionCode } from './gate.ts'
import { nextStep, PAYOUT_EVENTS, PAYOUT_TABLE, type PayoutEvent, SLOT_STATES, type SlotState } from './next-step.ts'
import type { AttemptView, Failure, Outcome, PayoutMachineFacts, PayoutStep, PayoutView, SlotView } from './views.ts'

const NOW = new Date('2026-01-01T12:00:00Z')
const ago = (ms: number) => new Date(NOW.getTime() - ms)
const [STUCK_MS, GIVE_UP_MS, PATIENCE_MS] = [90_000, 7_200_000, 600_000]
const block = { number: 7n, hash: 'b' }
const EVIDENCE = { usedBy: '0xother', block, reason: 'its nonce was used' }

const FACTS: PayoutMachineFacts = {
  now: NOW,
  policy: { confirmations: 2, finalDepth: 6, stuckAfterMs: STUCK_MS, giveUpMs: GIVE_UP_MS, patienceMs: PATIENCE_MS },
  chain: { isConfigured: true, isOrdered: true, canReplace: true, hasKeys: true },
  ...{ objections: [], isSourceLost: false, isSourceInDoubt: false, isCancelWanted: false, wasPaid: false },
  ...{ troubleMs: 0, outcome: null },
}
const SLOT: SlotView = { ageMs: 0, isSignedBehind: false, hasGapBefore: false }
const PAYOUT: PayoutView = { id: 'p', kind: 'output', state: 'open', reverts: 0 }
const ATTEMPT: AttemptView = {
  ...{ hash: '0x1', cancels: false, createdAt: ago(1_000), isPermanentlyRejected: false, status: null },
  ...{ firstAcceptedAt: ago(1_000), lastAcceptedAt: ago(1_000) },
}
const UNSENT = { firstAcceptedAt: null, lastAcceptedAt: null }

interface Case {
  slot: SlotView | null
  payouts: PayoutView[]
  attempts: AttemptView[]
  facts: PayoutMachineFacts
}

function inState(state: SlotState): Case {
  const attempts: Record<SlotState, AttemptView[]> = {
    none: [],
    unsigned: [],
    signed: [{ ...ATTEMPT, ...UNSENT }],
    accepted: [ATTEMPT],
    cancelling: [ATTEMPT, { ...ATTEMPT, hash: '0x2', cancels: true }],
    confirmed: [ATTEMPT],
  }
  const payouts = [{ ...PAYOUT, state: state === 'confirmed' ? ('confirmed' as const) : ('open' as const) }]
  return { slot: state === 'none' ? null : SLOT, payouts, attempts: attempts[state], facts: FACTS }
}

const TROUBLE: PayoutHold = { code: 'trouble', error: 'RetryLater' }
const PAUSED: PayoutHold = { code: 'paused', scope: 'service', note: 'a look' }
const objection = (
  code: Objection['code'],
  objectionClass: Objection['class'],
  hold: PayoutHold = PAUSED,
): Objection => {
  return { code, class: objectionClass, hold, detail: null }
}
const outcome = (of: Outcome['of'], failure: Failure, hold: PayoutHold = TROUBLE): Outcome => {
  return { of, purpose: 'new', failure, hold, detail: 'why' }
}
const status = (state: 'included' | 'reverted', confirmations: number): TransferStatus => {
  return { state, block, confirmations, feeUnits: 1n }
}
const newest = (one: Case, change: Partial<AttemptView>): Case => {
  return { ...one, attempts: one.attempts.with(-1, { ...(one.attempts.at(-1) ?? ATTEMPT), ...change }) }
}
const told = (one: Case, found: TransferStatus): Case => {
  return {
    ...one,
    attempts: one.attempts.map((each, at) => ({ ...each, status: at === 0 ? found : { state: 'unknown' } })),
  }
}
const facts = (one: Case, change: Partial<PayoutMachineFacts>): Case => ({ ...one, facts: { ...one.facts, ...change } })
const signed = (one: Case, change: (one: Case) => Case): Case => (one.attempts.length > 0 ? change(one) : one)

/** How to produce each event, independent of the slot state. */
const HAPPENS: Record<PayoutEvent, (one: Case) => Case> = {
  included: (one) => signed(one, () => told(one, status('included', 2))),
  failed: (one) => ({
    ...one,
    attempts: one.attempts.map((each) => ({ ...each, status: { state: 'dead', evidence: EVIDENCE } })),
  }),
  in_block: (one) => signed(one, () => told(one, status('included', 1))),
  was_paid: (one) => facts(one, { wasPaid: true }),
  network_missing: (one) => facts(one, { chain: { ...FACTS.chain, isConfigured: false } }),
  keys_missing: (one) => facts(one, { chain: { ...FACTS.chain, hasKeys: false } }),
  uncancelled: (one) => facts(one, { outcome: { ...outcome('prepare', 'retryable'), purpose: 'cancel' } }),
  cancel_wanted: (one) => facts(one, { isCancelWanted: true }),
  lapsed: (one) => ({ ...one, payouts: one.payouts.map((each) => ({ ...each, validUntil: ago(60_000) })) }),
  doubted: (one) => facts(one, { isSourceInDoubt: true }),
  rejected: (one) => facts(one, { objections: [objection('rejected', 'end')] }),
  objection: (one) => facts(one, { objections: [objection('switch', 'hold')] }),
  ended: (one) => facts(one, { objections: [objection('relay', 'end')] }),
  worn_out: (one) => ({ ...one, payouts: one.payouts.map((each) => ({ ...each, reverts: 2 })) }),
  waiting: (one) => facts(one, { objections: [objection('liquidity', 'wait', TROUBLE)] }),
  objected: (one) => facts(one, { outcome: outcome('sign', 'objected', PAUSED) }),
  impossible: (one) => facts(one, { outcome: outcome('prepare', 'impossible') }),
  fee_above_limit: (one) => facts(one, { outcome: outcome('prepare', 'fee_above_limit', { code: 'fee_above_limit' }) }),
  signer_refused: (one) =>
    facts(one, { outcome: outcome('sign', 'signer_refused', { code: 'signer_refused', refusal: 'policy' }) }),
  slot_unavailable: (one) => facts(one, { outcome: outcome('prepare', 'slot_unavailable') }),
  unprepared: (one) => facts(one, { outcome: outcome('prepare', 'retryable') }),
  signer_silent: (one) => facts(one, { outcome: outcome('sign', 'retryable') }),
  gap: (one) => (one.slot ? { ...one, slot: { ...one.slot, hasGapBefore: true } } : one),
  refused: (one) => facts(one, { outcome: outcome('broadcast', 'retryable') }),
  unsent: (one) => signed(one, () => newest(one, UNSENT)),
  stuck: (one) => signed(one, () => newest(one, { createdAt: ago(STUCK_MS), firstAcceptedAt: ago(STUCK_MS) })),
  quiet: (one) => signed(one, () => newest(one, { lastAcceptedAt: ago(5_000) })),
  none: (one) => one,
}

/** In the order of SLOT_STATES: none, unsigned, signed, accepted, cancelling, confirmed. A dash: the row does not apply. */
const WANTED: Record<PayoutEvent, string> = {
  included: '- - confirm confirm confirm confirm',
  failed: '- - unpaid unpaid unpaid unpaid',
  in_block: '- - wait wait wait wait',
  was_paid: 'confirm - - - - -',
  network_missing: 'wait wait wait wait wait wait',
  keys_missing: 'change_wallet release - - - -',
  uncancelled: '- wait wait wait resend -',
  cancel_wanted: '- release cancel cancel - -',
  lapsed: '- - cancel cancel - -',
  doubted: '- - wait - - -',
  rejected: 'give_up release - - - -',
  objection: 'hold release - - - -',
  ended: 'give_up release - - - -',
  worn_out: 'wait release - - - -',
  waiting: 'wait release - - - -',
  objected: 'hold release hold hold hold hold',
  impossible: 'wait release resend resend resend resend',
  fee_above_limit: 'hold release resend resend resend resend',
  signer_refused: 'hold release hold hold hold hold',
  slot_unavailable: 'wait release resend resend resend resend',
  unprepared: 'wait release resend resend resend resend',
  signer_silent: 'wait wait wait wait wait wait',
  gap: '- release - - - -',
  refused: '- - wait wait wait wait',
  unsent: '- - send send send send',
  stuck: '- - send bump cancel bump',
  quiet: '- - send resend resend resend',
  none: 'allocate sign wait wait wait wait',
}

const ask = ({ slot, payouts, attempts, facts: known }: Case): PayoutStep => nextStep(slot, payouts, attempts, known)
const cells = PAYOUT_EVENTS.flatMap((event) =>
  SLOT_STATES.map((state, at) => ({ event, state, wanted: WANTED[event].split(' ')[at] ?? '' })),
)

describe('every event in every state', () => {
  test('the table is the one written here', () => {
    expect(Object.keys(WANTED).toSorted()).toEqual(PAYOUT_EVENTS.toSorted())
    for (const { event, state, wanted } of cells)
      expect(PAYOUT_TABLE[event][state] === null, `${event} ${state}`).toBe(wanted === '-')
  })

  // A signed transaction that no node accepted is `unsent`, and that row comes before these two.
  const isShadowed = (event: PayoutEvent, state: SlotState) =>
    state === 'signed' && ['stuck', 'quiet', 'none'].includes(event)

  test.each(cells.filter(({ event, state, wanted }) => wanted !== '-' && !isShadowed(event, state)))(
    '$event, $state: $wanted',
    ({ event, state, wanted }) => {
      const answer = ask(HAPPENS[event](inState(state)))
      expect(answer.step).toBe(wanted)
    },
  )

  test('of two events at once, the earlier row decides', () => {
    for (const [at, first] of PAYOUT_EVENTS.entries())
      for (const second of PAYOUT_EVENTS.slice(at + 1))
        for (const state of SLOT_STATES) {
          if (PAYOUT_TABLE[first][state] === null || isShadowed(first, state)) continue
          // The step after a refusal depends on the age of the bytes.
          if (first === 'refused' && second === 'stuck') continue
          // Bytes that are stuck were accepted, and then their deposit does not matter any more.
          if (first === 'doubted' && second === 'stuck') continue
          const both = HAPPENS[first](HAPPENS[second](inState(state)))
          const alone = HAPPENS[first](inState(state))
          expect(ask(both).step, `${first} and ${second} in ${state}`).toBe(ask(alone).step)
        }
  })
})

const stepIn = (state: SlotState, change: (one: Case) => Case) => ask(change(inState(state)))
const overdue = (one: Case) => facts(one, { troubleMs: GIVE_UP_MS })
const behind = (one: Case): Case => ({ ...one, slot: { ...SLOT, isSignedBehind: true } })
const old = (one: Case): Case => ({ ...one, slot: { ...SLOT, isSignedBehind: true, ageMs: 60_000 } })
const independent = (one: Case) => facts(one, { chain: { ...FACTS.chain, isOrdered: false } })
const final = (one: Case) => facts(one, { chain: { ...FACTS.chain, canReplace: false } })
const after =
  (...changes: ((one: Case) => Case)[]) =>
  (one: Case) =>
    changes.reduce((left, change) => change(left), one)

describe('giving up', () => {
  test('trouble ends after `giveUpMs`, an impossible payout after `patienceMs`, a call at once', () => {
    expect(stepIn('none', after(HAPPENS.unprepared, overdue))).toMatchObject({ step: 'give_up', because: 'trouble' })
    expect(stepIn('none', after(HAPPENS.waiting, overdue))).toMatchObject({ step: 'give_up', because: 'trouble' })
    const patient = (one: Case) => facts(one, { troubleMs: PATIENCE_MS })
    expect(stepIn('none', after(HAPPENS.impossible, patient))).toMatchObject({ step: 'give_up', because: 'impossible' })
    expect(stepIn('none', after(HAPPENS.worn_out, patient))).toMatchObject({ step: 'give_up', because: 'impossible' })
    const call = (one: Case): Case => ({ ...one, payouts: [{ ...PAYOUT, kind: 'relay' }] })
    expect(stepIn('none', after(HAPPENS.impossible, call))).toMatchObject({ step: 'give_up', because: 'impossible' })
  })

  test('not while the gate holds it, nor while nothing can be checked', () => {
    for (const event of ['unprepared', 'impossible', 'worn_out'] as const) {
      const step = stepIn('none', after(HAPPENS.objection, HAPPENS[event], overdue))
      expect(step).toMatchObject({ step: 'hold', hold: PAUSED })
    }
    const unlooked = objection('unlooked', 'wait', { code: 'trouble', error: 'NotLooked' })
    expect(stepIn('none', (one) => facts(overdue(one), { objections: [unlooked] })).step).toBe('wait')
    expect(stepIn('none', after(HAPPENS.network_missing, overdue)).step).toBe('wait')
  })

  test('a rejection ends a payout despite other holds, unless it may have been paid', () => {
    const rejected = objection('rejected', 'end')
    for (const code of ['switch', 'halt', 'limit', 'screening', 'approval', 'deposit'] as const)
      expect(stepIn('none', (one) => facts(one, { objections: [objection(code, 'hold'), rejected] }))).toMatchObject({
        step: 'give_up',
        because: 'rejected',
      })
    for (const code of ['restore', 'reorged', 'history', 'stopped'] as const)
      expect(stepIn('none', (one) => facts(one, { objections: [objection(code, 'hold'), rejected] })).step).toBe('hold')
    const unlooked = objection('unlooked', 'wait', TROUBLE)
    expect(stepIn('none', (one) => facts(one, { objections: [unlooked, rejected] })).step).toBe('wait')
  })

  test('an expired relay ends despite other holds, unless it may have been paid', () => {
    const over = objection('relay', 'end')
    const withHold = (code: ObjectionCode) =>
      stepIn('none', (one) => facts(one, { objections: [objection(code, 'hold'), over] }))
    for (const code of ['halt', 'switch'] as const) expect(withHold(code).step).toBe('give_up')
    for (const code of ['restore', 'reorged', 'history', 'stopped'] as const) expect(withHold(code).step).toBe('hold')
  })

  test('never while it has a slot', () => {
    for (const event of PAYOUT_EVENTS)
      for (const state of SLOT_STATES.filter((each) => each !== 'none'))
        expect(stepIn(state, after(HAPPENS[event], overdue)).step, `${event} ${state}`).not.toBe('give_up')
  })
})

describe('a slot in which nothing was signed', () => {
  test('is cancelled instead of released if something is signed behind it', () => {
    for (const event of ['objection', 'rejected', 'impossible', 'fee_above_limit', 'signer_refused'] as const)
      expect(stepIn('unsigned', after(HAPPENS[event], behind)).step, event).toBe('cancel')
  })

  test('is kept for a minute if its payout cannot be prepared or its signer is silent', () => {
    for (const event of ['unprepared', 'signer_silent', 'waiting'] as const) {
      expect(stepIn('unsigned', after(HAPPENS[event], behind)).step, event).toBe('wait')
      expect(stepIn('unsigned', after(HAPPENS[event], old)).step, event).toBe('cancel')
    }
  })

  test('of independent slots is never cancelled, and released only when its payout is given up', () => {
    for (const event of PAYOUT_EVENTS.filter((each) => each !== 'uncancelled'))
      expect(stepIn('unsigned', after(HAPPENS[event], independent)).step, event).not.toBe('cancel')
    expect(stepIn('unsigned', after(HAPPENS.unprepared, independent)).step).toBe('wait')
    expect(stepIn('unsigned', after(HAPPENS.unprepared, independent, overdue)).step).toBe('release')
  })

  test('a gap before it is closed, unless something is signed behind it', () => {
    expect(stepIn('unsigned', after(behind, HAPPENS.gap)).step).toBe('sign')
  })
})

describe('a signed slot', () => {
  test('that no node accepts is bumped once it is stuck, and cancelled at last', () => {
    const stuck = (one: Case) => newest(one, { createdAt: ago(STUCK_MS) })
    expect(stepIn('signed', after(stuck, HAPPENS.refused)).step).toBe('bump')
    expect(stepIn('signed', after(stuck, HAPPENS.refused, overdue)).step).toBe('cancel')
    expect(stepIn('signed', after(stuck, overdue)).step, 'offered once more first').toBe('send')
    expect(stepIn('accepted', after(HAPPENS.stuck, overdue)).step).toBe('resend')
    expect(stepIn('cancelling', after(HAPPENS.stuck, HAPPENS.refused)).step).toBe('cancel')
    expect(stepIn('confirmed', after(HAPPENS.stuck, HAPPENS.refused, overdue)).step).toBe('bump')
  })

  test('is stuck by the time when it was accepted first, however often it was sent since', () => {
    const dropped = (one: Case) => newest(one, { firstAcceptedAt: ago(STUCK_MS), lastAcceptedAt: ago(5_000) })
    expect(stepIn('accepted', dropped).step).toBe('bump')
    const young = (one: Case) => newest(one, { createdAt: ago(STUCK_MS - 1), firstAcceptedAt: ago(STUCK_MS - 1) })
    for (const state of ['signed', 'accepted', 'cancelling', 'confirmed'] as const)
      expect(['bump', 'cancel'], state).not.toContain(stepIn(state, young).step)
  })

  test('is cancelled if no node will ever accept it, or if its deposit was lost before one did', () => {
    const never = (one: Case) => newest(one, { isPermanentlyRejected: true })
    expect(stepIn('signed', never).step).toBe('cancel')
    const lost = (one: Case) => facts(one, { isSourceLost: true })
    expect(stepIn('signed', lost).step).toBe('cancel')
    expect(stepIn('accepted', lost).step, 'it is a loss already').not.toBe('cancel')
  })

  test('is held back while its deposit is in doubt, and for good if it cannot be replaced', () => {
    const doubted = (one: Case) => facts(one, { isSourceInDoubt: true })
    expect(stepIn('signed', doubted).step).toBe('wait')
    expect(stepIn('accepted', after(HAPPENS.quiet, doubted)).step, 'a node has it').toBe('resend')
    const lost = (one: Case) => facts(one, { isSourceLost: true })
    const wanted = (one: Case) => facts(one, { isCancelWanted: true })
    for (const change of [lost, after(lost, wanted)]) {
      expect(stepIn('signed', after(final, change)).step).toBe('wait')
      expect(stepIn('accepted', after(final, HAPPENS.quiet, change)).step, 'a node has it').toBe('resend')
    }
  })

  test('of a chain without replacement is neither bumped nor cancelled', () => {
    for (const event of PAYOUT_EVENTS)
      for (const state of ['signed', 'accepted', 'confirmed'] as const)
        for (const change of [final, after(final, overdue)])
          expect(['bump', 'cancel'], `${event} ${state}`).not.toContain(
            stepIn(state, after(HAPPENS[event], change)).step,
          )
  })

  test('that proves unpaid holds its confirmed payouts for an operator', () => {
    const two = (one: Case): Case => ({ ...one, payouts: [PAYOUT, { ...PAYOUT, id: 'q', state: 'confirmed' }] })
    expect(stepIn('accepted', after(two, HAPPENS.failed))).toMatchObject({ step: 'unpaid', reorged: ['q'] })
  })
})

test.each([0, GIVE_UP_MS + 1])(
  'without its network a payout is neither paid nor given up: %i ms of trouble',
  (troubleMs) => {
    const { slot, payouts, attempts, facts: known } = inState('none')
    const missing = {
      ...known,
      chain: { ...known.chain, isConfigured: false },
      troubleMs,
      outcome: outcome('prepare', 'retryable'),
    }
    expect(nextStep(slot, payouts, attempts, missing)).toMatchObject({ step: 'wait' })
  },
)
