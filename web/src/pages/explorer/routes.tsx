/** Route health: how many of the latest swaps completed, and how long they took. */
import type { ListedNetwork, RouteHealth } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client } from '../../api/client.ts'
import { keepTrying } from '../../api/keep-trying.ts'
import { problemOf } from '../../api/problems.ts'
import { useTitle } from '../../app/title.ts'
import { formatPercent, visible } from '../../money/format.ts'
import { formatTook } from '../../money/format-time.ts'
import { explorer as text } from '../../text/texts.ts'
import { Badge, Notice } from '../../ui/notice.tsx'
import '../../ui/swap-list.css'
import './network.css'

/** The fewest swaps for which a rate is shown: fewer are not significant. */
const ENOUGH = 3

export function RoutesPage() {
  const routes = useSignal<RouteHealth[] | null>(null)
  const networks = useSignal<ListedNetwork[]>([])
  const problem = useSignal<string | null>(null)
  useTitle(text.health)
  useEffect(() => {
    return keepTrying(() => Promise.all([client.routesHealth(), client.networks()]), {
      onFound: ([health, listed]) => {
        routes.value = health
        networks.value = listed
        problem.value = null
      },
      onProblem: (error) => (problem.value = problemOf(error).text),
    })
  }, [])
  const nameOf = (name: string) =>
    visible(networks.value.find((network) => network.name === name)?.display_name ?? name)
  return (
    <div class="stack">
      <h1>{text.health}</h1>
      <p class="soft">{text.healthLead}</p>
      {problem.value && <Notice tone="bad">{problem.value}</Notice>}
      {routes.value?.length === 0 && <p class="swap-empty soft">{text.noRoutes}</p>}
      {(routes.value?.length ?? 0) > 0 && (
        <div class="card swap-list routes">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{text.route}</th>
                <th scope="col">{text.success}</th>
                <th scope="col" class="number">
                  {text.median}
                </th>
                <th scope="col" class="number">
                  {text.p95}
                </th>
              </tr>
            </thead>
            <tbody>
              {routes.value?.map((route) => (
                <tr key={`${route.source_network} ${route.destination_network}`}>
                  <th scope="row">
                    {nameOf(route.source_network)} <span aria-hidden="true">→</span> {nameOf(route.destination_network)}
                  </th>
                  <td>
                    <Success route={route} />
                  </td>
                  <td class="number">{route.median_seconds === null ? '–' : formatTook(route.median_seconds)}</td>
                  <td class="number">{route.p95_seconds === null ? '–' : formatTook(route.p95_seconds)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  )
}

function Success({ route: { swaps, completed } }: { route: RouteHealth }) {
  if (swaps < ENOUGH) return <span class="soft">{text.tooFew}</span>
  const share = completed / swaps
  return (
    <Badge tone={share > 0.95 ? 'good' : share > 0.8 ? 'warn' : 'bad'}>
      {formatPercent(Math.floor(share * 100) / 100)} · {completed}/{swaps}
    </Badge>
  )
}
