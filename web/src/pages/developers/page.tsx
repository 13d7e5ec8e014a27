/** The developer page: a sample, links, and a quick start against this server. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client, site } from '../../api/client.ts'
import { keepTrying } from '../../api/keep-trying.ts'
import { problemOf } from '../../api/problems.ts'
import { useTitle } from '../../app/title.ts'
import { developers as text } from '../../text/texts.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { Call } from './calls.ts'
import { Example, idIn, SWAP_ID } from './example.tsx'
import { Hero } from './hero.tsx'
import { AMOUNT, RECIPIENT, type Route } from './sample.ts'
import './page.css'

export function DevelopersPage() {
  const found = useSignal<{ route: Route; networks: number } | null>(null)
  const made = useSignal<string | null>(null)
  const problem = useSignal<string | null>(null)
  useTitle(text.title)
  useEffect(
    () =>
      keepTrying(findRoute, {
        onFound: (route) => {
          found.value = route
          problem.value = null
        },
        onProblem: (error) => (problem.value = problemOf(error).text),
      }),
    [],
  )
  const route = found.value?.route ?? null
  const calls = route ? callsOf(route) : []
  const names = [
    { name: text.quote, note: text.quoteNote },
    { name: text.create, note: text.createNote },
    { name: text.follow, note: text.followNote },
  ]
  return (
    <div class="developers">
      <Hero route={route} calls={calls} networks={found.value?.networks ?? 0} />
      <ul class="ways">
        <Way href="/docs" icon="code" name={text.reference} note={text.referenceNote} />
        {site.value?.isSandbox && (
          <Way href="/developers/sandbox" icon="box" name={text.sandbox} note={text.sandboxNote} />
        )}
        <Way href="/developers/embed" icon="frame" name={text.embed} note={text.embedNote} />
        <Way href="/docs#getting-updates" icon="hook" name={text.webhooks} note={text.webhooksNote} />
      </ul>
      <section class="stack" id="quick-start">
        <div>
          <h2>{text.quickStart}</h2>
          <p class="soft">{text.quickStartNote}</p>
        </div>
        {problem.value && <Notice tone="bad">{problem.value}</Notice>}
        {names.map(({ name, note }, at) => {
          const call = calls[at]
          if (!call) return null
          return (
            <Example
              key={name}
              at={at + 1}
              name={name}
              note={note}
              call={{ ...call, path: call.path.replace(SWAP_ID, made.value ?? SWAP_ID) }}
              onAnswer={(answer) => (made.value = idIn(answer) ?? made.value)}
            />
          )
        })}
      </section>
    </div>
  )
}

function Way({ href, icon, name, note }: { href: string; icon: IconName; name: string; note: string }) {
  return (
    <li>
      <a class="card way-card" href={href} {...(href.startsWith('/docs') ? { target: '_self' } : {})}>
        <span class="way-icon">
          <Icon name={icon} />
        </span>
        <strong>{name}</strong>
        <span class="soft small">{note}</span>
      </a>
    </li>
  )
}

/** A route that this server lists. */
async function findRoute(): Promise<{ route: Route; networks: number } | null> {
  const networks = (await client.sources()).sort((a, b) => a.source_rank - b.source_rank)
  const [a, b] = networks
  const [from, to] = [a?.tokens[0], b?.tokens[1] ?? b?.tokens[0]]
  if (!a || !b || !from || !to) return null
  const route = {
    source_network: a.name,
    source_token: from.symbol,
    destination_network: b.name,
    destination_token: to.symbol,
  }
  return { route, networks: networks.length }
}

function callsOf(route: Route): Call[] {
  const body = { ...route, amount: AMOUNT, destination_address: RECIPIENT }
  return [
    { method: 'GET', path: `/api/v2/quote?${new URLSearchParams({ ...route, amount: AMOUNT })}` },
    { method: 'POST', path: '/api/v2/swaps', body },
    { method: 'GET', path: `/api/v2/swaps/${SWAP_ID}` },
  ]
}
