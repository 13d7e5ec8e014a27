import { describe, expect, test } from 'vitest'
import type { TransferStatus } from '../port/paying.ts'
import { type AttemptStatus, judgeAttempts, type LandingDepths } from './payout.ts'

const CONFIRMATIONS = 3
const FINAL_DEPTH = 6
const block = { number: 1n, hash: 'block' }
const at = (state: 'included' | 'reverted', confirmations: number): TransferStatus => ({
  state,
  block,
  confirmations,
  feeUnits: 7n,
})

const EVIDENCE = { usedBy: '0xother', block, reason: 'its nonce was used' }

/** Every chain status, just below and at each depth. */
const ANSWERS: TransferStatus[] = [
  { state: 'unknown' },
  { state: 'pending' },
  { state: 'dead', evidence: EVIDENCE },
  at('included', CONFIRMATIONS - 1),
  at('included', CONFIRMATIONS),
  at('reverted', FINAL_DEPTH - 1),
  at('reverted', FINAL_DEPTH),
]

const DEPTHS: LandingDepths = { confirmations: CONFIRMATIONS, finalDepth: FINAL_DEPTH }

/** All slots of one to three attempts. */
function* slots(): Generator<AttemptStatus[]> {
  const named = (statuses: TransferStatus[]) => statuses.map((status, index) => ({ hash: `0x${index}`, status }))
  for (const a of ANSWERS) {
    yield named([a])
    for (const b of ANSWERS) {
      yield named([a, b])
      for (const c of ANSWERS) yield named([a, b, c])
    }
  }
}

function everySlot(
  check: (attempts: AttemptStatus[], states: string[], verdict: ReturnType<typeof judgeAttempts>) => void,
): void {
  for (const attempts of slots()) {
    const states = attempts.map(({ status }) => status.state)
    check(attempts, states, judgeAttempts(attempts, DEPTHS))
  }
}

describe('over every slot of up to three attempts', () => {
  test('a slot is dead if and only if every attempt is, and the proof is returned', () => {
    everySlot((_, states, verdict) => {
      expect(verdict.step === 'dead').toBe(states.every((state) => state === 'dead'))
      if (verdict.step === 'dead') expect(verdict.evidence).toEqual(EVIDENCE)
    })
  })

  test('a payout is confirmed only by an attempt that is included deep enough', () => {
    everySlot((attempts, _, verdict) => {
      if (verdict.step !== 'confirmed') return
      const { status } = attempts.find(({ hash }) => hash === verdict.hash) ?? { status: undefined }
      expect(status).toEqual(at('included', CONFIRMATIONS))
      expect(verdict.feeUnits).toBe(7n)
    })
  })

  test('a payout is refused only at final depth and while no attempt made the transfer', () => {
    everySlot((attempts, states, verdict) => {
      if (verdict.step !== 'reverted') return
      expect(attempts.find(({ hash }) => hash === verdict.hash)?.status).toEqual(at('reverted', FINAL_DEPTH))
      expect(states).not.toContain('included')
    })
  })

  test('nothing is signed or sent again while any attempt is in a block', () => {
    everySlot((_, states, { step }) => {
      const landed = states.includes('included') || states.includes('reverted')
      if (landed) expect(['wait', 'confirmed', 'reverted']).toContain(step)
    })
  })

  test('the order of the attempts does not matter', () => {
    for (const attempts of slots()) {
      if (attempts.filter(({ status }) => 'block' in status).length > 1) continue
      const backwards = [...attempts].reverse()
      expect(judgeAttempts(backwards, DEPTHS)).toEqual(judgeAttempts(attempts, DEPTHS))
    }
  })
})

describe('over every slot in which the last attempt cancels', () => {
  function everyCancelled(
    check: (paying: string[], cancel: AttemptStatus, verdict: ReturnType<typeof judgeAttempts>) => void,
  ) {
    for (const attempts of slots()) {
      const cancel = attempts.at(-1)
      if (!cancel || attempts.length < 2) continue
      const marked = [...attempts.slice(0, -1), { ...cancel, cancels: true }]
      const paying = attempts.slice(0, -1).map(({ status }) => status.state)
      check(paying, cancel, judgeAttempts(marked, DEPTHS))
    }
  }

  test('a cancellation never confirms a payout', () => {
    everyCancelled((_, cancel, verdict) => {
      if (verdict.step === 'confirmed') expect(verdict.hash).not.toBe(cancel.hash)
    })
  })

  test('a slot is cancelled only at final depth, and only if every paying attempt is dead', () => {
    const seen = new Set<string>()
    everyCancelled((paying, cancel, verdict) => {
      const isFinal = 'confirmations' in cancel.status && cancel.status.confirmations >= FINAL_DEPTH
      const isProven = isFinal && paying.every((state) => state === 'dead')
      expect(verdict.step === 'cancelled').toBe(isProven)
      if (verdict.step === 'cancelled') expect(verdict).toMatchObject({ hash: cancel.hash, evidence: EVIDENCE })
      seen.add(verdict.step)
    })
    expect(seen).toContain('cancelled')
  })

  test('while a cancellation is in a block, nothing more is signed', () => {
    everyCancelled((_, cancel, { step }) => {
      if ('block' in cancel.status) expect(['wait', 'confirmed', 'reverted', 'cancelled']).toContain(step)
    })
  })
})

describe('a slot', () => {
  test.each(['unknown', 'pending'] as const)('whose transaction is %s is undecided', (state) => {
    expect(judgeAttempts([{ hash: '0x0', status: { state } }], DEPTHS)).toEqual({ step: 'wait' })
  })

  test('without an attempt is not dead', () => {
    expect(judgeAttempts([], DEPTHS).step).not.toBe('dead')
  })
})
