/**
 * The deposits among transactions: each is read with its receipt, from exactly the block that the scan or the caller
 * knows.
 */
import { type Address, RetryLater, type Sighting, type Watchlist } from '@causeway/core'
import type { StarknetChain } from '../chain.ts'
import { padded } from '../felt.ts'
import { type PlacedEvent, type Receipt, receipt, type Transaction, transaction } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { type Known, type Landing, readTransfer, sightingsIn } from './transfers.ts'

export async function sightingsAmong(
  chain: StarknetChain,
  node: Node,
  events: readonly PlacedEvent[],
  ours: Watchlist,
): Promise<Sighting[]> {
  const moved = events.flatMap((event) => {
    const transfer = readTransfer(event)
    return transfer && transfer.units > 0n ? [{ ...transfer, event }] : []
  })
  const owned = await ownedAmong(
    ours,
    moved.flatMap(({ from, to }) => [from, to]),
  )
  const hits = moved.filter(({ to, from }) => owned.has(padded(to)) && !owned.has(padded(from)))
  const blocks = new Map(hits.map(({ event }) => [event.txHash, event.block]))
  const hashes = [...blocks.keys()]
  if (hashes.length === 0) return []
  const [receipts, transactions] = await Promise.all([
    node.ask(hashes.map((hash) => receipt(hash))),
    node.ask(hashes.map((hash) => transaction(hash))),
  ])
  return hashes.flatMap((hash, i) => {
    const [proof, signed] = [receipts[i], transactions[i]]
    if (!proof || !signed || proof.block?.hash !== blocks.get(hash)?.hash) {
      throw new RetryLater('the chain changed while it was read')
    }
    return sightingsIn(knownOf(chain), landingOf(proof, signed), owned)
  })
}

export async function ownedAmong(ours: Watchlist, addresses: readonly bigint[]): Promise<ReadonlySet<Address>> {
  return addresses.length === 0 ? new Set() : ours.owned([...new Set(addresses)].map(padded))
}

export function knownOf({ tokens, settings }: StarknetChain): Known {
  return { tokens, watchdog: settings.watchdog === null ? null : BigInt(settings.watchdog) }
}

export function landingOf(proof: Receipt, { type, sender }: Transaction): Landing {
  const { hash, block, succeeded, events } = proof
  return { hash, block, succeeded, events, type, sender }
}
