/** What somebody was writing when their session ended: it is there again once the same person has logged in. Kept in memory only. */
import { signal } from '@preact/signals'
import { createContext } from 'preact'
import type { Started } from '../lists/lists.ts'
import { seat } from '../shell/calls.ts'

interface Draft {
  /** Whose it is: nobody else gets to see it. */
  name: string
  /** The page it was begun on. */
  path: string
  started: Started
  fields: Record<string, string>
}

export const draft = signal<Draft | null>(null)
/** What fields begin with. */
export const Drafted = createContext<Record<string, string>>({})

/** Secrets are not kept. */
const LEFT_OUT = ['password', 'code']

export function keepDraft(started: Started, form: HTMLFormElement): void {
  const fields = [...new FormData(form)].flatMap(([name, value]) =>
    LEFT_OUT.includes(name) || typeof value !== 'string' ? [] : [[name, value] as const],
  )
  const name = seat.value?.name ?? ''
  draft.value = { name, path: location.pathname, started, fields: Object.fromEntries(fields) }
}

/** What was begun here; null where nothing was. Somebody else's is thrown away. */
export function draftHere(): Started | null {
  const kept = draft.peek()
  if (kept && kept.name !== seat.peek()?.name) draft.value = null
  return kept?.name === seat.peek()?.name && kept?.path === location.pathname ? kept.started : null
}
