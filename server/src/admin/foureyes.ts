/**
 * Four eyes: what opens a door, or gives much away, is asked for by one person and done when another confirms it. Where
 * `FOUR_EYES_USD` is not set, one person is enough; whoever may not do it themself asks in any case.
 */
import { insertRequest } from '../store/requests.ts'
import { change, type Desk } from './desk.ts'
import { subjectOf } from './subject.ts'

/** Whoever acts here with a key and at the console by a password is one person. */
export function personOf(actor: string): string {
  return actor.replace(/^console /, '')
}

/** Also where nobody knows what it is worth. */
export async function wantsAnother(desk: Desk, command: string, words: string[]): Promise<boolean> {
  const { fourEyesUsd } = desk
  if (fourEyesUsd === undefined) return false
  const subject = await subjectOf(desk, command, words)
  if (!subject || subject.wants === 'never') return false
  return subject.wants === 'always' || subject.usd === null || subject.usd > fourEyesUsd
}

export async function askFor(desk: Desk, command: string, words: string[]): Promise<void> {
  const subject = await subjectOf(desk, command, words)
  const request = {
    ...{ command, words, seen: subject?.seen ?? '', usd: subject?.usd ?? null, reason: desk.reason ?? null },
    ...{ asked_by: personOf(desk.actor), asked_at: desk.now() },
  }
  const id = await change(desk, 'asked for', { command, words }, (queries) => insertRequest(queries, request))
  desk.asked?.(id)
  desk.print(`nothing is done yet: another person confirms it by "request confirm --id ${id}"`)
}
