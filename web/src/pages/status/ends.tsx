/** An end of a swap with its logo and amount, and a labelled address. */
import type { SwapDetails } from '@causeway/sdk/light'
import { formatAmount, visible } from '../../money/format.ts'
import { Address } from '../../ui/address.tsx'
import { TokenLogo } from '../../ui/logo.tsx'

interface EndProps {
  token: SwapDetails['swap']['source_token']
  network: SwapDetails['swap']['source_network']
  /** Null or 0 if it is not known yet. */
  amount: number | string | null
  /** Shown before the network's name. */
  note: string | null
}

export function End({ token, network, amount, note }: EndProps) {
  const name = visible(network.display_name)
  return (
    <span class="leg">
      <TokenLogo token={token} network={network} />
      <span>
        <b>{amount ? formatAmount(amount, token.symbol) : visible(token.symbol)}</b>
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
