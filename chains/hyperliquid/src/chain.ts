/**
 * State that every module of an opened network shares: its gateways, its settings, its treasury and the cached ledgers.
 */
import { boundedMap, boundedSet, type ChainBase, poolOptionsOf, sourceKey } from '@causeway/chain-kit'
import type { Address, OpenOptions, TxHash } from '@causeway/core'
import { type Explorer, openExplorer } from './node/explorer.ts'
import type { Node } from './node/node.ts'
import { openRpc, openTokens, type Rpc, type TokenBook } from './node/rpc.ts'
import { addressOf, depositKey, TREASURY_KEY } from './paying/treasury.ts'
import { type AddressCache, openAddressCache } from './scanning/address-cache.ts'
import { type LedgerCache, openLedgerCache } from './scanning/ledger-cache.ts'
import { openSenders, type Senders } from './scanning/senders.ts'
import { parseSettings, type Settings } from './settings.ts'

export interface HyperliquidChain extends ChainBase<Settings, Rpc> {
  treasury: Address
  /** The address of an index, derived once. */
  derive(index: number, branch?: number): Promise<Address>
  tokens(node: Node): Promise<TokenBook>
  /** The treasury's ledger. */
  ledgerCache: LedgerCache
  /** Cached state of each deposit address. */
  addressCache: AddressCache
  senders: Senders
  explorer: Explorer
  /** Deposits that a quorum of gateways has shown since this process started. */
  proven: Set<TxHash>
  /** Hashes that a gateway has accepted since this process started. */
  accepted: Set<TxHash>
  /**
   * Nonces of the treasury that this process allocated, and the maximum amount that leaves with each, in units of USDC.
   */
  handedOut: Map<number, bigint>
  /** The treasury's balances when the scan last read its ledger, and when that was. */
  glance: { signature: string; readAt: number }
  /**
   * The treasury's balances by contract at a second that was reported, and since when the ledger does not explain its
   * balance.
   */
  anchor: { at: { block: bigint; units: ReadonlyMap<string | null, bigint> } | null; doubtedSince: number | null }
  /** When the treasury's account settings were last checked. */
  standing: { checkedAt: number }
  now(): number
}

const MOST_DERIVED = 10_000
const MOST_PROVEN = 10_000
const MOST_ACCEPTED = 10_000
const MOST_HANDED_OUT = 1_000

export async function openChain({ network, signer, log, spent }: OpenOptions): Promise<HyperliquidChain> {
  const settings = parseSettings(network)
  const treasury = await addressOf(signer, TREASURY_KEY)
  const derived = new Map<string, Promise<Address>>()
  const { requestTimeoutMs: timeoutMs, weightPerMinute } = settings
  const now = Date.now
  return {
    network,
    settings,
    rpc: openRpc({ ...poolOptionsOf({ network, log, spent }), network, settings, timeoutMs, spent }),
    signer,
    treasury,
    derive(index, branch = 0) {
      const key = sourceKey({ index, branch })
      const known = derived.get(key) ?? addressOf(signer, depositKey(index, branch))
      if (derived.size < MOST_DERIVED) derived.set(key, known)
      return known
    },
    tokens: openTokens(now),
    ledgerCache: openLedgerCache(treasury),
    addressCache: openAddressCache(weightPerMinute, now),
    senders: openSenders(weightPerMinute, now),
    explorer: openExplorer(settings, spent, now),
    proven: boundedSet(MOST_PROVEN),
    accepted: boundedSet(MOST_ACCEPTED),
    handedOut: boundedMap(MOST_HANDED_OUT),
    glance: { signature: '', readAt: 0 },
    anchor: { at: null, doubtedSince: null },
    standing: { checkedAt: Number.NEGATIVE_INFINITY },
    log,
    now,
  }
}
