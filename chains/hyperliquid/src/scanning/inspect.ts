/**
 * Re-reads one transaction before money moves. Gateways know ledgers, not transactions: it is searched where it was
 * seen, in the treasury's ledger, and where an explorer says that it went.
 */
import { NodeFailure } from '@causeway/chain-kit'
import { type Address, type Inspection, RetryLater, type TxHash, type Watchlist } from '@causeway/core'
import type { HyperliquidChain } from '../chain.ts'
import { networkTime } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { lookAtAll, readAddress } from './addresses.ts'
import { blockAt, confirmationsAt } from './block-time.ts'
import { arrivalOf } from './credits.ts'
import { readLedger } from './ledger.ts'
import { type Row, SPOT } from './ledger-row.ts'
import { hashFor, placeKey, type Received } from './received.ts'
import { sightingsOf } from './sightings.ts'
import { inTurns } from './turns.ts'

export async function inspect(chain: HyperliquidChain, txHash: TxHash, ours: Watchlist): Promise<Inspection> {
  if (!/^0x[0-9a-fA-F]{64}$/.test(txHash)) return { state: 'unknown' }
  const hash = txHash.toLowerCase()
  const named = (found: Inspection) =>
    JSON.stringify(found, (key, value) =>
      key === 'confirmations' ? null : typeof value === 'bigint' ? `${value}` : value,
    )
  const found = await chain.rpc.agreed((node) => lookUp(chain, node, hash, ours), named)
  if (found.state === 'included') chain.proven.add(hash)
  return found
}

/** Whether a cached row may be used. It comes from one gateway: with a quorum, each must show it once. */
function mayRecall({ network, proven }: HyperliquidChain, hash: TxHash): boolean {
  return (network.quorum ?? 1) < 2 || proven.has(hash)
}

async function lookUp(chain: HyperliquidChain, node: Node, hash: TxHash, ours: Watchlist): Promise<Inspection> {
  const seen = chain.addressCache.placesOf(hash)
  const own = seen.length > 0 ? null : await ofTreasury(chain, node, hash)
  const places = seen.length > 0 || own ? seen : await placesOf(chain, node, hash, ours)
  const received = (await Promise.all(places.map((place) => cameBy(chain, node, place, hash)))).flat()
  const [first] = [...(own ? [own.row] : []), ...received.map(({ row }) => row)]
  if (!first) return { state: 'unknown' }
  const block = blockAt(first.time)
  const confirmations = confirmationsAt(await node.ask(networkTime()), block)
  const sightings = await sightingsOf(chain, node, [...(own?.received ?? []), ...received], ours)
  return { state: 'included', block, confirmations, sightings }
}

async function ofTreasury(chain: HyperliquidChain, node: Node, hash: TxHash) {
  const known = inTreasury(chain, hash) ?? (await inTreasuryNow(chain, node, hash))
  if (!known || mayRecall(chain, hash)) return known
  const { time } = known.row
  return inTreasury(chain, hash, (await readLedger(node, chain.treasury, time, time)).rows)
}

function inTreasury(
  chain: HyperliquidChain,
  hash: TxHash,
  shown: readonly Row[] = chain.ledgerCache.known(),
): { row: Row; received: Received[] } | null {
  const rows = shown.filter((row) => hashFor(row, chain.treasury) === hash)
  const [row] = rows
  if (!row) return null
  const received = rows.flatMap((one) => {
    const arrival = arrivalOf(chain, one, chain.treasury)
    return arrival?.dex === SPOT ? [{ ...arrival, to: chain.treasury }] : []
  })
  return { row, received }
}

/**
 * How far back ledgers are read: a user may ask before the scan has seen the transaction, and after a start the cache
 * is empty.
 */
const RECENT_MS = 3_600_000

async function inTreasuryNow(chain: HyperliquidChain, node: Node, hash: TxHash) {
  await chain.ledgerCache.since(node, (await node.ask(networkTime())) - RECENT_MS)
  return inTreasury(chain, hash)
}

/** Deposit addresses that the transaction may have paid. */
async function placesOf(chain: HyperliquidChain, node: Node, hash: TxHash, ours: Watchlist): Promise<Address[]> {
  const told = await chain.explorer.paidBy(hash)
  const isTold = told !== null && told !== 'not asked' && told !== chain.treasury
  if (isTold) return (await ours.owned([told])).has(told) ? [told] : []
  const { recent } = (await ours.pollCandidates?.()) ?? { recent: [] }
  const readAt = (address: Address) => chain.addressCache.of(address).at
  const isUnseen = (address: Address) => address !== chain.treasury && readAt(address) === 0
  const groups = recent.map((addresses) => addresses.filter(isUnseen))
  const unseen = inTurns(groups, readAt, Math.random)
  const looked = await lookAtAll(chain, node, unseen, chain.addressCache.spendOnHint)
  if (looked < unseen.length) throw new RetryLater('not all deposit addresses were read since the start')
  const places = chain.addressCache.placesOf(hash)
  // "unknown" would be a claim: the explorer might have named an address that expects no deposit any more.
  if (places.length === 0 && told === 'not asked')
    throw new RetryLater('the explorer has no budget left in this minute')
  return places
}

/** The address's ledger now, or the cached rows if the network has deleted the emptied account. */
async function cameBy(chain: HyperliquidChain, node: Node, address: Address, hash: TxHash): Promise<Received[]> {
  const { arrivals } = await readAddress(chain, node, address)
  const remembered = [...chain.addressCache.of(address).arrivals.values()].filter(
    ({ row }) => hashFor(row, address) === hash,
  )
  const shown = arrivals.filter(({ row }) => hashFor(row, address) === hash)
  if (shown.length > 0) return shown.map((one) => judgedBefore(one, remembered))
  if (remembered.length === 0 || !mayRecall(chain, hash)) return []
  // The account was emptied and reset: a gateway that only lags would show older rows.
  const isForgotten = (one: Received) => arrivals.every(({ row }) => row.time > one.row.time)
  if (remembered.every(isForgotten)) return remembered
  throw new NodeFailure(`node ${node.name} does not show what came to ${address} before`)
}

/** A deposit keeps its earlier doubt, or its absence: later changes of the address are no reason to judge it again. */
function judgedBefore(shown: Received, remembered: readonly Received[]): Received {
  const before = remembered.find((one) => placeKey(one) === placeKey(shown))
  return before ? { ...shown, doubt: before.doubt } : shown
}
