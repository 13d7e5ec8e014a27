/** One end of a listed swap: amount, dollars and network; and the hash of its transaction. */
import type { ExplorerRow, Transaction } from '@causeway/sdk/light'
import { formatAmount, formatUsd, shortAddress, visible } from '../money/format.ts'
import { explorer as text } from '../text/texts.ts'
import { TokenLogo } from './logo.tsx'

export function Sent({ row: { swap, quote } }: { row: ExplorerRow }) {
  const amount = sumOf(swap.transactions, 'input') || (quote.requested_amount ?? 0)
  return <Leg token={swap.source_token} network={swap.source_network} amount={amount} />
}

/** The amount that arrived, or was returned; shown softer while it is only promised. */
export function Received({ row: { swap, quote } }: { row: ExplorerRow }) {
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

export function Hash({ of }: { of: Transaction | undefined }) {
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

export function lastOf(all: readonly Transaction[], wanted: Transaction['type']): Transaction | undefined {
  return all.findLast(({ type }) => type === wanted)
}

function sumOf(all: readonly Transaction[], wanted: Transaction['type']): number {
  return all.reduce((sum, { type, amount }) => (type === wanted ? sum + amount : sum), 0)
}
