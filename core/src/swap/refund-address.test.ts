/** Refund addresses for owed deposits: each applies to the deposits it was given for, never to the whole swap. */
import { expect, test } from 'vitest'
import { PRICING, quoted, REFUND_FEE, Story, usdc } from '../fixtures.ts'

const DRY = { pricing: { ...PRICING, liquidityUnits: usdc(5) } }
const OUTPUT = `output: ${quoted(usdc(100)).receiveUnits} to recipient`

test('an address given for one deposit never applies to another, before or after', () => {
  const story = new Story({ usesDepositAddress: true })
  story.deposit('a', usdc(100), { from: 'victim' })
  story.deposit('b', usdc(5), { from: 'thief' })
  story.apply({ type: 'refund_address_given', address: 'loot', depositIds: ['b'] })
  expect(story.standing).toEqual([OUTPUT, 'return of b: 4700000 to loot'])
  story.apply({ type: 'payout_abandoned', kind: 'output', depositId: null })
  story.deposit('c', usdc(50), { from: 'victim' })
  story.tick()
  expect(story.standing).toEqual(['return of b: 4700000 to loot'])
  story.apply({ type: 'refund_address_given', address: 'home', depositIds: ['a', 'c'] })
  expect(story.standing).toEqual([
    'return of b: 4700000 to loot',
    'refund of a: 99700000 to home',
    'refund of c: 49700000 to home',
  ])
  expect(story.swap.refundAddress).toBe(null)
})

test('an address given before the deposit is owed is ignored', () => {
  const story = new Story({ usesDepositAddress: true }, DRY)
  story.see('b', usdc(50))
  story.apply({ type: 'refund_address_given', address: 'thief', depositIds: ['a', 'b'] })
  story.deposit('a', usdc(100))
  story.apply({ type: 'deposit_confirmed', depositId: 'b', units: usdc(50) })
  expect(story.swap.status).toBe('pending_refund')
  expect(story.standing).toEqual([])
})

test('a deposit’s refund address is void after a reorg, since it may come back from another sender', () => {
  const story = new Story({ usesDepositAddress: true }, { ...DRY, refundFeeUnits: null })
  story.deposit('a', usdc(100))
  story.apply({ type: 'refund_address_given', address: 'loot', depositIds: ['a'] })
  expect(story.swap.deposits).toMatchObject([{ refundAddress: 'loot' }])
  story.apply({ type: 'deposit_gone', depositId: 'a' })
  story.context = { ...story.context, refundFeeUnits: REFUND_FEE }
  story.apply({ type: 'deposit_confirmed', depositId: 'a', units: usdc(100) })
  expect(story.standing).toEqual([])
})

test('a deposit’s refund address overrides that of its swap, for this deposit alone', () => {
  const story = new Story({ refundAddress: 'shut' }, DRY)
  story.deposit('a', usdc(100))
  story.apply({ type: 'payout_abandoned', kind: 'refund', depositId: 'a', rejected: true })
  story.apply({ type: 'refund_address_given', address: 'home', depositIds: ['a'] })
  story.deposit('b', usdc(50))
  expect(story.standing).toEqual(['refund of a: 99700000 to home', 'return of b: 49700000 to shut'])
})
