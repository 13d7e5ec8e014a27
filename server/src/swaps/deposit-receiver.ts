/**
 * Where a swap expects its deposit: an address of its own, or the treasury. Only an app with its secret key gets a
 * reused address. Route and recipient are public, so anyone else could ask for another user's address and receive the
 * next deposit to it.
 */
import { createHash } from 'node:crypto'
import { type Address, Bug, type ChainAdapter, type Swap, tokenKey } from '@causeway/core'
import { unconfirmed } from '../offer/route-errors.ts'
import type { Queries } from '../store/db/database.ts'
import type { AddressBranch } from '../store/watch/address-branch.ts'
import { findDepositAddress, insertDepositAddress, lastAddressIndex } from '../store/watch/addresses.ts'
import type { SwapRequest } from './request.ts'

/** A restore may have stored addresses of this branch in order to watch them: the next attempt continues after them. */
const MAX_TRIES = 3

export interface Receiver {
  receiver: Address
  /** The reserved index; null if none was reserved. Release it if nothing is stored. */
  index: number | null
}

/** The app's address for this purpose, or a new one; the treasury if the network has no deposit addresses. */
export async function depositReceiver(
  queries: Queries,
  branch: AddressBranch,
  chain: ChainAdapter,
  swap: Swap,
  { useNewDepositAddress, appId, hasSecretKey = false }: SwapRequest,
  clientGroup: number | null,
): Promise<Receiver> {
  if (!chain.depositAddresses) return { receiver: chain.treasury, index: null }
  const network = chain.network.name
  // The output of a depositor's exchange names its swap by the address alone.
  const owner = hasSecretKey && !swap.userExchange ? appId : null
  const purpose = owner === null ? `swap ${swap.id}` : purposeOf(swap, owner)
  const kept = owner === null || useNewDepositAddress ? null : await findDepositAddress(queries, purpose)
  if (kept !== null) return { receiver: kept, index: null }
  if (branch.branch === null) throw unconfirmed()
  const place = { network, account: chain.treasury, branch: branch.branch }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const index = branch.take(network)
    const address = await chain.depositAddresses.derive(index, place.branch).catch((error) => {
      branch.release(network, index)
      throw error
    })
    const isStored = await insertDepositAddress(queries, { ...place, index, address, purpose, clientGroup })
    if (isStored) return { receiver: address, index }
    branch.skipTo(network, await lastAddressIndex(queries, place))
  }
  throw new Bug('the addresses of a branch are taken by another process', place)
}

/** A hash that is the same only for the same route, recipient, refund address and app. */
function purposeOf({ source, destination, destinationAddress, refundAddress }: Swap, appId: string): string {
  const route = [source, destination].flatMap((token) => [token.network, tokenKey(token)])
  // The app is an object here, so that old addresses, keyed by an app name that anyone could claim, are never reused.
  const parts = [...route, destinationAddress, refundAddress, { appId }]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
