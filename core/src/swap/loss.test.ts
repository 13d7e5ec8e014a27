/** Deposit rules 11 and 12: a reorg removes a deposit. */
import { describe, expect, test } from 'vitest'
import { DESTINATION, FALLEN, GAS, PRICING, quoted, REFUEL, REFUND_FEE, Story, usdc } from '../fixtures.ts'

const OUTPUT = 'output: 99300000 to recipient'

describe('11: a reorg removes the deposit before the payout', () => {
  test('the swap waits again, nothing is promised, and the ledger is as before', () => {
    const quote = quoted(usdc(100), { ...PRICING, refuel: REFUEL })
    const story = new Story({ refuel: GAS, quote }, { pricing: { ...FALLEN, refuel: REFUEL } })
    story.deposit('a', usdc(150))
    expect(story.standing).toHaveLength(3)
    story.apply({ type: 'deposit_gone', depositId: 'a' })
    expect(story.swap).toMatchObject({ status: 'user_transfer_pending', failReason: null })
    expect(story.standing).toEqual([])
    for (const account of ['wallet', 'customer', 'promised', 'fees', 'exchange', 'loss']) {
      expect(story.balance(account)).toBe(0n)
      expect(story.balance(account, DESTINATION)).toBe(0n)
      expect(story.balance(account, GAS)).toBe(0n)
    }
    story.apply({ type: 'deposit_confirmed', depositId: 'a', units: usdc(120) })
    expect(story.standing).toContain('return of a: 19700000 to sender')
    expect(story.balance('wallet')).toBe(usdc(120))
  })

  test('the same if its refund was ordered, held or kept', () => {
    for (const refundFeeUnits of [REFUND_FEE, usdc(200)]) {
      const story = new Story({}, { pricing: { ...PRICING, liquidityUnits: 0n }, refundFeeUnits })
      story.deposit('a', usdc(100))
      expect(story.swap.status).toBe(refundFeeUnits === REFUND_FEE ? 'refund_pending' : 'pending_refund')
      story.apply({ type: 'deposit_gone', depositId: 'a' })
      expect(story.swap).toMatchObject({ status: 'user_transfer_pending', failReason: null })
      story.context = { ...story.context, pricing: PRICING }
      story.deposit('b', usdc(100))
      expect(story.standing).toEqual([OUTPUT])
    }
    const kept = new Story({}, { pricing: FALLEN })
    kept.deposit('a', usdc(100.2))
    kept.apply({ type: 'deposit_gone', depositId: 'a' })
    expect(kept.swap.deposits[0]).toMatchObject({ state: 'gone', outputUnits: 0n, refundUnits: 0n })
    expect(kept.balance('fees')).toBe(0n)
  })

  test('after an overpaid swap, the next deposit is judged by the quote at creation', () => {
    const story = new Story()
    story.deposit('a', usdc(150))
    expect(story.standing).toEqual(['output: 149250000 to recipient'])
    story.apply({ type: 'deposit_gone', depositId: 'a' })
    story.context = { ...story.context, pricing: FALLEN }
    story.deposit('b', usdc(130))
    expect(story.standing).toEqual([OUTPUT, 'return of b: 29700000 to sender'])
    expect(story.balance('customer')).toBe(0n)
  })

  test('a started refuel is charged to the remaining deposit, whose rest is refunded', () => {
    const pricing = { ...PRICING, refuel: REFUEL }
    const story = new Story({ refuel: GAS, quote: quoted(usdc(100), pricing) }, { pricing })
    story.deposit('a', usdc(60))
    story.deposit('b', usdc(40))
    story.start('refuel')
    story.apply({ type: 'deposit_gone', depositId: 'a' })
    expect(story.balance('loss')).toBe(0n)
    expect(story.swap).toMatchObject({ status: 'pending_refund', failReason: 'deposit_lost' })
    story.tick()
    expect(story.standing).toEqual(['refuel: 500000000000000 to recipient', 'refund of b: 38700000 to sender'])
  })

  test('a third party’s deposit that was returned and re-mined with more is refunded for the rest', () => {
    const story = new Story({ sourceAddress: 'sender' }, { refundFeeUnits: 0n }).at(360)
    story.deposit('s', usdc(1), { from: 'stranger' })
    expect(story.swap.status).toBe('expired')
    story.start('return')
    story.apply({ type: 'deposit_gone', depositId: 's' })
    story.apply({ type: 'deposit_confirmed', depositId: 's', units: usdc(1200) })
    expect(story.standing).toEqual(['return of s: 1000000 to stranger', 'refund of s: 1199000000 to stranger'])
    expect(story.swap.status).toBe('refund_pending')
    expect(story.balance('customer')).toBe(0n)
  })

  test('a failed swap stays failed: only its refund is voided', () => {
    const story = new Story({ sourceAddress: 'sender' })
    story.deposit('a', usdc(2000))
    story.apply({ type: 'deposit_gone', depositId: 'a' })
    expect(story.swap.status).toBe('failed')
    expect(story.standing).toEqual([])
    story.deposit('a', usdc(2000))
    expect(story.standing).toEqual(['return of a: 1999700000 to sender'])
  })

  test('after one deposit was refunded, a return of the other never becomes an output', () => {
    const story = new Story({}, { pricing: { ...PRICING, liquidityUnits: 0n } })
    story.deposit('a', usdc(60))
    story.deposit('b', usdc(60))
    story.land('refund', 'a')
    story.swap = { ...story.swap, payouts: story.swap.payouts.map((p) => ({ ...p, started: p.depositId === 'a' })) }
    story.apply({ type: 'deposit_gone', depositId: 'b' })
    expect(story.swap.status).toBe('refunded')
    story.context = { ...story.context, pricing: PRICING }
    story.deposit('b', usdc(200))
    expect(story.standing).toEqual(['refund of a: 59700000 to sender', 'return of b: 199700000 to sender'])
  })
})

