import { afterEach, expect, it, vi } from 'vitest'
import { makeFolder, openTestJournal, payout, proposal, sign } from '../journal/testing.ts'
import { steadyNow } from './steady-clock.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('the outflow of the last hour counts although the clock is set a day ahead', async () => {
  const journal = await openTestJournal(makeFolder(), { now: steadyNow })
  await sign(journal, proposal(1, [payout('p1')]))
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 3_600_000 })
  expect(journal.outflow(new Date()).orders('ALPHA')).toBe(0)
  await journal.end()

  const steady = await openTestJournal(makeFolder(), { now: steadyNow })
  await sign(steady, proposal(1, [payout('p1')]))
  vi.setSystemTime(Date.now() + 25 * 3_600_000)
  expect(steady.outflow(steadyNow()).orders('ALPHA')).toBe(1)
  await steady.end()
})
