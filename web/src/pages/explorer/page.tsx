/** The explorer: any swap by address, hash or id; the newest ones; and what went in and out. */
import type { ExplorerRow } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { client } from '../../api/client.ts'
import { keepTrying } from '../../api/keep-trying.ts'
import { problemOf } from '../../api/problems.ts'
import { shell, explorer as text } from '../../text/en.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SwapList } from '../../ui/swap-list.tsx'
import { type Filtered, Filters, NO_FILTER } from './filters.tsx'
import { Volumes } from './volumes.tsx'

const PAGE_SIZE = 20

export function ExplorerPage() {
  const { params } = useRoute()
  const { route } = useLocation()
  const search = params.search ? decodeURIComponent(params.search) : null
  const typed = useSignal(search ?? '')
  const rows = useSignal<ExplorerRow[] | null>(null)
  const page = useSignal(1)
  const filter = useSignal<Filtered>(NO_FILTER)
  const problem = useSignal<string | null>(null)

  useEffect(() => {
    document.title = `${text.title} · ${shell.name}`
  }, [])
  useEffect(() => {
    rows.value = null
    page.value = 1
    problem.value = null
    return keepTrying(() => load(search, filter.value, 1), {
      onFound: (found) => {
        const [only] = found
        if (search && found.length === 1 && only) route(`/swap/${only.swap.id}`, true)
        rows.value = found
        problem.value = null
      },
      onProblem: (error) => (problem.value = problemOf(error).text),
    })
  }, [search, filter.value])

  const more = async () => {
    const next = await load(search, filter.value, page.value + 1)
    page.value += 1
    rows.value = [...(rows.value ?? []), ...next]
  }
  const submit = (event: Event) => {
    event.preventDefault()
    const wanted = typed.value.trim()
    route(wanted ? `/explorer/${encodeURIComponent(wanted)}` : '/explorer')
  }
  return (
    <div class="stack">
      <div class="row between">
        <h1>{search ? text.foundFor(search) : text.heading}</h1>
        <a href="/explorer/routes">{text.health}</a>
      </div>
      <form class="row search" onSubmit={submit}>
        <input
          class="input mono"
          type="search"
          aria-label={text.searchLabel}
          placeholder={text.searchLabel}
          autocomplete="off"
          spellcheck={false}
          value={typed.value}
          onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
        />
        <Button type="submit" icon="search">
          {text.search}
        </Button>
      </form>
      {search === null && <Volumes />}
      <div class="row between">
        <h2>{text.recent}</h2>
        <Filters value={filter} />
      </div>
      {problem.value ? (
        <Notice tone="bad">{problem.value}</Notice>
      ) : (
        <SwapList swaps={rows.value} empty={search ? text.notFound(search) : text.none} />
      )}
      {(rows.value?.length ?? 0) >= page.value * PAGE_SIZE && <Button onClick={() => void more()}>{text.more}</Button>}
    </div>
  )
}

function load(search: string | null, { status, network }: Filtered, page: number): Promise<ExplorerRow[]> {
  const request = {
    page,
    include_expired: status === 'expired',
    ...(status ? { statuses: [status] } : {}),
    ...(network ? { networks: [network] } : {}),
  }
  return search ? client.explorerSearch(search, { ...request, include_expired: true }) : client.explorer(request)
}
