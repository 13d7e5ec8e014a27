/**
 * Whether the scan and the balances belong to the same blocks. A node that lags or follows another branch shows an
 * older balance. Coins that the scan will see soon, or that returned after a reorg, explain a surplus.
 */
import { type Address, type ChainAdapter, type Sighting, type Token, tokenKey } from '@causeway/core'
import type { Services } from '../../services.ts'
import { lostDeposits, orphanedDeposits } from '../../store/deposits/deposits.ts'
import { hasReverifying } from '../../store/deposits/observations.ts'
import { readPosition } from '../../store/watch/cursors.ts'
import { watchlistOf } from '../deposits/receivers.ts'

/**
 * If more deposits vanished than this, they are not looked up one by one. A surplus then waits until there are fewer.
 */
const MOST_LOST = 200

/** A preview of the scan. */
export interface ScanPreview {
  /**
   * How far the preview reads, and whether that is the node's head: on a busy network the node may always be a block
   * ahead.
   */
  scannedTo: bigint
  isAtHead: boolean
  /** Receivers in these blocks, with the block. */
  coming: readonly { to: Address; block: bigint }[]
}

/** Null if the node follows another branch than the ledger or is behind it: its balance belongs to another time. */
export type Ahead = () => Promise<ScanPreview | null>

export function peekScan(services: Services, chain: ChainAdapter): Ahead {
  return async () => {
    const position = await readPosition(services.database, chain.network.name)
    if (!position) return null
    const { reorgFrom, scannedTo, head, sightings } = await chain.scan(position.cursor, watchlistOf(services, chain))
    if (reorgFrom !== null || head.number < scannedTo) return null
    const coming = sightings.flatMap(({ to, block }) => (block ? [{ to, block: block.number }] : []))
    return { scannedTo, isAtHead: head.number === scannedTo, coming }
  }
}

/** Valid for one round of comparisons: the compared balances are older than that by the final depth. */
const SHARED_MS = 10_000

/** One preview serves all addresses: senders choose how many addresses differ. */
export function cachedPeek(services: Services, chain: ChainAdapter): Ahead {
  const look = peekScan(services, chain)
  let last: { at: number; seen: ReturnType<Ahead> } | null = null
  return () => {
    const now = services.now().getTime()
    if (last === null || now - last.at >= SHARED_MS) last = { at: now, seen: look() }
    return last.seen
  }
}

/**
 * Whether a difference is real. Expected credits and a vanished deposit that is still there explain a surplus, never a
 * shortfall: third-party deposits must not hide a theft. `upTo`: the block of the compared balance.
 */
export async function isSnapshotComparable(
  services: Services,
  chain: ChainAdapter,
  token: Token,
  owner: Address,
  difference: 'missing' | 'too much',
  ahead: Ahead = peekScan(services, chain),
  upTo: bigint | null = null,
): Promise<boolean> {
  const { database } = services
  const outlook = await ahead()
  if (!outlook) return false
  if (difference === 'missing') return upTo === null || isRead(outlook, owner, upTo)
  if (!outlook.isAtHead || outlook.coming.some(({ to }) => to === owner)) return false
  if (await hasReverifying(database, chain.network.name)) return false
  const vanished = [
    ...(await lostDeposits(database, token, owner, MOST_LOST + 1)),
    // Looked up on chain: a node that lags or follows another branch may have reported existing deposits as missing.
    ...(await orphanedDeposits(database, token, owner, MOST_LOST + 1)),
  ]
  if (vanished.length > MOST_LOST) return false
  const ours = watchlistOf(services, chain)
  for (const { tx_hash: txHash, index } of vanished) {
    const found = await chain.inspect(txHash, ours)
    // A transaction that was re-mined and no longer pays us explains nothing.
    const isBack = (sighting: Sighting) => sighting.index === index && isFor(sighting, owner, token)
    if (found.state === 'included' && found.sightings.some(isBack)) return false
  }
  return true
}

/**
 * Whether the scan has read everything that an owner received up to the compared block. Later credits do not matter,
 * because that block is final.
 */
function isRead({ scannedTo, coming }: ScanPreview, owner: Address, upTo: bigint): boolean {
  return scannedTo >= upTo && !coming.some(({ to, block }) => to === owner && block <= upTo)
}

function isFor({ to, amount }: Sighting, owner: Address, token: Token): boolean {
  return to === owner && tokenKey(amount.token) === tokenKey(token) && amount.units > 0n
}
