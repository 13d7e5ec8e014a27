/**
 * The sheet of an operator action: its effect, the missing inputs and the reason, then the result. Sensitive actions ask for the password again.
 */
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { announce } from '../../app/announce.tsx'
import { formatTime } from '../../money/format-time.ts'
import { operator as text } from '../../text/en/operator.ts'
import { shell } from '../../text/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import type { Action, Started } from '../lists/lists.ts'
import { act, CallError, look, prove, sandbox, type Told } from '../shell/calls.ts'
import { ActionButton } from './button.tsx'
import { Drafted, draft, keepDraft } from './draft.ts'
import { Input, TICKED } from './input.tsx'
import { Asked, effectOf, Given, Outcome } from './parts.tsx'

/** Each action has its own sheet, so that input is not carried over. */
export const keyOf = ({ action, values }: Started) => [action.noun, action.verb, ...Object.values(values)].join(' ')

interface SheetProps {
  started: Started
  /** Called when the sheet closes; `next` is the follow-up action, the undo. */
  onClose: (isDone: boolean, next: Started | null) => void
}

export function ActSheet({ started, onClose }: SheetProps) {
  const { action, values, named, facts = {} } = started
  const { noun, verb, ask = [], reads = false } = action
  const told = useSignal<Told | null>(null)
  const problem = useSignal<CallError | Error | null>(null)
  const isBusy = useSignal(false)
  /** Input that was entered before the session ended. */
  const begun = useMemo(() => (draft.peek()?.started === started ? (draft.peek()?.fields ?? {}) : {}), [started])
  /** The previous value, if the undo needs it. */
  const before = useSignal<Record<string, string> | null>(null)
  /** The submitted values, once done. */
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
      const refused = await action.refuses?.(all)
      if (refused) throw new Error(refused)
      before.value = action.undo?.before ? await action.undo.before(all) : null
      told.value = reads
        ? await look(noun, verb, all)
        : await act({ noun, verb, names, values: all }, word(action.said ?? 'reason'))
      draft.value = null
      if (!reads) announce(told.value.asked === null ? text.done : text.askedFor)
    } catch (error) {
      problem.value = error instanceof Error ? error : new Error(String(error))
    }
    isBusy.value = false
  }
  const shown = Object.fromEntries(
    (action.shows ?? []).map((head) => [head, facts[head] ?? '']).filter(([, value]) => value !== ''),
  )
  const undo = undoOf(action, { ...facts, ...values, ...given.value }, before.value)
  const leave: SheetProps['onClose'] = (isDone, next) => {
    draft.value = null
    onClose(isDone, next)
  }
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
      onClose={() => leave(told.value !== null && !reads, null)}
    >
      <Drafted.Provider value={begun}>
        <form class="stack" onSubmit={submit} onInput={(event) => keepDraft(started, event.currentTarget)}>
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
                {text.actions[`${noun} ${verb}`] ?? verb}
              </Button>
            </>
          )}
          {problem.value && (
            <div role="alert">
              <Notice tone="bad">{problem.value.message}</Notice>
            </div>
          )}
          {told.value && <Outcome told={told.value} isRead={reads} />}
          {told.value?.asked === null && undo && (
            <ActionButton action={undo.action} label={text.undo} onClick={() => leave(true, undo)} />
          )}
        </form>
      </Drafted.Provider>
    </Sheet>
  )
}

/** The action that undoes this one; null if there is none. */
function undoOf({ undo }: Action, row: Record<string, string>, before: Record<string, string> | null): Started | null {
  const action = undo?.how(before)
  if (!action) return null
  const own = Object.entries(action.from ?? {}).map(([name, head]) => [name, before?.[head] ?? row[head] ?? ''])
  return { action, values: Object.fromEntries(own), named: null, facts: row }
}
