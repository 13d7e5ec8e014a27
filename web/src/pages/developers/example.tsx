/** One call of the quick start: its text, and a button that runs it here. */
import { useSignal } from '@preact/signals'
import { shell, developers as text } from '../../text/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Copy } from '../../ui/copy.tsx'
import { asCurl, type Call, run } from './calls.ts'

/** Placeholder for a swap id until one was created here. */
export const SWAP_ID = '{swap_id}'

export function idIn(answer: string): string | null {
  return /"swap": \{\s*"id": "([0-9a-f-]{36})"/.exec(answer)?.[1] ?? null
}

interface ExampleProps {
  at: number
  name: string
  note: string
  call: Call
  onAnswer: (answer: string) => void
}

export function Example({ at, name, note, call, onAnswer }: ExampleProps) {
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
        <div class="row">
          <span class="step-number" aria-hidden="true">
            {at}
          </span>
          <h3>{name}</h3>
        </div>
        <span class="row">
          <Copy text={asCurl(call)} label={shell.copy} done={shell.copied} name={shell.copyOf(name)} />
          <Button look="small" disabled={isRunning.value || call.path.includes(SWAP_ID)} onClick={() => void start()}>
            {isRunning.value ? text.running : text.run}
          </Button>
        </span>
      </div>
      <p class="soft small">{note}</p>
      <Code text={asCurl(call)} />
      {answer.value !== null && (
        <textarea class="code" rows={12} readOnly aria-label={`${text.answer}: ${name}`} value={answer.value} />
      )}
    </section>
  )
}
