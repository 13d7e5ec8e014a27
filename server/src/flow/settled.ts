/**
 * Whether scan and balances tell of the same blocks. A node that lags, or follows another branch, shows a balance of another
 * time; coins that the scan is about to see, or that came back after a reorg, are announced already.
 */
import { type Address, type ChainAdapter, type Sighting, type Token, tokenKey } from '@causeway/core'
import type { Services } from '../services.ts'
import { readPosition } from '../store/cursors.ts'
import { goneDeposits, lostDeposits } from '../store/deposits.ts'
import { LOOKED_UP_FOR } from './confirm.ts'
import { watchlistOf } from './match.ts'

/** More vanished deposits than this are not looked up one by one: what is too much waits until they are fewer. */
const MOST_LOST = 200

/** Whom the scan is about to see something come to; null where it stands at no head, or on another branch. */
export type Ahead = () => Promise<ReadonlySet<Address> | null>

export function lookAhead(services: Services, chain: ChainAdapter): Ahead {
  return async () => {
    const position = await readPosition(services.database, chain.network.name)
    if (!position || position.recheckFrom !== null) return null
    const scan = await chain.scan(position.cursor, watchlistOf(services, chain))
    if (scan.reorgFrom !== null || scan.scannedTo !== scan.head.number) return null
    return new Set(scan.sightings.filter(({ block }) => block !== null).map(({ to }) => to))
  }
}

/** Good for as long as a round takes that has something to compare: what it compares is older by the final depth. */
const SHARED_MS = 10_000

/** One look for many: strangers choose on how many addresses something is different. */
export function sharedAhead(services: Services, chain: ChainAdapter): Ahead {
  const look = lookAhead(services, chain)
  let last: { at: number; seen: ReturnType<Ahead> } | null = null
  return () => {
    const now = services.now().getTime()
    if (last === null || now - last.at >= SHARED_MS) last = { at: now, seen: look() }
    return last.seen
  }
}

/** A deposit that vanished and is there all the same explains what is too much, never what is missing. */
export async function isSettled(
  services: Services,
  chain: ChainAdapter,
  token: Token,
  owner: Address,
  difference: 'missing' | 'too much',
  ahead: Ahead = lookAhead(services, chain),
): Promise<boolean> {
  const { database } = services
  const coming = await ahead()
  if (!coming || coming.has(owner)) return false
  if (difference === 'missing') return true
  const head = (await readPosition(database, chain.network.name))?.headNumber ?? 0n
  const above = head - LOOKED_UP_FOR * BigInt(chain.network.finalDepth)
  const vanished = [
    ...(await lostDeposits(database, token, owner, MOST_LOST + 1)),
    // Which node answers is not ours to say: one that lags, or follows another branch, makes deposits vanish that stand.
    ...(await goneDeposits(database, token, owner, above, MOST_LOST + 1)),
  ]
  if (vanished.length > MOST_LOST) return false
  const ours = watchlistOf(services, chain)
  for (const { tx_hash: txHash, index } of vanished) {
    const found = await chain.inspect(txHash, ours)
    // One that landed again and brings us nothing there now explains nothing, and never will.
    const isBack = (sighting: Sighting) => sighting.index === index && isFor(sighting, owner, token)
    if (found.state === 'included' && found.sightings.some(isBack)) return false
  }
  return true
}

function isFor({ to, amount }: Sighting, owner: Address, token: Token): boolean {
  return to === owner && tokenKey(amount.token) === tokenKey(token) && amount.units > 0n
}
