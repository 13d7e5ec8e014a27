/**
 * A webhook tester: creates a swap of the sandbox's app and shows each delivery with the result of its signature check.
 */
import { createClient, type SwapDetails } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask } from '../../api/client.ts'
import { problemOf } from '../../api/problems.ts'
import { formatTime } from '../../money/format-time.ts'
import { shell, webhooks as text } from '../../text/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Badge, Notice } from '../../ui/notice.tsx'
import { force, OUTCOMES } from './outcomes.ts'

interface Delivery {
  id: string | null
  at: string
  problem: string | null
  headers: Record<string, string>
  body: string
}

const LOOK_MS = 1_000

/** `apiKey`: the public one. Only swaps of an app send webhooks. */
export function Webhooks({ apiKey }: { apiKey: string }) {
  const place = useSignal<{ url: string; secret: string } | null>(null)
  const deliveries = useSignal<Delivery[]>([])
  const isBusy = useSignal(false)
  const problem = useSignal<string | null>(null)
  const isOpen = place.value !== null
  useEffect(() => {
    if (!isOpen) return
    const look = () =>
      ask<Delivery[]>('/sandbox/hooks')
        .then((found) => (deliveries.value = found))
        .catch(() => undefined)
    const timer = setInterval(() => void look(), LOOK_MS)
    return () => clearInterval(timer)
  }, [isOpen])
  const listen = async () => {
    isBusy.value = true
    problem.value = null
    try {
      place.value = await ask('/sandbox/hooks', {})
      const [arrives] = OUTCOMES
      if (arrives) await force(arrives, createClient({ baseUrl: location.origin, apiKey }))
    } catch (error) {
      problem.value = problemOf(error, 'once').text
    }
    isBusy.value = false
  }
  return (
    <section class="card stack" aria-label={text.heading}>
      <h2>{text.heading}</h2>
      <p class="soft small">{text.note}</p>
      <div>
        <Button disabled={isBusy.value} onClick={() => void listen()}>
          {text.listen}
        </Button>
      </div>
      {problem.value && <Notice tone="bad">{problem.value}</Notice>}
      {place.value && (
        <p class="row small">
          <span>
            {text.secret} <code class="mono secret">{place.value.secret}</code>
          </span>
          <Copy text={place.value.secret} label={shell.copy} done={shell.copied} name={shell.copyOf(text.secret)} />
        </p>
      )}
      {isOpen && deliveries.value.length === 0 && <p class="soft small">{text.waiting}</p>}
      <ul class="stack tight">
        {deliveries.value.map((delivery) => (
          <Delivered key={`${delivery.id} ${delivery.at}`} delivery={delivery} />
        ))}
      </ul>
    </section>
  )
}

function Delivered({ delivery: { at, problem, headers, body } }: { delivery: Delivery }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <li>
      <details class="delivery">
        <summary>
          <time class="soft small">{formatTime(at)}</time> <strong>{statusIn(body) ?? text.unknown}</strong>{' '}
          <Badge tone={problem === null ? 'good' : 'bad'}>{problem ?? text.fits}</Badge>
        </summary>
        <textarea
          class="code"
          rows={12}
          readOnly
          aria-label={text.whole}
          value={[...lines, '', pretty(body)].join('\n')}
        />
      </details>
    </li>
  )
}

function statusIn(body: string): string | null {
  try {
    return (JSON.parse(body) as { data: SwapDetails }).data.swap.status
  } catch {
    return null
  }
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
