/** Turns credits into sightings: whose action it was, and whom a refund may reach. */
import { type Sighting, tokenKey, type Watchlist } from '@causeway/core'
import type { HyperliquidChain } from '../chain.ts'
import type { Node } from '../node/node.ts'
import { blockAt } from './block-time.ts'
import { hashFor, indexOf, type Received } from './received.ts'

export async function sightingsOf(
  chain: HyperliquidChain,
  node: Node,
  received: readonly Received[],
  ours: Watchlist,
): Promise<Sighting[]> {
  if (received.length === 0) return []
  const users = received.flatMap(({ user }) => user ?? [])
  const owned = await ours.owned([...new Set([...users, ...received.map(({ to }) => to)])])
  // Our own sweeps and payments between our addresses are not deposits.
  const deposits = received.filter(({ user, to }) => owned.has(to) && (user === null || !owned.has(user)))
  const reached = await chain.senders.refundable(
    node,
    deposits.flatMap(({ user }) => user ?? []),
  )
  const sightings: Sighting[] = []
  for (const { row, token, units, user, to, doubt } of deposits) {
    const name = chain.settings.tokens.get(tokenKey(token))?.name ?? ''
    // Deposits to the treasury cannot be checked against its balance, which changes all the time.
    const isSpoofable = to === chain.treasury && !(await chain.tokens(node)).isNameUnique(name)
    const why = doubt ?? (isSpoofable ? `several tokens are called ${name}, and the ledger does not say which` : null)
    sightings.push({
      txHash: hashFor(row, to),
      index: indexOf(row, to),
      block: blockAt(row.time),
      refundableSender: user !== null && reached.has(user) ? user : null,
      fundingAddresses: user === null ? [] : [user],
      to,
      amount: { token, units },
      reference: null,
      ...(why === null ? {} : { doubt: why }),
    })
  }
  return sightings
}
