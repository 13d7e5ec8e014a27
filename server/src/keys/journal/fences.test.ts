import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Journal } from './journal.ts'
import { cancellation, makeFolder, openTestJournal, payout, proposal, sign, unpaid } from './testing.ts'

let folder: string
let journal: Journal
beforeEach(async () => {
  folder = makeFolder()
  journal = await openTestJournal(folder)
})
afterEach(() => journal.end())

/** Closes the journal and opens it again from its files. */
async function reopen(): Promise<void> {
  await journal.end()
  journal = await openTestJournal(folder)
}

const codeOf = (wanted: Parameters<Journal['judge']>[0]) => {
  const verdict = journal.judge(wanted)
  return verdict.is === 'refused' ? verdict.refusal.code : verdict.is
}

describe.each([
  ['in memory', async () => undefined],
  ['after a restart', reopen],
])('%s', (_, between) => {
  it('an attempt is signed once: the same request gets the same bytes', async () => {
    const first = await sign(journal, proposal(1, [payout('a')]))
    await between()
    expect(await sign(journal, proposal(1, [payout('a')]))).toEqual(first)
    expect(journal.head().n).toBe(first.n)
  })

  it('a slot accepts one order, and its cancellation', async () => {
    await sign(journal, proposal(1, [payout('a')]))
    await between()
    expect(codeOf(proposal(1, [payout('b')]))).toBe('slot_signed')
    expect(codeOf(proposal(1, [payout('b')], { attempt: 1, purpose: 'bump' }))).toBe('slot_signed')
    expect(codeOf(proposal(1, [payout('a')], { attempt: 1, purpose: 'bump' }))).toBe('free')
    await sign(journal, cancellation(1, 1))
    await between()
    expect(codeOf(proposal(1, [payout('b')], { attempt: 2 }))).toBe('slot_signed')
  })

  it('a slot that was only cancelled accepts no payment', async () => {
    await sign(journal, cancellation(1, 0))
    await between()
    expect(codeOf(proposal(1, [payout('a')], { attempt: 1 }))).toBe('slot_signed')
  })

  it('a payout gets a second slot only when the first is closed unpaid', async () => {
    await sign(journal, proposal(1, [payout('a')]))
    await between()
    expect(codeOf(proposal(2, [payout('a')]))).toBe('payout_signed')
    await journal.close({ ...unpaid(1), outcome: 'paid' })
    await between()
    expect(codeOf(proposal(2, [payout('a')]))).toBe('payout_signed')
    await journal.close(unpaid(1))
    await between()
    expect(codeOf(proposal(2, [payout('a')]))).toBe('free')
  })

  it('a deposit that another payout settled is refused unless the database knows that payout', async () => {
    const key = 'd:ALPHA/0xabc/0'
    await sign(journal, proposal(1, [payout('a', [key])]))
    await between()
    expect(codeOf(proposal(2, [payout('b', [key])]))).toBe('settled_before')
    expect(codeOf(proposal(2, [payout('b', [key])], { known: ['a'] }))).toBe('free')
    await journal.close(unpaid(1))
    await between()
    expect(codeOf(proposal(2, [payout('b', [key])]))).toBe('free')
  })

  it('a part of a slot is bound until it is released', async () => {
    await sign(journal, proposal(['coin 1', 'coin 2'], [payout('a')]))
    await between()
    expect(codeOf(proposal(['coin 2', 'coin 3'], [payout('b')]))).toBe('slot_signed')
    await journal.close(unpaid(['coin 1', 'coin 2'], ['coin 2']))
    await between()
    expect(codeOf(proposal(['coin 2', 'coin 3'], [payout('b')]))).toBe('free')
    expect(codeOf(proposal(['coin 1'], [payout('c')]))).toBe('slot_signed')
  })

  it('a part that was signed in two slots is free when both are closed', async () => {
    const order = proposal(['coin 1'], [payout('a')]).order
    await sign(journal, proposal(['coin 1', 'coin 2'], [payout('a')]))
    await sign(journal, proposal(['coin 3', 'coin 1'], [], { order, purpose: 'cancel' }))
    await between()
    await journal.close(unpaid(['coin 1', 'coin 2'], ['coin 1', 'coin 2']))
    await between()
    expect(codeOf(proposal(['coin 2'], [payout('b')]))).toBe('free')
    expect(codeOf(proposal(['coin 1'], [payout('b')]))).toBe('slot_signed')
    await journal.close(unpaid(['coin 3', 'coin 1'], ['coin 3', 'coin 1']))
    await between()
    expect(codeOf(proposal(['coin 1'], [payout('b')]))).toBe('free')
  })

  it('a slot of several UTXOs is bound by the orders of each of them', async () => {
    await sign(journal, proposal(['coin 1'], [payout('a')]))
    await sign(journal, proposal(['coin 2'], [payout('b')]))
    await between()
    for (const id of ['a', 'b']) {
      const { order } = proposal(['coin'], [payout(id)])
      expect(codeOf(proposal(['coin 1', 'coin 2'], [], { order, attempt: 1 }))).toBe('slot_signed')
    }
  })

  it('released parts form a new slot: the bytes of the old one are not returned again', async () => {
    await sign(journal, proposal(['coin 1', 'coin 2'], [payout('a')]))
    await journal.close(unpaid(['coin 1', 'coin 2'], ['coin 1', 'coin 2']))
    await between()
    expect(codeOf(proposal(['coin 1', 'coin 2'], [payout('a')]))).toBe('free')
    expect(codeOf(proposal(['coin 1', 'coin 2'], [payout('b')]))).toBe('free')
  })

  it('another fee fact for a part is refused, also for a cancellation and in another slot', async () => {
    await sign(journal, proposal(['coin'], [payout('a')], { facts: ['10'] }))
    await between()
    expect(codeOf(proposal(['coin'], [payout('a')], { attempt: 1, facts: ['11'] }))).toBe('slot_changed')
    expect(codeOf(proposal(['coin'], [payout('a')], { attempt: 1, facts: ['10'] }))).toBe('free')
    const cancel = { order: { kind: 'cancel' }, purpose: 'cancel' as const, attempt: 1 }
    expect(codeOf(proposal(['coin'], [], { ...cancel, facts: ['11'] }))).toBe('slot_changed')
    expect(codeOf(proposal(['coin 2', 'coin'], [], { ...cancel, facts: ['1', '11'] }))).toBe('slot_changed')
  })

  it('an approval is valid in one slot', async () => {
    await sign(journal, proposal(1, [payout('a')], { approvals: ['a#1'] }))
    await journal.close(unpaid(1))
    await between()
    expect(codeOf(proposal(2, [payout('a')], { approvals: ['a#1'] }))).toBe('approval_used')
    expect(codeOf(proposal(2, [payout('a')], { approvals: ['a#2'] }))).toBe('free')
  })

  it('fees and outflow of the last day are counted once per slot, by the highest fee', async () => {
    const order = { kind: 'transfers', transfers: [{ token: 'native', units: '5' }] }
    await sign(journal, proposal(1, [payout('a')], { order }), 3n)
    await between()
    await sign(journal, proposal(1, [payout('a')], { order, attempt: 1, purpose: 'bump' }), 7n)
    await sign(journal, proposal(2, [payout('b')], { order }), 2n)
    await between()
    const outflow = journal.outflow(new Date())
    expect(outflow.units('ALPHA', 'native', 'hour')).toBe(10n)
    expect(outflow.orders('ALPHA')).toBe(2)
    expect(outflow.fees('ALPHA')).toBe(9n)
    expect(journal.outflow(new Date(Date.now() + 2 * 3_600_000)).fees('ALPHA')).toBe(0n)
  })

  it('restores its state, its branch and its mark', async () => {
    const branch = await journal.branch('writer')
    expect(branch).toBeGreaterThanOrEqual(Math.floor((Date.now() - Date.UTC(2020, 0, 1)) / 1000) - 60)
    await journal.saveMark({ writer: [3, 9] })
    await journal.stop('rolled_back', journal.mark(), {})
    await between()
    expect(journal.state()).toBe('rolled_back')
    expect(journal.lastBranch()).toBe(branch)
    // Within the same second, and with a clock that was set back.
    expect(await Promise.all([journal.branch('one'), journal.branch('two')])).toEqual([branch + 1, branch + 2])
    await journal.restored({ other: [1, 0] }, 'an operator')
    await between()
    expect(journal.state()).toBe('running')
  })
})

