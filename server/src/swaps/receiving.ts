/** Where a swap's deposit is awaited: an address of its own that is kept for the next one like it, or the treasury. */
import { createHash } from 'node:crypto'
import { type Address, type ChainAdapter, type Swap, tokenKey } from '@causeway/core'
import { findDepositAddress, insertDepositAddress, nextAddressIndex } from '../store/addresses.ts'
import type { Queries } from '../store/database.ts'
import type { SwapRequest } from './request.ts'

/** The deposit address that is kept for this purpose; the treasury of a network without any. */
export async function receiverFor(
  queries: Queries,
  chain: ChainAdapter,
  swap: Swap,
  { useNewDepositAddress, appId, appName }: SwapRequest,
): Promise<Address> {
  if (!chain.depositAddresses) return chain.treasury
  const network = chain.network.name
  const purpose = purposeOf(swap, appId ?? appName)
  const kept = useNewDepositAddress ? null : await findDepositAddress(queries, purpose)
  if (kept !== null) return kept
  const index = await nextAddressIndex(queries, network)
  const address = await chain.depositAddresses.derive(index)
  await insertDepositAddress(queries, { network, index, address, purpose })
  return address
}

/** A text that is the same for the same route, recipient, refund address and app, and for nothing else. */
function purposeOf({ source, destination, destinationAddress, refundAddress }: Swap, app: string | null): string {
  const route = [source, destination].flatMap((token) => [token.network, tokenKey(token)])
  const parts = [...route, destinationAddress, refundAddress, app]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
