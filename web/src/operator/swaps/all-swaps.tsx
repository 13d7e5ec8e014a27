/** Every swap: search, filters, and older ones on request. Rows open the operator's page of a swap. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { operator as text } from '../../text/en/operator.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Notice } from '../../ui/notice.tsx'
import { csvOfSwaps, download } from '../lists/export.ts'
import { networkName } from '../overview/names.ts'
import { overview } from '../shell/alerts.ts'
import { type ConsoleRow, type Counts, countSwaps, loadSwaps } from '../shell/reports.ts'
import { KINDS, type Kind, labelOf } from './kinds.ts'
import { SwapRows } from './swap-rows.tsx'

const TYPING_MS = 300
const PAGE_SIZE = 20

export function AllSwaps({ turn }: { turn: number }) {
  const typed = useSignal('')
  const search = useSignal('')
  const kind = useSignal<Kind>('all')
  const network = useSignal('')
  const rows = useSignal<ConsoleRow[] | null>(null)
  const hasMore = useSignal(false)
  const problem = useSignal<string | null>(null)
  const days = useSignal('30')
  const counts = useSignal<Counts | null>(null)
  const within = { network: network.value, ...(days.value && { days: days.value }) }
  const asked = {
    search: search.value,
    statuses: KINDS[kind.value],
    waiting: String(kind.value === 'needs'),
    ...within,
  }
  useEffect(() => {
    const timer = setTimeout(() => (search.value = typed.value.trim()), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed.value])
  useEffect(() => {
    let isStopped = false
    loadSwaps(asked).then(
      (found) => {
        if (isStopped) return
        rows.value = found
        hasMore.value = found.length === PAGE_SIZE
        problem.value = null
      },
      (error: Error) => (problem.value = error.message),
    )
    countSwaps(within).then(
      (found) => {
        if (!isStopped) counts.value = found
      },
      () => (counts.value = null),
    )
    return () => {
      isStopped = true
    }
  }, [turn, search.value, kind.value, network.value, days.value])
  const more = async () => {
    const last = rows.value?.at(-1)
    const next = await loadSwaps({ ...asked, cursor: last?.swap.id ?? '' })
    rows.value = [...(rows.value ?? []), ...next]
    hasMore.value = next.length === PAGE_SIZE
  }
  // Counts are of the period and the network, so a search hides them.
  const found = search.value === '' ? counts.value : null
  return (
    <section class="stack" aria-label={text.allSwaps.title}>
      <label class="field small">
        <span class="input-line">
          <Icon name="search" />
          <input
            type="search"
            aria-label={text.allSwaps.search}
            placeholder={text.allSwaps.search}
            autocomplete="off"
            spellcheck={false}
            value={typed.value}
            onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
          />
        </span>
        <span class="soft">{text.allSwaps.searchNote}</span>
      </label>
      <div class="row between">
        <span class="row">
          {(Object.keys(KINDS) as Kind[]).map((name) => (
            <Button key={name} look="small" aria-pressed={kind.value === name} onClick={() => (kind.value = name)}>
              {labelOf(name, found)}
            </Button>
          ))}
        </span>
        <span class="row">
          <Button
            look="small"
            disabled={!rows.value?.length}
            onClick={() => download('swaps.csv', csvOfSwaps(rows.value ?? []))}
          >
            {text.allSwaps.export}
          </Button>
          <select
            class="button small"
            aria-label={text.allSwaps.period}
            value={days.value}
            onChange={({ currentTarget }) => (days.value = currentTarget.value)}
          >
            {['1', '7', '30', ''].map((period) => (
              <option key={period} value={period}>
                {text.allSwaps.periods[period]}
              </option>
            ))}
          </select>
          <select
            class="button small"
            aria-label={text.columns.network}
            onChange={({ currentTarget }) => (network.value = currentTarget.value)}
          >
            <option value="">{text.allSwaps.anyNetwork}</option>
            {(overview.value?.feeds ?? []).map((feed) => (
              <option key={feed.network} value={feed.network}>
                {networkName(feed.network)}
              </option>
            ))}
          </select>
        </span>
      </div>
      {problem.value && <Notice tone="bad">{problem.value}</Notice>}
      {rows.value === null && !problem.value && <span class="skeleton loading" />}
      {rows.value?.length === 0 && <p class="swap-empty soft">{text.allSwaps.none}</p>}
      {(rows.value?.length ?? 0) > 0 && <SwapRows rows={rows.value ?? []} search={search.value} />}
      {hasMore.value && (
        <div class="more">
          <Button onClick={() => void more()}>{text.allSwaps.older}</Button>
        </div>
      )}
    </section>
  )
}
