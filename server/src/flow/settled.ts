/**
 * Whether scan and balances tell of the same blocks. A node that lags, or follows another branch, shows a balance of another
 * time; coins that the scan is about to see, or that came back after a reorg, are announced already.
 */
import type { Address, ChainAdapter, Token } from '@causeway/core'
import type { Services } from '../services.ts'
import { readPosition } from '../store/cursors.ts'
import { lostDeposits } from '../store/deposits.ts'
import { watchlistOf } from './match.ts'

/** More lost deposits than this are not looked up one by one: what is too much waits until they are fewer. */
const MOST_LOST = 200

/** A deposit that was lost and came back explains what is too much, never what is missing. */
export async function isSettled(
  services: Services,
  chain: ChainAdapter,
  token: Token,
  owner: Address,
  difference: 'missing' | 'too much',
): Promise<boolean> {
  const { database } = services
  const ours = watchlistOf(services, chain)
  const position = await readPosition(database, chain.network.name)
  if (!position || position.recheckFrom !== null) return false
  const scan = await chain.scan(position.cursor, ours)
  if (scan.reorgFrom !== null || scan.scannedTo !== scan.head.number) return false
  if (scan.sightings.some(({ to, block }) => to === owner && block !== null)) return false
  if (difference === 'missing') return true
  const lost = await lostDeposits(database, token, owner, MOST_LOST + 1)
  if (lost.length > MOST_LOST) return false
  for (const txHash of lost) {
    if ((await chain.inspect(txHash, ours)).state === 'included') return false
  }
  return true
}
