/** The explorer: any swap by address, hash or id, the latest swaps, and volumes. */
import type { ExplorerRow } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { keepTrying } from '../../api/keep-trying.ts'
import { problemOf } from '../../api/problems.ts'
import { useTitle } from '../../app/title.ts'
import { shortAddress } from '../../money/format.ts'
import { explorer as text } from '../../text/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SwapList } from '../../ui/swap-list.tsx'
import { type Filtered, Filters, NO_FILTER } from './filters.tsx'
import { load, loadFirst } from './loading.ts'
import { Tiles } from './tiles.tsx'
import { type Unmatched, UnmatchedDeposits } from './unmatched.tsx'
import { Volumes } from './volumes.tsx'

const PAGE_SIZE = 20
const LIVE_MS = 5_000

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

  useTitle(text.title)
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

  // New swaps appear automatically, unless older ones were loaded.
  useEffect(() => {
    if (search !== null) return
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible' || page.value > 1 || rows.value === null) return
      void load(null, filter.value, 1).then(
        (found) => {
          if (page.value === 1) rows.value = found
        },
        () => undefined,
      )
    }, LIVE_MS)
    return () => clearInterval(timer)
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
      <div class="page-head">
        <h1>{search ? text.foundFor(shortAddress(search)) : text.heading}</h1>
        <form class="input-line search-big" onSubmit={submit}>
          <Icon name="search" />
          <input
            type="search"
            aria-label={text.searchLabel}
            placeholder={text.searchLabel}
            autocomplete="off"
            spellcheck={false}
            value={typed.value}
            onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
          />
          <Button type="submit" look="primary">
            {text.search}
          </Button>
        </form>
      </div>
      {search === null && <Tiles />}
      {(search === null || filter.value !== NO_FILTER || (rows.value?.length ?? 0) > 0) && (
        <div class="list-head">
          <h2>
            {search === null ? text.recent : text.swaps}
            {search === null && !problem.value && (
              <span class="live">
                <span class="dot" aria-hidden="true" />
                {text.live}
              </span>
            )}
          </h2>
          <Filters value={filter} />
        </div>
      )}
      {problem.value ? (
        <Notice tone="bad">{problem.value}</Notice>
      ) : unmatched.value.length > 0 ? (
        <UnmatchedDeposits deposits={unmatched.value} />
      ) : (
        <SwapList swaps={rows.value} empty={search ? text.notFound(shortAddress(search)) : text.none} />
      )}
      {(rows.value?.length ?? 0) >= page.value * PAGE_SIZE && (
        <div class="more">
          <Button onClick={() => void more()}>{text.more}</Button>
        </div>
      )}
      {/* After the list, whose length is not known before. */}
      {search === null && (rows.value !== null || problem.value) && <Volumes />}
    </div>
  )
}
