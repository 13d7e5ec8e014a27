/** External data and its age: nodes by network, transfer fees, prices. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { cut, formatAmount, formatUsd, visible } from '../../money/format.ts'
import { operator as text } from '../../text/en/operator.ts'
import { shell } from '../../text/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Badge, Notice } from '../../ui/notice.tsx'
import { networkName } from '../overview/names.ts'
import { ageOf, agoOf } from '../shell/age.ts'
import type { Feeds } from '../shell/answers.ts'
import { loadFeeds } from '../shell/calls.ts'

export function FeedsPage() {
  const told = useSignal<Feeds | null>(null)
  const problem = useSignal<string | null>(null)
  const load = () =>
    loadFeeds()
      .then((answer) => {
        told.value = answer
        problem.value = null
      })
      .catch((error: Error) => (problem.value = error.message))
  useEffect(() => {
    document.title = `${text.rooms.feeds} · ${shell.name}`
    void load()
  }, [])
  return (
    <div class="stack">
      <div class="row between">
        <h1>{text.rooms.feeds}</h1>
        <Button look="small" onClick={() => void load()}>
          {text.refresh}
        </Button>
      </div>
      {problem.value && <Notice tone="bad">{problem.value}</Notice>}
      {told.value === null && problem.value === null && <span class="skeleton loading" />}
      {told.value && <Networks told={told.value} />}
      {told.value && <Prices told={told.value} />}
    </div>
  )
}

function Networks({ told }: { told: Feeds }) {
  return (
    <section class="card stack">
      <h2>{text.nodes}</h2>
      <ul class="needs">
        {told.networks.map((row) => (
          <li key={row.network} class="stack tight">
            <div class="row between">
              <strong>{networkName(row.network)}</strong>
              <span class="soft small">
                {row.head_at === null ? text.noHead : text.headAt(String(row.head), ageOf(told.now, row.head_at))}
              </span>
            </div>
            <div class="row between small">
              <span class="row">
                {row.nodes.length === 0 && <span class="soft">{text.noNodes}</span>}
                {row.nodes.map(({ node, trouble, failures, differed, rests }) => (
                  <span key={node} class="row">
                    <Badge tone={trouble === null ? 'good' : 'bad'}>
                      {trouble === null ? text.nodeWell : text.nodeIll}
                    </Badge>
                    <span class="mono">{visible(node)}</span>
                    {trouble !== null && <span title={visible(trouble)}>{text.nodeTrouble(failures)}</span>}
                    {rests && <span>{text.nodeRests}</span>}
                    {differed > 0 && <Badge tone="warn">{text.nodeDiffered(differed)}</Badge>}
                  </span>
                ))}
              </span>
              <span class="soft">
                {row.cost === null || row.cost_at === null
                  ? text.noFees
                  : costOf(row.cost, ageOf(told.now, row.cost_at))}
              </span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

function costOf({ amount, symbol, usd }: { amount: string; symbol: string; usd: number | null }, age: string): string {
  const shown = usd === null ? formatAmount(cut(amount, 8), symbol) : formatUsd(usd)
  return text.costs(shown, age)
}

function Prices({ told }: { told: Feeds }) {
  return (
    <section class="card stack">
      <div class="row between">
        <h2>{text.prices}</h2>
        <span class="soft small">{text.sources(told.sources.join(', '))}</span>
      </div>
      <ul class="needs prices">
        {told.prices.map(({ group, usd, at, answered, asked }) => (
          <li key={group} class="row between">
            <span class="row">
              <strong>{visible(group)}</strong>
              <span>{usd === null ? text.noPrice : formatUsd(usd)}</span>
            </span>
            <span class="row soft small">
              {answered !== null && <span>{text.answered(answered, asked)}</span>}
              {at !== null && <span>{agoOf(told.now, at)}</span>}
              {usd === null && <Badge tone="warn">{text.tooOld}</Badge>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
