/** Holds are compared by code and parameters; their class is derived from the code; the text is for people only. */
import { expect, test } from 'vitest'
import {
  describeHold,
  HOLD_CODES,
  type Hold,
  type HoldCode,
  holdClass,
  holdKey,
  holdParams,
  isSameHold,
} from './hold.ts'

/** One example per code. The type ensures that the list is complete. */
const EXAMPLES: { [Code in HoldCode]: Extract<Hold, { code: Code }> } = {
  unknown_outflow: { code: 'unknown_outflow', network: 'BETA', txHash: '0x1', count: 2 },
  unknown_pending: { code: 'unknown_pending', network: 'BETA', txHash: '0x1' },
  wallet_halted: { code: 'wallet_halted', causes: ['operator', 'shortfall'] },
  shortfall: { code: 'shortfall', token: 'native', symbol: 'SIM', units: '5' },
  shortfall_cleared: { code: 'shortfall_cleared', token: 'native', symbol: 'SIM' },
  operator: { code: 'operator', note: 'a look' },
  paused: { code: 'paused', scope: 'service', note: 'a look' },
  outflow_limit: { code: 'outflow_limit' },
  no_price: { code: 'no_price', symbol: 'SIM' },
  approval_needed: { code: 'approval_needed' },
  screened: { code: 'screened', address: 'sim1x', listing: 'sanctioned' },
  deposit_reverifying: { code: 'deposit_reverifying', txHash: '0x1' },
  deposit_lost: { code: 'deposit_lost', txHash: '0x1' },
  deposit_unlocatable: { code: 'deposit_unlocatable', txHash: '0x1' },
  reward_unearned: { code: 'reward_unearned' },
  recipient_cap: { code: 'recipient_cap', address: 'sim1x', most: 3 },
  excess_proceeds: { code: 'excess_proceeds', symbol: 'SIM', received: '900', plausible: '105' },
  restore_doubt: { code: 'restore_doubt' },
  payout_reorged: { code: 'payout_reorged', txHash: '0x1', block: '7', evidence: 'nonce 3 was used by 0x2' },
  signer_refused: { code: 'signer_refused', refusal: 'policy' },
  fee_above_limit: { code: 'fee_above_limit' },
  signing_stopped: { code: 'signing_stopped', state: 'rolled_back' },
  trouble: { code: 'trouble', error: 'RetryLater' },
}
const ALL = Object.values(EXAMPLES)

test('every code has an example here, a class and a text of one line', () => {
  expect(HOLD_CODES.toSorted()).toEqual(Object.keys(EXAMPLES).toSorted())
  for (const hold of ALL) {
    expect(holdClass(hold)).toBeDefined()
    expect(describeHold(hold)).toMatch(/^[^\n]+$/)
  }
})

test('no two codes have the same text', () => {
  const texts = ALL.map((hold) => describeHold(hold))
  expect(new Set(texts).size).toBe(texts.length)
})

test('the class of a code', () => {
  const codes = (is: (hold: Hold) => boolean) => ALL.filter(is).map(({ code }) => code)
  expect(codes((hold) => holdClass(hold).isRetried)).toEqual(['trouble'])
  expect(codes((hold) => holdClass(hold).alertsOnce)).toEqual(['outflow_limit'])
  expect(codes((hold) => holdClass(hold).isApprovable)).toEqual([
    'approval_needed',
    'screened',
    'deposit_lost',
    'deposit_unlocatable',
    'excess_proceeds',
    'restore_doubt',
    'payout_reorged',
  ])
  expect(codes((hold) => !holdClass(hold).needsPerson)).toEqual([
    'paused',
    'outflow_limit',
    'no_price',
    'deposit_reverifying',
    'reward_unearned',
    'recipient_cap',
    'trouble',
  ])
})

test('only a hold that needs an operator takes an approval, and none of these is retried and given up', () => {
  for (const hold of ALL) {
    const { needsPerson, isApprovable, isRetried } = holdClass(hold)
    expect(isApprovable && !needsPerson, hold.code).toBe(false)
    expect(isRetried && needsPerson, hold.code).toBe(false)
  }
})

test('equality is code and parameters, in whatever order they are written', () => {
  for (const [position, hold] of ALL.entries())
    for (const [other, another] of ALL.entries()) expect(isSameHold(hold, another)).toBe(position === other)
  const a: Hold = { code: 'screened', address: 'sim1x', listing: 'sanctioned' }
  const b: Hold = { listing: 'sanctioned', address: 'sim1x', code: 'screened' }
  expect(isSameHold(a, b)).toBe(true)
  expect(isSameHold(a, { ...a, address: 'sim1y' })).toBe(false)
  expect(isSameHold(EXAMPLES.shortfall, { ...EXAMPLES.shortfall, units: '6' })).toBe(false)
})

test('a hold survives its way through JSON', () => {
  for (const hold of ALL) {
    const stored = JSON.parse(JSON.stringify(holdParams(hold)))
    expect(holdKey({ code: hold.code, ...stored })).toBe(holdKey(hold))
  }
})

test('the text of an error is shown and changes nothing', () => {
  const hold: Hold = { code: 'trouble', error: 'RetryLater' }
  expect(describeHold(hold, 'the node does not answer')).toBe('the node does not answer')
  expect(holdKey(hold)).toBe('{"code":"trouble","error":"RetryLater"}')
})
