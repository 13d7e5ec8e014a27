/** History: the swaps of the user's addresses, from any device, and those created in this browser. */
import type { ListedSwap } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client } from '../../api/client.ts'
import { keepTrying } from '../../api/keep-trying.ts'
import { problemOf } from '../../api/problems.ts'
import { keep, kept } from '../../api/storage.ts'
import { useTitle } from '../../app/title.ts'
import { shortAddress } from '../../money/format.ts'
import { history as text } from '../../text/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { SwapList } from '../../ui/swap-list.tsx'
import { AccountButton } from '../../wallet/menu.tsx'
import { sessions } from '../../wallet/session.ts'

const MOST_OWN = 20

export function HistoryPage() {
  const own = useSignal<string[]>(kept<string[]>('history') ?? [])
  const typed = useSignal('')
  const swaps = useSignal<ListedSwap[] | null>(null)
  const problem = useSignal<string | null>(null)
  const connected = Object.values(sessions.value).flatMap((session) => (session ? [session.account.address] : []))
  const addresses = [...new Set([...own.value, ...connected])]

  useTitle(text.title)
  useEffect(
    () =>
      keepTrying(() => load(addresses), {
        onFound: (found) => {
          swaps.value = found
          problem.value = null
        },
        onProblem: (error) => (problem.value = problemOf(error).text),
      }),
    [addresses.join()],
  )

  const save = (next: string[]) => {
    own.value = next
    keep('history', next)
  }
  const add = (event: Event) => {
    event.preventDefault()
    if (typed.value.trim()) save([...new Set([...own.value, typed.value.trim()])])
    typed.value = ''
  }
  return (
    <div class="stack">
      <div class="page-head">
        <div>
          <h1>{text.heading}</h1>
          <p class="soft">{text.lead}</p>
        </div>
        <AccountButton look="primary" />
      </div>
      <form class="row search" onSubmit={add}>
        <input
          class="input mono"
          aria-label={text.addAddress}
          placeholder={text.addAddress}
          autocomplete="off"
          spellcheck={false}
          value={typed.value}
          onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
        />
        <Button type="submit">{text.add}</Button>
      </form>
      {addresses.length > 0 && (
        <ul class="row" aria-label={text.addresses}>
          {addresses.map((address) => (
            <li key={address}>
              <Button
                look="small"
                icon="close"
                aria-label={text.remove(shortAddress(address))}
                onClick={() => save(own.value.filter((other) => other !== address))}
              >
                <span class="mono">{shortAddress(address)}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      {problem.value ? (
        <Notice tone="bad">{problem.value}</Notice>
      ) : (
        <SwapList swaps={swaps.value} empty={addresses.length === 0 ? text.empty : text.none} />
      )}
    </div>
  )
}

async function load(addresses: string[]): Promise<ListedSwap[]> {
  const ids = (kept<string[]>('swaps') ?? []).slice(0, MOST_OWN)
  const [listed, mine] = await Promise.all([
    addresses.length > 0 ? client.swaps({ address: addresses.slice(0, MOST_OWN), include_expired: true }) : [],
    Promise.allSettled(ids.map((id) => client.swap(id, { exclude_deposit_actions: true }))),
  ])
  const own = mine.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const all = new Map([...own, ...listed].map((entry) => [entry.swap.id, entry]))
  return [...all.values()].sort((a, b) => b.swap.created_date.localeCompare(a.swap.created_date))
}
