/** A link to the form with the route of a swap. */
import type { SwapDetails } from '@causeway/sdk/light'

type Swap = SwapDetails['swap']

export function routeLink(swap: Swap): string {
  return `/?from=${sourceKey(swap)}&to=${destinationKey(swap)}&amount=${swap.requested_amount ?? ''}`
}

/** The other way round, without an amount. */
export function backLink(swap: Swap): string {
  return `/?from=${destinationKey(swap)}&to=${sourceKey(swap)}`
}

const sourceKey = (swap: Swap) => keyOf(swap.source_network.name, swap.source_token)
const destinationKey = (swap: Swap) => keyOf(swap.destination_network.name, swap.destination_token)

function keyOf(network: string, { contract, symbol }: { contract: string | null; symbol: string }): string {
  return encodeURIComponent(`${network}:${contract ?? symbol}`)
}
