/** Test helpers of the journal: folders, proposals and signatures. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Proposal } from './fences.ts'
import { type Journal, type JournalOptions, openJournal } from './journal.ts'
import type { Entry, RecordedPayout, Signature } from './line.ts'

const DATABASE = 'the database of the tests'

export function makeFolder(): string {
  return mkdtempSync(path.join(tmpdir(), 'causeway-journal-'))
}

export function openTestJournal(folder: string, more: Partial<JournalOptions> = {}): Promise<Journal> {
  return openJournal({ folder, now: () => new Date(), database: DATABASE, ...more })
}

export function payout(id: string, settles: string[] = []): RecordedPayout {
  return { id, kind: 'output', swap: `swap of ${id}`, number: 1, token: 'native', units: '5', to: 'somebody', settles }
}

/** A proposal to sign one transaction that makes these payouts, in the slot of this nonce or of these parts. */
export function proposal(
  nonce: number | string[],
  payouts: readonly RecordedPayout[],
  more: Partial<Proposal> = {},
): Proposal {
  const transfers = payouts.map(({ to, token, units }) => ({ to, token, units }))
  return {
    network: 'ALPHA',
    account: 'wallet',
    slot: Array.isArray(nonce) ? nonce : [`${nonce}`],
    attempt: 0,
    purpose: 'new',
    order: { kind: 'transfers', account: 'wallet', transfers, for: payouts.map(({ id }) => id) },
    payouts,
    approvals: [],
    known: [],
    ...more,
  }
}

export function cancellation(nonce: number, attempt: number): Proposal {
  return proposal(nonce, [], { attempt, purpose: 'cancel', order: { kind: 'cancel', account: 'wallet' } })
}

/** Judges, binds and records; throws the code of a refusal. */
export async function sign(journal: Journal, wanted: Proposal, fee = 1n): Promise<Entry<Signature>> {
  const verdict = journal.judge(wanted)
  if (verdict.is === 'recorded') return verdict.record
  if (verdict.is === 'refused') throw new Error(verdict.refusal.code)
  const name = `${wanted.slot.join('+')}/${wanted.attempt}`
  const signing = { hash: `hash ${name}`, bytes: `bytes ${name}`, tokens: [] }
  return journal.bind(wanted, verdict, fee).record({ ...signing, writer: ['writer', 1] })
}

export function unpaid(nonce: number | string[], freed: string[] = []) {
  const slot = Array.isArray(nonce) ? nonce : [`${nonce}`]
  return { network: 'ALPHA', account: 'wallet', slot, outcome: 'unpaid' as const, evidence: null, freed }
}
