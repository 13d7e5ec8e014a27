/**
 * The deposit rules by number, each with exact numbers. Rules 3 to 6 are in `amounts.test.ts`, 11 and 12 in
 * `loss.test.ts`. Rules 10, 13 and 14 are not decided in core.
 */
import { describe, expect, test } from 'vitest'
import { minutes, PRICING, quoted, REFUND_FEE, Story, usdc } from '../fixtures.ts'
import { ONE } from '../money/money.ts'

const OUTPUT = 'output: 99300000 to recipient'

describe('1: the same deposit seen twice', () => {
  test('is credited once, no matter how often it is seen and confirmed', () => {
    const story = new Story()
    for (let path = 0; path < 2; path++) story.see('a', usdc(100))
    for (let worker = 0; worker < 3; worker++)
      story.apply({ type: 'deposit_confirmed', depositId: 'a', units: usdc(100) })
    story.see('a', usdc(100))
    expect(story.standing).toEqual([OUTPUT])
    expect(story.balance('wallet')).toBe(usdc(100))
    expect(story.balance('customer')).toBe(0n)
  })

  test('the state that a sighting claims is ignored', () => {
    const story = new Story()
    story.see('a', usdc(100), { state: 'confirmed', outputUnits: usdc(5) })
    expect(story.swap.deposits[0]).toMatchObject({ state: 'seen', outputUnits: 0n })
    story.tick()
    expect(story.standing).toEqual([])
  })
})

describe('2: a second real deposit', () => {
  test('to a completed swap is returned on its own', () => {
    const story = new Story()
    story.deposit('a', usdc(100))
    story.land('output')
    story.deposit('b', usdc(40))
    expect(story.swap.status).toBe('completed')
    expect(story.standing).toEqual([OUTPUT, 'return of b: 39700000 to sender'])
    story.land('return', 'b')
    expect(story.balance('customer')).toBe(0n)
    expect(story.balance('promised')).toBe(0n)
  })

  test('to a refunded or failed swap is returned on its own, and delivers nothing', () => {
    for (const [units, status] of [[usdc(2000), 'failed'] as const, [usdc(100), 'refunded'] as const]) {
      const story = new Story({ sourceAddress: 'sender' }, { pricing: { ...PRICING, liquidityUnits: 0n } })
      story.deposit('a', units)
      story.land('refund', 'a')
      expect(story.swap.status).toBe(status)
      story.context = { ...story.context, pricing: PRICING }
      story.deposit('b', usdc(100))
      expect(story.swap.status).toBe(status)
      expect(story.standing.at(-1)).toBe('return of b: 99700000 to sender')
    }
  })
})

describe('7: after expiry', () => {
  const expired = () => {
    const story = new Story().at(360)
    story.tick()
    expect(story.swap).toMatchObject({ status: 'expired', closedAt: minutes(360) })
    return story.at(400)
  }

  test('is re-priced within the slippage and paid', () => {
    const story = expired()
    story.context = { ...story.context, pricing: { ...PRICING, sourcePrice: (ONE * 995n) / 1000n } }
    story.deposit('a', usdc(100))
    expect(story.swap).toMatchObject({ status: 'ls_transfer_pending', closedAt: null })
    expect(story.standing).toEqual(['output: 98800316 to recipient'])
  })

  test('is paid at the minimum that was agreed, and refunded one unit below it', () => {
    for (const [least, status] of [
      [99_300_000n, 'ls_transfer_pending'] as const,
      [99_300_001n, 'refund_pending'] as const,
    ]) {
      const story = expired()
      story.swap = { ...story.swap, quote: { ...quoted(usdc(100)), minReceiveUnits: least } }
      story.deposit('a', usdc(100))
      story.at(430).tick()
      expect(story.swap.status).toBe(status)
    }
  })

  test('is refunded outside the slippage', () => {
    const story = expired()
    story.context = { ...story.context, pricing: { ...PRICING, sourcePrice: (ONE * 98n) / 100n } }
    story.deposit('a', usdc(100))
    story.at(430).tick()
    expect(story.swap).toMatchObject({ status: 'refund_pending', failReason: 'degraded_quote' })
    expect(story.standing).toEqual(['refund of a: 99700000 to sender'])
  })

  test('is not dropped if prices are unknown at that moment: it is retried', () => {
    const story = expired()
    story.context = { ...story.context, pricing: null, refundFeeUnits: null }
    story.deposit('a', usdc(100))
    expect(story.swap.status).toBe('expired')
    expect(story.alerts).toEqual(['a deposit is held and owed'])
    story.context = { ...story.context, pricing: PRICING, refundFeeUnits: REFUND_FEE }
    story.tick()
    expect(story.standing).toEqual([OUTPUT])
  })

  test('the quote is valid up to its last moment, and re-priced after it', () => {
    const better = { ...PRICING, sourcePrice: (ONE * 11n) / 10n }
    const inTime = new Story({}, { pricing: better }).at(10)
    inTime.see('a', usdc(100))
    inTime.at(40).apply({ type: 'deposit_confirmed', depositId: 'a', units: usdc(100) })
    expect(inTime.standing).toEqual([OUTPUT])
    const late = new Story({}, { pricing: better })
    late.see('a', usdc(100), { seenAt: new Date(minutes(10).getTime() + 1) })
    late.at(40).apply({ type: 'deposit_confirmed', depositId: 'a', units: usdc(100) })
    expect(late.standing).toEqual([`output: ${quoted(usdc(100), better).receiveUnits} to recipient`])
  })

  test('a deposit that left the chain and was re-mined is judged by when it was re-mined', () => {
    const better = { ...PRICING, sourcePrice: (ONE * 11n) / 10n }
    const story = new Story({}, { pricing: better })
    story.see('a', usdc(100))
    story.apply({ type: 'deposit_gone', depositId: 'a' })
    story.at(30).deposit('a', usdc(100))
    expect(story.standing).toEqual([`output: ${quoted(usdc(100), better).receiveUnits} to recipient`])
  })

  test('above the maximum it fails, with a new closing date', () => {
    const story = expired()
    story.swap = { ...story.swap, sourceAddress: 'sender' }
    story.deposit('a', usdc(2000))
    expect(story.swap).toMatchObject({ status: 'failed', closedAt: minutes(400) })
  })
})

