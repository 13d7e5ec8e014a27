/**
 * Where a swap's deposit is awaited: an address of its own, or the treasury. Only an app gets an address of its own again, by
 * its secret key: route and recipient are public, and whoever could ask for somebody's address would get the next deposit there.
 */
import { createHash } from 'node:crypto'
import { type Address, ApiError, type ChainAdapter, type Swap, tokenKey } from '@causeway/core'
import type { Queries } from '../store/db/database.ts'
import { findDepositAddress, insertDepositAddress, nextAddressIndex } from '../store/watch/addresses.ts'
import type { SwapRequest } from './request.ts'

/** The app's address for this purpose, or a new one; the treasury of a network without any. */
export async function depositReceiver(
  queries: Queries,
  chain: ChainAdapter,
  swap: Swap,
  { useNewDepositAddress, appId, hasSecretKey = false }: SwapRequest,
): Promise<Address> {
  if (!chain.depositAddresses) return chain.treasury
  const network = chain.network.name
  const owner = hasSecretKey ? appId : null
  const purpose = owner === null ? `swap ${swap.id}` : purposeOf(swap, owner)
  const kept = owner === null || useNewDepositAddress ? null : await findDepositAddress(queries, purpose)
  if (kept !== null) return kept
  const index = await nextAddressIndex(queries, network)
  if (index === null) throw new ApiError('ROUTE_NOT_FOUND_ERROR', `No address of ${network} is given out now.`)
  const address = await chain.depositAddresses.derive(index)
  await insertDepositAddress(queries, { network, index, address, purpose })
  return address
}

/** A text that is the same for the same route, recipient, refund address and app, and for nothing else. */
function purposeOf({ source, destination, destinationAddress, refundAddress }: Swap, appId: string): string {
  const route = [source, destination].flatMap((token) => [token.network, tokenKey(token)])
  // Addresses of the time when a name that anybody could give stood for an app are not given out again.
  const parts = [...route, destinationAddress, refundAddress, { appId }]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
