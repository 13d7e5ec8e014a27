/** An act: its effect in words first, what it still needs, why; then what came of it. What opens a door wants the password again. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { announce } from '../app/announce.tsx'
import { formatTime } from '../money/format.ts'
import { shell, operator as text } from '../text/en.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { ActionButton } from './button.tsx'
import { act, CallError, look, prove, sandbox, type Told } from './calls.ts'
import { Input, TICKED } from './input.tsx'
import type { Action } from './lists.ts'
import { Asked, effectOf, Given, Outcome } from './parts.tsx'

export interface Started {
  action: Action
  values: Record<string, string>
  /** The bare word, where a row gave it. */
  named: string | null
  /** The whole row, by the heads of its columns. */
  facts?: Record<string, string>
}

/** One sheet each: what was typed into another is not in it. */
export const keyOf = ({ action }: Started) => `${action.noun} ${action.verb}`

interface SheetProps {
  started: Started
  /** `next` is what shall be done then: taking it back. */
  onClose: (isDone: boolean, next: Started | null) => void
}

export function ActSheet({ started, onClose }: SheetProps) {
  const { action, values, named, facts = {} } = started
  const { noun, verb, ask = [], reads = false } = action
  const told = useSignal<Told | null>(null)
  const problem = useSignal<CallError | Error | null>(null)
  const isBusy = useSignal(false)
  /** What was filled in, where it was done. */
  const given = useSignal<Record<string, string>>({})
  const { route } = useLocation()
  const run = async (form: FormData | null) => {
    isBusy.value = true
    problem.value = null
    const word = (name: string) => String(form?.get(name) ?? '').trim()
    // A flag is an option without a value.
    const asked = ask
      .map(({ name, flag }) => [name, word(name), flag] as const)
      .filter(([, value]) => value !== '')
      .map(([name, value, flag]) => [name, flag && value === TICKED ? '' : value])
    const all = { ...values, ...Object.fromEntries(asked) }
    given.value = all
    const names = action.named ? [named ?? word(action.named)] : []
    if (action.page) return route(action.page(all))
    try {
      const password = String(form?.get('password') ?? '')
      if (password) await prove({ password, code: word('code') })
      told.value = reads
        ? await look(noun, verb, all)
        : await act({ noun, verb, names, values: all }, word(action.said ?? 'reason'))
      if (!reads) announce(told.value.asked === null ? text.done : text.askedFor)
    } catch (error) {
      problem.value = error instanceof Error ? error : new Error(String(error))
    }
    isBusy.value = false
  }
  const shown = Object.fromEntries(
    (action.shows ?? []).map((head) => [head, facts[head] ?? '']).filter(([, value]) => value !== ''),
  )
  const undo = undoOf(action, { ...values, ...given.value })
  const needsNothing = reads && ask.length === 0
  useEffect(() => {
    if (needsNothing) void run(null)
  }, [])
  const isStale = problem.value instanceof CallError && ['STALE', 'WRONG'].includes(problem.value.code)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (event.currentTarget instanceof HTMLFormElement) void run(new FormData(event.currentTarget))
  }
  return (
    <Sheet
      wide
      title={text.actions[`${noun} ${verb}`] ?? verb}
      closeLabel={shell.close}
      onClose={() => onClose(told.value !== null && !reads, null)}
    >
      <form class="stack" onSubmit={submit}>
        {action.notBy && <p>{text.askedBy(facts['asked by'] ?? '', formatTime(facts['asked at'] ?? ''))}</p>}
        {!reads && <p>{effectOf(action, facts)}</p>}
        <Given values={{ ...values, ...(named === null ? {} : { [action.named ?? 'name']: named }), ...shown }} />
        {told.value === null && !needsNothing && (
          <>
            {action.named && named === null && <Asked field={{ name: action.named }} />}
            {ask.map((field) => (
              <Asked key={field.name} field={field} />
            ))}
            {!reads && action.said === undefined && <Input name="reason" label={text.reason} />}
            {isStale && (
              <>
                <Notice tone="warn">{text.stale}</Notice>
                <Input name="password" label={text.password} type="password" autocomplete="current-password" />
                <Input name="code" label={text.code} inputMode="numeric" optional={sandbox.value !== null} />
              </>
            )}
            <Button look="primary" type="submit" disabled={isBusy.value}>
              {text.act}
            </Button>
          </>
        )}
        {problem.value && (
          <div role="alert">
            <Notice tone="bad">{problem.value.message}</Notice>
          </div>
        )}
        {told.value && <Outcome told={told.value} isRead={reads} />}
        {told.value && undo && (
          <ActionButton action={undo.action} label={text.undo} onClick={() => onClose(true, undo)} />
        )}
      </form>
    </Sheet>
  )
}

/** What takes it back, on the same; null where nothing does. */
function undoOf({ undo }: Action, values: Record<string, string>): Started | null {
  if (!undo) return null
  const own = Object.keys(undo.from ?? {}).map((name) => [name, values[name] ?? ''])
  return { action: undo, values: Object.fromEntries(own), named: null, facts: values }
}
