/** For people who cannot pay from a wallet here: the same swap with a deposit address and a QR code. */
import type { SwapDetails } from '@causeway/sdk/light'
import { deposit as text } from '../../../text/texts.ts'
import { routeLink } from '../route-link.ts'

/** It is another swap: a deposit address has its own price, which the form shows first. */
export function Instead({ details: { swap } }: { details: SwapDetails }) {
  if (!swap.source_network.deposit_methods.includes('deposit_address') || swap.transactions.length > 0) return null
  const again = `${routeLink(swap)}&recipient=${encodeURIComponent(swap.destination_address)}&pay=deposit_address`
  return (
    <p class="soft small">
      {text.instead} <a href={again}>{text.useAddress}</a>. {text.ownFee}
    </p>
  )
}
