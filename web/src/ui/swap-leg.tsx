/** One end of a listed swap: amount, dollars and network; and the hash of its transaction. */
import type { ExplorerRow, Transaction } from '@causeway/sdk/light'
import {
  formatBrief,
  formatShort,
  formatUsd,
  formatUsdDown,
  providerName,
  shortAddress,
  visible,
} from '../money/format.ts'
import { explorer as text } from '../text/texts.ts'
import { TokenLogo } from './logo.tsx'

/** `isBrief`: dollars without the network, for dense tables; its logo shows it. */
export function Sent({ row: { swap, quote }, isBrief = false }: { row: ExplorerRow; isBrief?: boolean }) {
  const amount = sumOf(swap.transactions, 'input') || (quote.requested_amount ?? 0)
  const via = exchangeOf(swap, 'sale')
  const end = { token: swap.source_token, network: swap.source_network }
  return <Leg {...end} amount={amount} via={via} isBrief={isBrief} />
}

/** What arrived, or was returned; softer while it is only promised. */
export function Received({ row: { swap, quote }, isBrief = false }: { row: ExplorerRow; isBrief?: boolean }) {
  const sentBack = swap.transactions.filter(({ status }) => status === 'completed')
  const back = sumOf(sentBack, 'refund')
  const paid = sumOf(swap.transactions, 'output')
  if (back > 0 && paid === 0)
    return (
      <Leg
        token={lastOf(sentBack, 'refund')?.token ?? swap.source_token}
        network={swap.source_network}
        amount={back}
        isReturned
        isBrief={isBrief}
      />
    )
  // A refund that was not sent yet is not a loss, and the quoted amount will not arrive.
  if (paid === 0 && OWED.includes(swap.status)) return <span class="faint">{text.notYet}</span>
  if (paid === 0 && swap.status === 'expired') return <span class="faint">–</span>
  return (
    <Leg
      token={swap.destination_token}
      network={swap.destination_network}
      amount={paid || (quote.receive_amount ?? 0)}
      isReceived
      isPromised={swap.status !== 'completed'}
      via={exchangeOf(swap, 'purchase')}
      isBrief={isBrief}
    />
  )
}

const OWED: readonly string[] = ['pending_refund', 'refund_pending', 'failed']

/** The exchange that was used at this end; null if none was. */
function exchangeOf({ legs }: ExplorerRow['swap'], wanted: 'sale' | 'purchase'): string | null {
  return legs.findLast(({ type }) => type === wanted)?.provider ?? null
}

type Token = ExplorerRow['swap']['source_token']
type Network = ExplorerRow['swap']['source_network']

interface LegProps {
  token: Token
  network: Network
  amount: number
  /** Received dollars are rounded down, as on the swap's page. */
  isReceived?: boolean
  isPromised?: boolean
  isReturned?: boolean
  via?: string | null
  isBrief: boolean
}

function Leg({ token, network, amount, isBrief, via = null, ...is }: LegProps) {
  const { isReceived = false, isPromised = false, isReturned = false } = is
  const name = visible(network.display_name)
  const short = isBrief ? formatBrief : formatShort
  const shown = amount > 0 ? short(amount, token.symbol) : visible(token.symbol)
  const usd = amount * token.price_in_usd
  const worth = isReturned ? shown : isReceived ? formatUsdDown(usd) : formatUsd(usd)
  const first = amount > 0 ? [worth] : []
  const second = isBrief && amount > 0 ? [] : [name]
  return (
    <span class="leg">
      <TokenLogo token={token} network={network} />
      <span>
        <b class={isPromised ? 'soft' : undefined}>{isReturned ? text.returned : shown}</b>
        <small title={via ? `${name}, ${providerName(via)}` : name}>{[...first, ...second].join(' · ')}</small>
      </span>
    </span>
  )
}

type Linked = Pick<Transaction, 'transaction_hash' | 'network'>

/** `isOver`: a missing transaction is no longer expected. */
export function Hash({ of, isOver }: { of: Linked | undefined; isOver: boolean }) {
  const hash = of?.transaction_hash
  if (!of || !hash) return <span class="hash faint">{isOver ? '–' : text.notYet}</span>
  const url = of.network.transaction_explorer_template.replace('{0}', encodeURIComponent(hash))
  // Links only to other sites over https.
  if (!url.startsWith('https://')) return <span class="hash">{shortAddress(hash)}</span>
  return (
    <a class="hash" href={url} target="_blank" rel="noreferrer noopener">
      {shortAddress(hash)}
    </a>
  )
}

export function lastOf(all: readonly Transaction[], wanted: Transaction['type']): Transaction | undefined {
  return all.findLast(({ type }) => type === wanted)
}

function sumOf(all: readonly Transaction[], wanted: Transaction['type']): number {
  return all.reduce((sum, { type, amount }) => (type === wanted ? sum + amount : sum), 0)
}
