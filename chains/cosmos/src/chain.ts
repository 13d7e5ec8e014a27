/**
 * State that every module of an opened network shares: its nodes, its settings, its treasury, and where transactions
 * were seen.
 */
import {
  type AdaptiveBatch,
  adaptiveBatch,
  boundedMap,
  boundedSet,
  type ChainBase,
  poolOptionsOf,
} from '@causeway/chain-kit'
import type { Address, OpenOptions, Token, TxHash } from '@causeway/core'
import { tokensByDenom } from './address.ts'
import { openRpc, type Rpc } from './node/rpc.ts'
import { treasuryOf } from './paying/treasury.ts'
import type { Walked } from './scanning/history-cursor.ts'
import { parseSettings, type Settings } from './settings.ts'

export interface CosmosChain extends ChainBase<Settings, Rpc> {
  treasury: Address
  /** Listed tokens by denomination. */
  tokens: ReadonlyMap<string, Token>
  /** Heights at which the scan saw transactions that concern us, in case an index forgets them. */
  places: Places
  /** Transactions that a node's mempool accepted: replacing them before their timeout has no effect. */
  taken: Set<TxHash>
  /** Since when nodes have reported other coins than these transactions name (their events may be missing). */
  untold: Map<TxHash, number>
  /** Balances of our addresses at the last scanned block, by `address denomination`. */
  standing: { hash: string; units: ReadonlyMap<string, bigint> } | null
  /** Blocks that the next scan may read. */
  pace: AdaptiveBatch
  /** The partial result of an interrupted history read. */
  walked: Walked | null
  now(): number
}

/** Limit of remembered accepted transactions: far more than are pending at one time. */
const MOST_TAKEN = 5_000
/** Limit of such transactions: far more than ever wait for a better node. */
const MOST_UNTOLD = 1_000

export async function openChain({ network, signer, log, spent }: OpenOptions): Promise<CosmosChain> {
  const settings = parseSettings(network)
  return {
    network,
    settings,
    rpc: openRpc(poolOptionsOf({ network, log, spent }), settings),
    signer,
    treasury: await treasuryOf(signer, settings),
    tokens: tokensByDenom(network, settings.denom),
    places: openPlaces(),
    taken: boundedSet(MOST_TAKEN),
    untold: boundedMap(MOST_UNTOLD),
    standing: null,
    pace: adaptiveBatch(settings.scanBlocks, () => performance.now()),
    walked: null,
    now: Date.now,
    log,
  }
}

interface Places {
  note(hash: TxHash, height: bigint): void
  of(hash: TxHash): readonly bigint[]
}

/** Limit of remembered positions: far more than wait for their depth at one time. */
const MOST_PLACES = 20_000

function openPlaces(): Places {
  const heights = boundedMap<TxHash, bigint[]>(MOST_PLACES)
  return {
    note(hash, height) {
      const known = heights.get(hash) ?? []
      if (!known.includes(height)) heights.set(hash, [...known, height])
    },
    of: (hash) => heights.get(hash) ?? [],
  }
}