describe('12: a reorg removes the deposit after the payout', () => {
  const spent = () => {
    const story = new Story({}, { pricing: FALLEN })
    story.deposit('a', usdc(150))
    story.start('output')
    story.apply({ type: 'deposit_gone', depositId: 'a' })
    return story
  }

  test('is a loss entry and an alert, and payouts that were not sent are voided', () => {
    const story = spent()
    expect(story.alerts).toEqual(['a deposit vanished after its money was spent'])
    expect(story.swap.deposits[0]?.state).toBe('lost')
    expect(story.standing).toEqual([OUTPUT])
    expect(story.balance('loss')).toBe(usdc(100))
    expect(story.balance('customer')).toBe(0n)
    story.land('output')
    expect(story.swap.status).toBe('completed')
  })

  test('re-mined: the loss is reversed, nothing is paid twice, and the excess is returned', () => {
    const story = spent()
    story.land('output')
    story.see('a', usdc(150))
    for (let times = 0; times < 2; times++) story.apply({ type: 'deposit_confirmed', depositId: 'a', units: usdc(150) })
    expect(story.standing).toEqual([OUTPUT, 'return of a: 49700000 to sender'])
    expect(story.balance('loss')).toBe(0n)
    expect(story.balance('wallet')).toBe(usdc(150))
  })

  test('re-mined with more, or with exactly what was spent: only the difference is returned', () => {
    const story = spent()
    story.apply({ type: 'deposit_confirmed', depositId: 'a', units: usdc(170) })
    expect(story.standing).toEqual([OUTPUT, 'return of a: 69700000 to sender'])
    expect(story.balance('wallet')).toBe(usdc(170))
    const exact = spent()
    exact.apply({ type: 'deposit_confirmed', depositId: 'a', units: usdc(100) })
    expect(exact.standing).toEqual([OUTPUT])
    expect(exact.balance('loss')).toBe(0n)
  })

  test('re-mined with less than was spent: it stays lost, with an alert', () => {
    const story = spent()
    story.apply({ type: 'deposit_confirmed', depositId: 'a', units: usdc(99) })
    expect(story.swap.deposits[0]?.state).toBe('lost')
    expect(story.alerts.at(-1)).toBe('a lost deposit came back with less than was spent of it')
    expect(story.balance('loss')).toBe(usdc(100))
  })

  test('if its refund is then abandoned, there was no loss', () => {
    const story = new Story({}, { pricing: { ...PRICING, liquidityUnits: 0n } })
    story.deposit('a', usdc(100))
    story.start('refund')
    story.apply({ type: 'deposit_gone', depositId: 'a' })
    expect(story.balance('loss')).toBe(usdc(100))
    story.apply({ type: 'payout_abandoned', kind: 'refund', depositId: 'a' })
    expect(story.swap.deposits[0]?.state).toBe('gone')
    expect(story.swap.status).toBe('user_transfer_pending')
    for (const account of ['loss', 'customer', 'wallet', 'fees', 'promised']) expect(story.balance(account)).toBe(0n)
  })

  test('if the payout is then abandoned, there was no loss and the swap waits again', () => {
    const story = spent()
    story.apply({ type: 'payout_abandoned', kind: 'output', depositId: null })
    expect(story.swap).toMatchObject({ status: 'user_transfer_pending', failReason: null })
    expect(story.swap.deposits[0]?.state).toBe('gone')
    for (const account of ['loss', 'customer', 'wallet', 'fees']) expect(story.balance(account)).toBe(0n)
  })
})
