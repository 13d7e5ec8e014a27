/** An act: its effect in words first, what it still needs, why; then what came of it. What opens a door wants the password again. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { announce } from '../app/announce.tsx'
import { shell, operator as text } from '../text/en.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { act, CallError, loadScopes, look, prove, sandbox, type Told } from './calls.ts'
import { Input } from './input.tsx'
import type { Action, Field } from './rooms.ts'
import { Table } from './table.tsx'

export interface Started {
  action: Action
  values: Record<string, string>
  /** The bare word, where a row gave it. */
  named: string | null
}

export function ActSheet({ started, onClose }: { started: Started; onClose: (isDone: boolean) => void }) {
  const { action, values, named } = started
  const { noun, verb, ask = [], reads = false } = action
  const told = useSignal<Told | null>(null)
  const problem = useSignal<CallError | Error | null>(null)
  const isBusy = useSignal(false)
  const run = async (given: FormData | null) => {
    isBusy.value = true
    problem.value = null
    const word = (name: string) => String(given?.get(name) ?? '').trim()
    const asked = ask.map(({ name }) => [name, word(name)]).filter(([, value]) => value !== '')
    const all = { ...values, ...Object.fromEntries(asked) }
    const names = action.named ? [named ?? word(action.named)] : []
    try {
      const password = String(given?.get('password') ?? '')
      if (password) await prove({ password, code: word('code') })
      told.value = reads ? await look(noun, verb, all) : await act({ noun, verb, names, values: all }, word('reason'))
      if (!reads) announce(text.done)
    } catch (error) {
      problem.value = error instanceof Error ? error : new Error(String(error))
    }
    isBusy.value = false
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
      onClose={() => onClose(told.value !== null && !reads)}
    >
      <form class="stack" onSubmit={submit}>
        {!reads && <p>{text.effect(noun, verb)}</p>}
        <Given values={named === null ? values : { ...values, [action.named ?? 'name']: named }} />
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
          <dt>{text.fields[name] ?? name}</dt>
          <dd class="mono cell">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Asked({ field: { name, options, optional = false, long = false } }: { field: Field }) {
  const scopes = useSignal<string[]>([])
  useEffect(() => {
    if (options === 'scopes') void loadScopes().then((found) => (scopes.value = found))
  }, [])
  const choices = options === 'scopes' ? scopes.value : options
  return <Input name={name} label={text.fields[name] ?? name} options={choices} optional={optional} long={long} />
}

function Outcome({ told, isRead }: { told: Told; isRead: boolean }) {
  return (
    <>
      {!isRead && <Notice tone="good">{text.done}</Notice>}
      {told.lines.length > 0 && <pre class="code">{told.lines.join('\n')}</pre>}
      {told.tables.map(({ heads, rows }) => (
        <Table key={heads.join()} heads={heads} rows={rows} />
      ))}
    </>
  )
}