it('an order that is being signed reserves its slot and its payouts', async () => {
  const wanted = proposal(1, [payout('a')])
  const verdict = journal.judge(wanted)
  if (verdict.is !== 'free') throw new Error('not free')
  const bound = journal.bind(wanted, verdict, 1n)
  expect(codeOf(proposal(1, [payout('b')]))).toBe('signing_now')
  expect(codeOf(proposal(2, [payout('a')]))).toBe('signing_now')
  bound.abandon()
  expect(codeOf(proposal(2, [payout('a')]))).toBe('free')
})

it('what is being signed holds its approvals and what it settles', async () => {
  const wanted = proposal(1, [payout('a', ['d:ALPHA/tx/0'])], { approvals: ['a#1'] })
  const verdict = journal.judge(wanted)
  if (verdict.is !== 'free') throw new Error('not free')
  const bound = journal.bind(wanted, verdict, 1n)
  const rival = proposal(2, [payout('b', ['d:ALPHA/tx/0'])])
  expect(codeOf(rival)).toBe('signing_now')
  expect(codeOf({ ...rival, known: ['a'] }), 'two payouts of one swap may be signed at once').toBe('free')
  expect(codeOf(proposal(2, [payout('c')], { approvals: ['a#1'] }))).toBe('signing_now')
  bound.abandon()
  expect(codeOf(rival)).toBe('free')
})

