/** A list of swaps: a table on a desktop, cards on a phone. */
import type { ExplorerRow, Transaction } from '@causeway/sdk/light'
import { formatAge, formatAmount, formatDay, formatUsd, shortAddress, visible } from '../money/format.ts'
import { explorer as text } from '../text/en.ts'
import { useNow } from './clock.tsx'
import { Icon, type IconName } from './icon.tsx'
import { TokenLogo } from './logo.tsx'
import { Badge, type Tone } from './notice.tsx'
import './swap-list.css'

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

/** Null while loading. */
export function SwapList({ swaps, empty }: { swaps: readonly ExplorerRow[] | null; empty: string }) {
  if (swaps === null) return <div class="swap-list skeleton" aria-busy="true" />
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
        <Hash of={input} />
      </td>
      <td>
        <Hash of={output ?? back} />
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
        <Sent row={row} />
        <Icon name="arrow" />
        <Received row={row} />
      </span>
    </a>
  )
}

function Age({ iso }: { iso: string }) {
  const now = useNow()
  return (
    <time dateTime={iso} title={formatDay(iso)}>
      {formatAge((now - Date.parse(iso)) / 1000)}
    </time>
  )
}

function Status({ row: { swap } }: { row: ExplorerRow }) {
  const isConfirming = swap.status === 'user_transfer_pending' && lastOf(swap.transactions, 'input') !== undefined
  const [tone, icon] = isConfirming ? (['accent', 'spinner'] as const) : (LOOKS[swap.status] ?? ['quiet', 'info'])
  return (
    <Badge tone={tone} icon={icon}>
      {isConfirming ? text.confirming : (text.words[swap.status] ?? swap.status)}
    </Badge>
  )
}

function Sent({ row: { swap, quote } }: { row: ExplorerRow }) {
  const amount = sumOf(swap.transactions, 'input') || (quote.requested_amount ?? 0)
  return <Leg token={swap.source_token} network={swap.source_network} amount={amount} />
}

/** What arrived, or went back; softer while it is only promised. */
function Received({ row: { swap, quote } }: { row: ExplorerRow }) {
  const back = sumOf(swap.transactions, 'refund')
  const paid = sumOf(swap.transactions, 'output')
  if (back > 0 && paid === 0)
    return <Leg token={swap.source_token} network={swap.source_network} amount={back} isReturned />
  return (
    <Leg
      token={swap.destination_token}
      network={swap.destination_network}
      amount={paid || (quote.receive_amount ?? 0)}
      isPromised={swap.status !== 'completed'}
    />
  )
}

type Token = ExplorerRow['swap']['source_token']
type Network = ExplorerRow['swap']['source_network']

interface LegProps {
  token: Token
  network: Network
  amount: number
  isPromised?: boolean
  isReturned?: boolean
}

function Leg({ token, network, amount, isPromised = false, isReturned = false }: LegProps) {
  const name = visible(network.display_name)
  const shown = amount > 0 ? formatAmount(amount, token.symbol) : visible(token.symbol)
  return (
    <span class="leg">
      <TokenLogo token={token} network={network} />
      <span>
        <b class={isPromised ? 'soft' : undefined}>{isReturned ? text.returned : shown}</b>
        <small>
          {isReturned
            ? `${shown} · ${name}`
            : amount > 0
              ? `${formatUsd(amount * token.price_in_usd)} · ${name}`
              : name}
        </small>
      </span>
    </span>
  )
}

function Hash({ of }: { of: Transaction | undefined }) {
  const hash = of?.transaction_hash
  if (!of || !hash) return <span class="hash faint">{text.notYet}</span>
  const url = of.network.transaction_explorer_template.replace('{0}', encodeURIComponent(hash))
  // Links only to other sites over https.
  if (!url.startsWith('https://')) return <span class="hash">{shortAddress(hash)}</span>
  return (
    <a class="hash" href={url} target="_blank" rel="noreferrer noopener">
      {shortAddress(hash)}
    </a>
  )
}

function lastOf(all: readonly Transaction[], wanted: Transaction['type']): Transaction | undefined {
  return all.findLast(({ type }) => type === wanted)
}

function sumOf(all: readonly Transaction[], wanted: Transaction['type']): number {
  return all.reduce((sum, { type, amount }) => (type === wanted ? sum + amount : sum), 0)
}
