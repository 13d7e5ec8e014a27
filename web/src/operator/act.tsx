/** An act: its effect in words first, what it still needs, why; then what came of it. What opens a door wants the password again. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { announce } from '../app/announce.tsx'
import { formatTime, visible } from '../money/format.ts'
import { effectOn } from '../text/en/effects.ts'
import { shell, operator as text } from '../text/en.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { act, CallError, look, prove, sandbox, type Told } from './calls.ts'
import { useChoices } from './choices.ts'
import { Input, TICKED } from './input.tsx'
import type { Action, Field } from './rooms.ts'
import { Table } from './table.tsx'

export interface Started {
  action: Action
  values: Record<string, string>
  /** The bare word, where a row gave it. */
  named: string | null
  /** The whole row, by the heads of its columns. */
  facts?: Record<string, string>
}

export function ActSheet({ started, onClose }: { started: Started; onClose: (isDone: boolean) => void }) {
  const { action, values, named, facts = {} } = started
  const { noun, verb, ask = [], reads = false } = action
  const told = useSignal<Told | null>(null)
  const problem = useSignal<CallError | Error | null>(null)
  const isBusy = useSignal(false)
  const run = async (given: FormData | null) => {
    isBusy.value = true
    problem.value = null
    const word = (name: string) => String(given?.get(name) ?? '').trim()
    // A flag is an option without a value.
    const asked = ask
      .map(({ name, flag }) => [name, word(name), flag] as const)
      .filter(([, value]) => value !== '')
      .map(([name, value, flag]) => [name, flag && value === TICKED ? '' : value])
    const all = { ...values, ...Object.fromEntries(asked) }
    const names = action.named ? [named ?? word(action.named)] : []
    try {
      const password = String(given?.get('password') ?? '')
      if (password) await prove({ password, code: word('code') })
      told.value = reads ? await look(noun, verb, all) : await act({ noun, verb, names, values: all }, word('reason'))
      if (!reads) announce(told.value.asked === null ? text.done : text.askedFor)
    } catch (error) {
      problem.value = error instanceof Error ? error : new Error(String(error))
    }
    isBusy.value = false
  }
  const shown = Object.fromEntries(
    (action.shows ?? []).map((head) => [head, facts[head] ?? '']).filter(([, value]) => value !== ''),
  )
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
      onClose={() => onClose(told.value !== null && !reads)}
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
            {!reads && <Input name="reason" label={text.reason} />}
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
      </form>
    </Sheet>
  )
}

function Given({ values }: { values: Record<string, string> }) {
  return (
    <dl class="pairs">
      {Object.entries(values).map(([name, value]) => (
        <div key={name} class="row between">
          <dt>{labelOf(name)}</dt>
          <dd class="mono cell">{visible(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

function Asked({ field: { name, options, optional = false, long = false, flag = false } }: { field: Field }) {
  const choices = useChoices(options)
  return <Input name={name} label={labelOf(name)} options={choices} optional={optional} long={long} flag={flag} />
}

const labelOf = (name: string) => text.fields[name] ?? text.heads[name] ?? name

/** In the words of this very row where there are some; what is confirmed has the effect of what was asked for. */
function effectOf({ noun, verb, effectOf: column }: Action, facts: Record<string, string>): string {
  if (column !== undefined && verb === 'confirm') return text.effect(facts[column] ?? '')
  return effectOn(`${noun} ${verb}`, facts) ?? text.effect(`${noun} ${verb}`)
}

function Outcome({ told, isRead }: { told: Told; isRead: boolean }) {
  return (
    <>
      {!isRead && told.asked === null && <Notice tone="good">{text.done}</Notice>}
      {told.asked !== null && <Notice tone="info">{text.askedFor}</Notice>}
      {told.lines.length > 0 && told.asked === null && <pre class="code">{told.lines.join('\n')}</pre>}
      {told.tables.map(({ heads, rows }) => (
        <Table key={heads.join()} heads={heads} rows={rows} />
      ))}
    </>
  )
}
