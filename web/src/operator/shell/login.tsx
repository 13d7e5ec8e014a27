/** Login with name, password and code. The error does not say which one was wrong. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { operator as text } from '../../text/en/operator.ts'
import { shell } from '../../text/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { draft } from '../actions/draft.ts'
import { Input } from '../actions/input.tsx'
import { logIn, sandbox, wasAway } from './calls.ts'

export function LoginPage() {
  const problem = useSignal<string | null>(null)
  const isBusy = useSignal(false)
  useEffect(() => {
    document.title = `${text.login} · ${shell.name}`
  }, [])
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const given = new FormData(event.currentTarget)
    const word = (name: string) => String(given.get(name) ?? '')
    isBusy.value = true
    problem.value = null
    await logIn({ name: word('name'), password: word('password'), code: word('code').replaceAll(' ', '') }).catch(
      (error: Error) => {
        problem.value = error.message
      },
    )
    isBusy.value = false
  }
  return (
    <form class="card stack login" onSubmit={(event) => void submit(event)}>
      <h1>{text.login}</h1>
      {wasAway.value && <Notice>{draft.value ? text.awayWithDraft : text.away}</Notice>}
      {sandbox.value && <Notice>{text.sandboxLogin(sandbox.value.name, sandbox.value.password)}</Notice>}
      <Input name="name" label={text.name} autocomplete="username" />
      <Input name="password" label={text.password} type="password" autocomplete="current-password" />
      <Input
        name="code"
        label={text.code}
        autocomplete="one-time-code"
        inputMode="numeric"
        optional={sandbox.value !== null}
      />
      {problem.value && (
        <div role="alert">
          <Notice tone="bad">{problem.value}</Notice>
        </div>
      )}
      <Button look="primary wide" type="submit" disabled={isBusy.value}>
        {text.login}
      </Button>
    </form>
  )
}
