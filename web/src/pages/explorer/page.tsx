/** The explorer: any swap by address, hash or id, the latest swaps, and volumes. */
import type { ExplorerRow } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { client } from '../../api/client.ts'
import { keepTrying } from '../../api/keep-trying.ts'
import { problemOf } from '../../api/problems.ts'
import { shortAddress } from '../../money/format.ts'
import { shell, explorer as text } from '../../text/en.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SwapList } from '../../ui/swap-list.tsx'
import { type Filtered, Filters, NO_FILTER } from './filters.tsx'
import { type Unmatched, UnmatchedDeposits } from './unmatched.tsx'
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
  const unmatched = useSignal<Unmatched[]>([])
  const problem = useSignal<string | null>(null)

  useEffect(() => {
    document.title = `${text.title} · ${shell.name}`
  }, [])
  useEffect(() => {
    rows.value = null
    page.value = 1
    problem.value = null
    unmatched.value = []
    return keepTrying(() => loadFirst(search, filter.value), {
      onFound: ({ found, stray }) => {
        unmatched.value = stray
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
        <h1>{search ? text.foundFor(shortAddress(search)) : text.heading}</h1>
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
      {(search === null || filter.value !== NO_FILTER || (rows.value?.length ?? 0) > 0) && (
        <div class="row between">
          <h2>{search === null ? text.recent : text.swaps}</h2>
          <Filters value={filter} />
        </div>
      )}
      {problem.value ? (
        <Notice tone="bad">{problem.value}</Notice>
      ) : unmatched.value.length > 0 ? (
        <UnmatchedDeposits deposits={unmatched.value} />
      ) : (
        <SwapList swaps={rows.value} empty={search ? text.notFound(search) : text.none} />
      )}
      {(rows.value?.length ?? 0) >= page.value * PAGE_SIZE && <Button onClick={() => void more()}>{text.more}</Button>}
    </div>
  )
}

/** The first page. If a search finds no swap, the unmatched deposits of that transaction. */
async function loadFirst(search: string | null, filter: Filtered) {
  const found = await load(search, filter, 1)
  const stray = search && found.length === 0 && HASH.test(search) ? await client.unmatched(search) : []
  const networks = stray.length > 0 ? await client.networks() : []
  const nameOf = (name: string) => networks.find((network) => network.name === name)?.display_name ?? name
  return { found, stray: stray.map((deposit) => ({ ...deposit, networkName: nameOf(deposit.network) })) }
}

/** Long enough for a transaction hash of any chain; most addresses are shorter. */
const HASH = /^[0-9A-Za-z+/=_:-]{40,128}$/

function load(search: string | null, { status, network }: Filtered, page: number): Promise<ExplorerRow[]> {
  const request = {
    page,
    include_expired: status === 'expired',
    ...(status ? { statuses: [status] } : {}),
    ...(network ? { networks: [network] } : {}),
  }
  return search ? client.explorerSearch(search, { ...request, include_expired: true }) : client.explorer(request)
}