describe('8: after the payout or the refund started', () => {
  test.each(['output', 'refund'] as const)('a deposit after the %s started is returned on its own', (kind) => {
    const story = new Story({}, kind === 'refund' ? { pricing: { ...PRICING, liquidityUnits: 0n } } : {})
    story.deposit('a', usdc(100))
    story.start(kind)
    const before = story.standing
    story.deposit('b', usdc(100))
    expect(story.standing).toEqual([...before, 'return of b: 99700000 to sender'])
  })

  test('the swap is refunded once everything was sent back', () => {
    const story = new Story({}, { pricing: { ...PRICING, liquidityUnits: 0n } })
    story.deposit('a', usdc(100))
    story.deposit('b', usdc(50))
    story.land('refund', 'a')
    expect(story.swap.status).toBe('refund_pending')
    story.land('return', 'b')
    expect(story.swap.status).toBe('refunded')
  })
})

describe('9: dust from a third party', () => {
  const dust = { from: 'stranger' }

  test('does not stop a waiting swap from being paid, nor change the recipient', () => {
    const story = new Story({ sourceAddress: 'sender' })
    story.deposit('d', 1n, dust)
    expect(story.swap.status).toBe('user_transfer_pending')
    story.deposit('a', usdc(100))
    expect(story.standing).toEqual([OUTPUT])
    expect(story.balance('customer')).toBe(0n)
  })

  test('does not fail a swap whose window closes: a late deposit still re-opens it', () => {
    const story = new Story({ sourceAddress: 'sender' })
    story.deposit('d', 1n, dust)
    story.at(360).tick()
    expect(story.swap).toMatchObject({ status: 'expired', failReason: null })
    story.deposit('a', usdc(100))
    expect(story.swap.status).toBe('ls_transfer_pending')
  })

  test('is any amount that does not cover its gas, to the unit', () => {
    const story = new Story({ sourceAddress: 'sender' })
    story.deposit('d', REFUND_FEE, dust)
    story.at(360).tick()
    expect(story.swap.status).toBe('expired')
    expect(story.standing).toEqual([])
    story.deposit('e', REFUND_FEE + 1n, dust)
    expect(story.standing).toEqual(['return of e: 1 to stranger'])
    expect(story.swap).toMatchObject({ status: 'expired', failReason: null })
  })

  test('more than dust but too little for a swap is returned alone', () => {
    const story = new Story({ sourceAddress: 'sender' })
    story.deposit('d', usdc(1.5), dust)
    story.at(360).tick()
    expect(story.swap).toMatchObject({ status: 'expired', failReason: null })
    expect(story.standing).toEqual(['return of d: 1200000 to stranger'])
    story.at(400).deposit('a', usdc(100))
    expect(story.standing).toContain(OUTPUT)
  })

  test('does not touch an expired swap', () => {
    const story = new Story().at(360)
    story.tick()
    story.deposit('d', 1n, dust)
    expect(story.swap).toMatchObject({ status: 'expired', failReason: null })
    expect(story.balance('fees')).toBe(-1n)
  })

  test('does not hold up a refund', () => {
    const story = new Story({}, { pricing: { ...PRICING, liquidityUnits: 0n } })
    story.deposit('d', 1n, dust)
    story.deposit('a', usdc(100))
    expect(story.swap.status).toBe('refund_pending')
    story.land('refund', 'a')
    expect(story.swap.status).toBe('refunded')
    expect(story.balance('customer')).toBe(0n)
  })

  test('does not move a completed swap', () => {
    const story = new Story({ usesDepositAddress: true })
    story.deposit('a', usdc(100))
    story.land('output')
    story.deposit('d', 1n, dust)
    expect(story.swap.status).toBe('completed')
    expect(story.alerts).toEqual([])
  })
})
