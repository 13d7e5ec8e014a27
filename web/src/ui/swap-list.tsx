/** A list of swaps: a table on a desktop, cards on a phone. */
import type { ExplorerRow } from '@causeway/sdk/light'
import { formatAge, formatDay } from '../money/format-time.ts'
import { shell, explorer as text } from '../text/texts.ts'
import { useNow } from './clock.tsx'
import { Icon, type IconName } from './icon.tsx'
import { Badge, type Tone } from './notice.tsx'
import './swap-list.css'
import { Hash, lastOf, Received, Sent } from './swap-leg.tsx'

const LOOKS: Record<string, [Tone | 'quiet' | 'accent', IconName]> = {
  completed: ['good', 'check'],
  refunded: ['info', 'undo'],
  refund_pending: ['info', 'undo'],
  pending_refund: ['warn', 'pin'],
  failed: ['bad', 'warn'],
  expired: ['quiet', 'clock'],
  user_transfer_pending: ['quiet', 'clock'],
  ls_transfer_pending: ['accent', 'spinner'],
}

/** A list of swaps; `swaps` is null while loading. */
export function SwapList({ swaps, empty }: { swaps: readonly ExplorerRow[] | null; empty: string }) {
  if (swaps === null)
    return (
      <div class="swap-list skeleton soft" aria-busy="true">
        {shell.loading}
      </div>
    )
  if (swaps.length === 0) return <p class="swap-empty soft">{empty}</p>
  return (
    <>
      <div class="card swap-list only-desktop">
        <table class="table">
          <thead>
            <tr>
              {[text.age, text.sent, text.received, text.status, text.deposit, text.payout, text.swap].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {swaps.map((row) => (
              <Row key={row.swap.id} row={row} />
            ))}
          </tbody>
        </table>
      </div>
      <ul class="swap-cards only-phone">
        {swaps.map((row) => (
          <li key={row.swap.id}>
            <Card row={row} />
          </li>
        ))}
      </ul>
    </>
  )
}

function Row({ row }: { row: ExplorerRow }) {
  const { swap } = row
  const [input, output] = [lastOf(swap.transactions, 'input'), lastOf(swap.transactions, 'output')]
  const back = lastOf(swap.transactions, 'refund')
  const isOver = swap.status === 'expired' || (swap.status === 'failed' && input === undefined)
  return (
    <tr class="swap-row">
      <td class="soft nowrap">
        <Age iso={swap.created_date} />
      </td>
      <td>
        <span class="swap-leg">
          <Sent row={row} />
          <Icon name="arrow" />
        </span>
      </td>
      <td>
        <Received row={row} />
      </td>
      <td>
        <Status row={row} />
      </td>
      <td>
        <Hash of={input} isOver={isOver} />
      </td>
      <td>
        <Hash of={output ?? back} isOver={isOver} />
      </td>
      <td>
        <a class="hash" href={`/swap/${swap.id}`}>
          {swap.id.slice(0, 8)}
        </a>
      </td>
    </tr>
  )
}

function Card({ row }: { row: ExplorerRow }) {
  const { swap } = row
  return (
    <a class="card swap-card-row swap-row" href={`/swap/${swap.id}`}>
      <span class="row between">
        <Status row={row} />
        <span class="soft small">
          <Age iso={swap.created_date} />
        </span>
      </span>
      <span class="swap-pair">
        <Sent row={row} isBrief />
        <Icon name="arrow" />
        <Received row={row} isBrief />
      </span>
    </a>
  )
}

export function Age({ iso }: { iso: string }) {
  const now = useNow()
  return (
    <time dateTime={iso} title={formatDay(iso)}>
      {formatAge((now - Date.parse(iso)) / 1000)}
    </time>
  )
}

export function Status({ row: { swap } }: { row: ExplorerRow }) {
  const isConfirming = swap.status === 'user_transfer_pending' && lastOf(swap.transactions, 'input') !== undefined
  // A swap outside its limits is closed as failed when its refund is ordered: what people want to know is the refund.
  const back = swap.status === 'failed' ? lastOf(swap.transactions, 'refund') : undefined
  const status = back ? (back.status === 'completed' ? 'refunded' : 'refund_pending') : swap.status
  const [tone, icon] = isConfirming ? (['accent', 'spinner'] as const) : (LOOKS[status] ?? ['quiet', 'info'])
  return (
    <Badge tone={tone} icon={icon}>
      {isConfirming ? text.confirming : (text.words[status] ?? status)}
    </Badge>
  )
}