it('what is being signed counts in the outflow, once', async () => {
  const order = { kind: 'transfers', transfers: [{ token: 'native', units: '5' }] }
  const units = () => journal.outflow(new Date()).units('ALPHA', 'native', 'hour')
  const bind = (nonce: number) => {
    const wanted = proposal(nonce, [payout(`p${nonce}`)], { order })
    const verdict = journal.judge(wanted)
    if (verdict.is !== 'free') throw new Error('not free')
    return journal.bind(wanted, verdict, 1n)
  }
  const [first, second] = [bind(1), bind(2)]
  expect(units()).toBe(10n)
  second.abandon()
  expect(units()).toBe(5n)
  const written = first.record({ hash: 'hash', bytes: 'bytes', tokens: [], writer: ['writer', 1] })
  expect(units()).toBe(5n)
  await written
  expect([units(), journal.outflow(new Date()).orders('ALPHA')]).toEqual([5n, 1])
})

it('a fee bump in a slot without a signature is a first signature: the deposit is fenced', async () => {
  await sign(journal, proposal(1, [payout('a', ['d:ALPHA/tx/0'])]))
  expect(codeOf(proposal(2, [payout('b', ['d:ALPHA/tx/0'])], { attempt: 1, purpose: 'bump' }))).toBe('settled_before')
})

it('slots that share a part count one by one, and so do freed slots, also after a restart', async () => {
  const order = { kind: 'transfers', transfers: [{ token: 'native', units: '5' }] }
  for (const slot of [
    ['1', '2'],
    ['2', '3'],
    ['3', '4'],
  ])
    await sign(journal, proposal(slot, [], { order }))
  await journal.close(unpaid(['3', '4'], ['3', '4']))
  await journal.close(unpaid(['2', '3'], ['2', '3']))
  await sign(journal, proposal(['3', '4'], [], { order }))
  const outflow = () => {
    const now = journal.outflow(new Date())
    return [now.units('ALPHA', 'native', 'hour'), now.orders('ALPHA'), now.fees('ALPHA')]
  }
  expect(outflow()).toEqual([20n, 4, 4n])
  await reopen()
  expect(outflow()).toEqual([20n, 4, 4n])
})

it('fences of closed segments hold, with and without their indexes', async () => {
  await journal.end()
  journal = await openTestJournal(folder, { segmentBytes: 900 })
  for (let nonce = 1; nonce <= 12; nonce++) {
    await sign(journal, proposal(nonce, [payout(`p${nonce}`, [`d:ALPHA/tx${nonce}/0`])]))
    expect(codeOf(proposal(nonce + 100, [payout('x', [`d:ALPHA/tx${nonce}/0`])]))).toBe('settled_before')
  }
  await reopen()
  for (let nonce = 1; nonce <= 12; nonce++) {
    expect(codeOf(proposal(nonce, [payout('other')]))).toBe('slot_signed')
    expect(codeOf(proposal(nonce + 100, [payout(`p${nonce}`)]))).toBe('payout_signed')
    expect(codeOf(proposal(nonce + 100, [payout('x', [`d:ALPHA/tx${nonce}/0`])]))).toBe('settled_before')
  }
  expect([...journal.after(5)].map(({ n }) => n)).toEqual(
    Array.from({ length: journal.head().n - 5 }, (_, at) => at + 6),
  )
})
