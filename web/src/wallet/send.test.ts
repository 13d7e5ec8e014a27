/**
 * A deposit is never requested twice by mistake: a swap stays marked if its deposit may have been sent, and only then.
 */
import { type Step, type Wallet, WalletProblem } from '@causeway/core/wallet'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { VerifiedAction } from '../api/verified.ts'
import type { Session } from './session.ts'

const SWAP = '6b1e0000-0000-4000-8000-000000000000'
const action = { swap_id: SWAP } as VerifiedAction
let sendDeposit: typeof import('./send.ts').sendDeposit
let guard: typeof import('./guard.ts')
beforeAll(async () => {
  vi.stubGlobal('location', { origin: 'http://127.0.0.1' })
  sendDeposit = (await import('./send.ts')).sendDeposit
  guard = await import('./guard.ts')
})
beforeEach(() => guard.unmark(SWAP))

const isMarked = () => guard.marks.value[SWAP] !== undefined

/** Answers each kind of step as configured, and records the marks at that time. */
function session(
  answers: Partial<Record<Step['kind'], () => Promise<{ hash: string | null }>>>,
  asked: unknown[] = [],
) {
  const send: Wallet['send'] = ({ kind }) => {
    asked.push([kind, isMarked()])
    return answers[kind]?.() ?? Promise.resolve({ hash: null })
  }
  const steps = async () => (['approve', 'deposit'] as const).map((kind) => ({ kind, request: null }))
  const wallet = { name: 'Scripted', steps, send } as unknown as Wallet
  return { wallet, account: { address: '0x1', wallet: 'scripted' }, network: 'A' } satisfies Session
}
const problem = (code: ConstructorParameters<typeof WalletProblem>[0]) => () => Promise.reject(new WalletProblem(code))

test('a swap is marked before its deposit is requested, and not by its approval', async () => {
  const asked: unknown[] = []
  const told: unknown[] = []
  expect(await sendDeposit(action, session({}, asked), (step) => told.push(step))).toEqual({
    state: 'sent',
    hash: null,
  })
  expect(asked).toEqual([
    ['approve', false],
    ['deposit', true],
  ])
  expect(told).toEqual([
    { kind: 'approve', at: 1, of: 2 },
    { kind: 'deposit', at: 2, of: 2 },
  ])
  expect(isMarked()).toBe(true)
})

test('a rejected approval moves nothing: no deposit is requested, and no mark stays', async () => {
  for (const [code, state] of [
    ['rejected', 'rejected'],
    ['failed', 'not_approved'],
    ['no_answer', 'not_approved'],
  ] as const) {
    const asked: unknown[] = []
    expect(await sendDeposit(action, session({ approve: problem(code) }, asked))).toEqual({ state })
    expect(asked).toEqual([['approve', false]])
    expect(isMarked()).toBe(false)
  }
})

test('a deposit that may have been sent stays marked; a declined one does not', async () => {
  for (const code of ['failed', 'no_answer'] as const) {
    expect(await sendDeposit(action, session({ deposit: problem(code) }))).toEqual({ state: code })
    expect(isMarked()).toBe(true)
    guard.unmark(SWAP)
  }
  const broken = () => Promise.reject(new Error('the extension went away'))
  expect(await sendDeposit(action, session({ deposit: broken }))).toEqual({ state: 'no_answer' })
  expect(isMarked()).toBe(true)
  expect(await sendDeposit(action, session({ deposit: problem('rejected') }))).toEqual({ state: 'rejected' })
  expect(isMarked()).toBe(false)
})
