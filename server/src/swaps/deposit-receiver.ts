/**
 * Where a swap expects its deposit: an address of its own, or the treasury. Only an app with its secret key gets a
 * reused address. Route and recipient are public, so anyone else could ask for another user's address and receive the
 * next deposit to it.
 */
import { createHash } from 'node:crypto'
import { type Address, ApiError, type ChainAdapter, type Swap, tokenKey } from '@causeway/core'
import type { Queries } from '../store/db/database.ts'
import { findDepositAddress, insertDepositAddress, nextAddressIndex } from '../store/watch/addresses.ts'
import type { SwapRequest } from './request.ts'

/** The app's address for this purpose, or a new one; the treasury if the network has no deposit addresses. */
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

/** A hash that is the same only for the same route, recipient, refund address and app. */
function purposeOf({ source, destination, destinationAddress, refundAddress }: Swap, appId: string): string {
  const route = [source, destination].flatMap((token) => [token.network, tokenKey(token)])
  // The app is an object here, so that old addresses, keyed by an app name that anyone could claim, are never reused.
  const parts = [...route, destinationAddress, refundAddress, { appId }]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
