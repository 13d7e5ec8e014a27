/** An end of a swap with its logo and amount, and a labelled address. */
import type { SwapDetails } from '@causeway/sdk/light'
import { formatAmount, formatShort, visible } from '../../money/format.ts'
import { status as text } from '../../text/texts.ts'
import { Address } from '../../ui/address.tsx'
import { TokenLogo } from '../../ui/logo.tsx'

interface EndProps {
  token: SwapDetails['swap']['source_token']
  network: SwapDetails['swap']['source_network']
  /** Null or 0 if it is not known yet. */
  amount: number | string | null
  /** Shown before the network's name. */
  note: string | null
  /** Whether the amount may still change. */
  isAbout?: boolean
}

export function End({ token, network, amount, note, isAbout = false }: EndProps) {
  const name = visible(network.display_name)
  const shown = amount ? formatAmount(amount, token.symbol) : visible(token.symbol)
  return (
    <span class="leg">
      <TokenLogo token={token} network={network} />
      <span>
        <b>{isAbout && amount ? text.about(formatShort(amount, token.symbol)) : shown}</b>
        <small>{note ? `${note} · ${name}` : name}</small>
      </span>
    </span>
  )
}

export function Line({ name, address }: { name: string; address: string }) {
  return (
    <div>
      <span class="soft small">{name}</span>
      <div>
        <Address text={address} />
      </div>
    </div>
  )
}
