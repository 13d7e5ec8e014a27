/**
 * Deposits in the mempool. Every pending transaction of the network is read once, a limited number per scan. Which of
 * them pay us is cached here; which were reported is in the cursor. A restart only reads them again.
 */
import type { Sighting, Watchlist } from '@causeway/core'
import type { BitcoinChain } from '../chain.ts'
import { mempool, transaction } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import { orNull } from './locate-tx.ts'
import { sightingsIn } from './sightings.ts'

/** Transactions read per scan: a busy network makes about ten per second, and a backlog is read over minutes. */
const BATCH = 500

export interface Waiting {
  /** Deposits not reported yet. */
  sightings: Sighting[]
  /** All pending transactions with deposits: the next cursor lists them as reported. */
  txids: string[]
}

export async function waitingDeposits(
  chain: BitcoinChain,
  node: Node,
  reported: readonly string[],
  ours: Watchlist,
): Promise<Waiting> {
  const { read } = chain.mempool
  const [txids] = await node.ask([mempool()])
  const present = new Set(txids)
  for (const txid of read.keys()) if (!present.has(txid)) read.delete(txid)
  const fresh = txids.filter((txid) => !read.has(txid)).slice(0, BATCH)
  const found = (await node.settle(fresh.map((txid) => transaction(txid)))).map(orNull)
  const candidates = found.filter((one) => one !== null).map((one) => ({ transaction: one, block: null }))
  const sighted = await sightingsIn(chain, node, candidates, ours)
  for (const txid of fresh) {
    read.set(
      txid,
      sighted.filter(({ txHash }) => txHash === txid),
    )
  }
  const paying = [...read].filter(([, sightings]) => sightings.length > 0)
  return {
    sightings: paying.filter(([txid]) => !reported.includes(txid)).flatMap(([, sightings]) => sightings),
    txids: [...new Set([...paying.map(([txid]) => txid), ...reported.filter((txid) => present.has(txid))])].toSorted(),
  }
}
