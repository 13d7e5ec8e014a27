/** The developer page: a quick start against this server, and links. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client, site } from '../../api/client.ts'
import { keepTrying } from '../../api/keep-trying.ts'
import { problemOf } from '../../api/problems.ts'
import { shell, developers as text } from '../../text/en.ts'
import { Button } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Notice } from '../../ui/notice.tsx'
import { asCurl, type Call, run } from './calls.ts'
import './page.css'

export function DevelopersPage() {
  const calls = useSignal<{ name: string; note?: string; call: Call }[]>([])
  const made = useSignal<string | null>(null)
  const problem = useSignal<string | null>(null)
  useEffect(() => {
    document.title = `${text.title} · ${shell.name}`
    return keepTrying(examples, {
      onFound: (found) => {
        calls.value = found
        problem.value = null
      },
      onProblem: (error) => (problem.value = problemOf(error).text),
    })
  }, [])
  return (
    <div class="stack developers">
      <h1>{text.heading}</h1>
      <p class="soft">{text.lead}</p>
      <ul class="ways">
        <Way href="/docs" name={text.reference} note={text.referenceNote} isOutside />
        {site.value?.isSandbox && <Way href="/developers/sandbox" name={text.sandbox} note={text.sandboxNote} />}
        <Way href="/developers/embed" name={text.embed} note={text.embedNote} />
      </ul>
      <h2>{text.quickStart}</h2>
      {problem.value && <Notice tone="bad">{problem.value}</Notice>}
      {calls.value.map(({ name, note, call }, at) => (
        <Example
          key={name}
          name={`${at + 1}. ${name}`}
          call={{ ...call, path: call.path.replace(SWAP_ID, made.value ?? SWAP_ID) }}
          onAnswer={(answer) => (made.value = idIn(answer) ?? made.value)}
          {...(note ? { note } : {})}
        />
      ))}
    </div>
  )
}

function Way({
  href,
  name,
  note,
  isOutside = false,
}: {
  href: string
  name: string
  note: string
  isOutside?: boolean
}) {
  return (
    <li>
      <a class="card way" href={href} {...(isOutside ? { target: '_self' } : {})}>
        <strong>{name}</strong>
        <span class="soft small">{note}</span>
      </a>
    </li>
  )
}

/** Placeholder for a swap id until one was created here. */
const SWAP_ID = '{swap_id}'

function idIn(answer: string): string | null {
  return /"swap": \{\s*"id": "([0-9a-f-]{36})"/.exec(answer)?.[1] ?? null
}

interface ExampleProps {
  name: string
  note?: string
  call: Call
  onAnswer: (answer: string) => void
}

function Example({ name, note, call, onAnswer }: ExampleProps) {
  const answer = useSignal<string | null>(null)
  const isRunning = useSignal(false)
  const start = async () => {
    isRunning.value = true
    answer.value = await run(call).catch((error) => String(error))
    onAnswer(answer.value)
    isRunning.value = false
  }
  return (
    <section class="card stack tight">
      <div class="row between">
        <h3>{name}</h3>
        <span class="row">
          <Copy text={asCurl(call)} label={shell.copy} done={shell.copied} name={shell.copyOf(name)} />
          <Button look="small" disabled={isRunning.value || call.path.includes(SWAP_ID)} onClick={() => void start()}>
            {isRunning.value ? text.running : text.run}
          </Button>
        </span>
      </div>
      {note && <p class="soft small">{note}</p>}
      <pre class="code">{asCurl(call)}</pre>
      {answer.value !== null && (
        <textarea class="code" rows={12} readOnly aria-label={`${text.answer}: ${name}`} value={answer.value} />
      )}
    </section>
  )
}

/** With names that this server lists. */
async function examples() {
  const networks = (await client.sources()).sort((a, b) => a.source_rank - b.source_rank)
  const [a, b] = networks
  const [from, to] = [a?.tokens[0], b?.tokens[1] ?? b?.tokens[0]]
  if (!a || !b || !from || !to) return []
  const route = {
    source_network: a.name,
    source_token: from.symbol,
    destination_network: b.name,
    destination_token: to.symbol,
    amount: '0.1',
  }
  const body = { ...route, destination_address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }
  return [
    { name: text.quote, call: { method: 'GET', path: `/api/v2/quote?${new URLSearchParams(route)}` } satisfies Call },
    { name: text.create, note: text.createNote, call: { method: 'POST', path: '/api/v2/swaps', body } satisfies Call },
    {
      name: text.follow,
      note: text.followNote,
      call: { method: 'GET', path: `/api/v2/swaps/${SWAP_ID}` } satisfies Call,
    },
  ]
}
