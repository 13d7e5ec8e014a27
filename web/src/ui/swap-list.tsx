/** A list of swaps: rows on a desktop, cards on a phone, each a link to its page. */
import type { ExplorerRow } from '@causeway/sdk/light'
import { formatAmount, formatTime, visible } from '../money/format.ts'
import { explorer as text } from '../text/en.ts'
import { Logo } from './logo.tsx'
import { Badge, type Tone } from './notice.tsx'
import './swap-list.css'

const TONES: Record<string, Tone | 'quiet'> = {
  completed: 'good',
  refunded: 'good',
  failed: 'bad',
  expired: 'quiet',
  user_transfer_pending: 'quiet',
  pending_refund: 'warn',
  refund_pending: 'warn',
}

/** Null while loading. */
export function SwapList({ swaps, empty }: { swaps: readonly ExplorerRow[] | null; empty: string }) {
  if (swaps === null) return <div class="swap-list skeleton" aria-busy="true" />
  if (swaps.length === 0) return <p class="swap-empty soft">{empty}</p>
  return (
    <ul class="swap-list">
      {swaps.map(({ swap, quote }) => (
        <li key={swap.id}>
          <a class="swap-row" href={`/swap/${swap.id}`}>
            <time class="soft small">{formatTime(swap.created_date)}</time>
            <span class="swap-route">
              <Logo token={swap.source_token.logo} network={swap.source_network.logo} />
              <span>
                <strong>
                  {visible(swap.source_token.symbol)} <span aria-hidden="true">→</span>{' '}
                  {visible(swap.destination_token.symbol)}
                </strong>
                <span class="soft small">
                  {visible(swap.source_network.display_name)} <span aria-hidden="true">→</span>{' '}
                  {visible(swap.destination_network.display_name)}
                </span>
              </span>
            </span>
            <span class="swap-amount small">
              {quote.requested_amount === null ? '…' : formatAmount(quote.requested_amount, swap.source_token.symbol)}{' '}
              <span aria-hidden="true">→</span>{' '}
              {quote.receive_amount === null ? '…' : formatAmount(quote.receive_amount, swap.destination_token.symbol)}
            </span>
            <Badge tone={TONES[swap.status] ?? 'info'}>{text.words[swap.status] ?? swap.status}</Badge>
          </a>
        </li>
      ))}
    </ul>
  )
}
