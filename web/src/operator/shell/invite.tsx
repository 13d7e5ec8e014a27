/** Accepts an invitation: a secret for the authenticator app, a password, and the first code. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { operator as text } from '../../text/en/operator.ts'
import { shell } from '../../text/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Qr } from '../../ui/qr.tsx'
import { Input } from '../actions/input.tsx'
import { acceptInvite, openInvite } from './calls.ts'

export function InvitePage() {
  const invited = useSignal<Awaited<ReturnType<typeof openInvite>> | null>(null)
  const problem = useSignal<string | null>(null)
  const isDone = useSignal(false)
  const invite = location.hash.slice(1)
  useEffect(() => {
    document.title = `${text.invite} · ${shell.name}`
    openInvite(invite)
      .then((told) => (invited.value = told))
      .catch((error: Error) => (problem.value = error.message))
  }, [])
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const given = new FormData(event.currentTarget)
    const word = (name: string) => String(given.get(name) ?? '')
    problem.value = null
    const code = word('code').replaceAll(' ', '')
    await acceptInvite({ invite, password: word('password'), code, signature: word('signature') })
      .then(() => (isDone.value = true))
      .catch((error: Error) => (problem.value = error.message))
  }
  return (
    <form class="card stack login" onSubmit={(event) => void submit(event)}>
      <h1>{text.invite}</h1>
      {isDone.value && (
        <Notice tone="good">
          {text.inviteDone} <a href="/operator">{text.login}</a>
        </Notice>
      )}
      {invited.value && !isDone.value && (
        <>
          <p>{text.inviteLead(invited.value.name, invited.value.role)}</p>
          <p class="soft small">{text.inviteSecret}</p>
          <Qr text={invited.value.code_address} name={text.inviteSecret} />
          <p class="mono">{invited.value.code_secret}</p>
          <Input name="password" label={text.password} type="password" autocomplete="new-password" minLength={12} />
          <p class="soft small">{text.passwordRule}</p>
          <Input name="code" label={text.code} autocomplete="one-time-code" inputMode="numeric" />
          {invited.value.sign !== null && <Signed name={invited.value.name} sign={invited.value.sign} />}
          <Button look="primary wide" type="submit">
            {text.save}
          </Button>
        </>
      )}
      {problem.value && (
        <div role="alert">
          <Notice tone="bad">{problem.value}</Notice>
        </div>
      )}
    </form>
  )
}

/**
 * Asks for a signature by the invited person's key: the link alone proves nothing, because its sender has seen it, too.
 */
function Signed({ name, sign }: { name: string; sign: string }) {
  const command = text.signCommand(name, sign)
  return (
    <>
      <p class="soft small">{text.inviteSign}</p>
      <pre class="code">{command}</pre>
      <Copy text={command} label={shell.copy} done={shell.copied} name={shell.copyOf(text.theCommand)} />
      <Input name="signature" label={text.signature} long />
    </>
  )
}
