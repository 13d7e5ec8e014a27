/** Input that was unsaved when a session ended: restored once the same person logs in again. Kept in memory only. */
import { signal } from '@preact/signals'
import { createContext } from 'preact'
import type { Started } from '../lists/lists.ts'
import { seat } from '../shell/calls.ts'

interface Draft {
  /** The name of the person whose draft it is. It is never shown to another person. */
  name: string
  /** The path of the page on which it was started. */
  path: string
  started: Started
  fields: Record<string, string>
}

export const draft = signal<Draft | null>(null)
/** The restored values of fields. */
export const Drafted = createContext<Record<string, string>>({})

/** Fields that are not kept, because they are secret. */
const LEFT_OUT = ['password', 'code']

export function keepDraft(started: Started, form: HTMLFormElement): void {
  const fields = [...new FormData(form)].flatMap(([name, value]) =>
    LEFT_OUT.includes(name) || typeof value !== 'string' ? [] : [[name, value] as const],
  )
  const name = seat.value?.name ?? ''
  draft.value = { name, path: location.pathname, started, fields: Object.fromEntries(fields) }
}

/** The draft of this page; null if there is none. Another person's draft is discarded. */
export function draftHere(): Started | null {
  const kept = draft.peek()
  if (kept && kept.name !== seat.peek()?.name) draft.value = null
  return kept?.name === seat.peek()?.name && kept?.path === location.pathname ? kept.started : null
}
