/**
 * State that every module of an opened network shares: its nodes, its settings, its treasury and cached reads of the
 * chain.
 */
import { boundedMap, type ChainBase, type HeadQuorum, openHeadQuorum, poolOptionsOf } from '@causeway/chain-kit'
import type { Address, OpenOptions } from '@causeway/core'
import { type Jettons, openJettons } from './jetton.ts'
import { masterchainInfo } from './node/calls.ts'
import type { Node } from './node/node.ts'
import { askForKey } from './node/quota.ts'
import { openRpc, type Rpc } from './node/rpc.ts'
import { type Treasury, treasuryOf } from './paying/treasury.ts'
import { pinnedWallets } from './pinned-wallets.ts'
import { type Blocks, openBlocks } from './scanning/blocks.ts'
import { type History, openHistory } from './scanning/history.ts'
import { openScanMemory, type ScanMemory } from './scanning/scan-memory.ts'
import { openSenders, type Senders } from './scanning/senders.ts'
import { parseSettings, type Settings } from './settings.ts'
import type { TxPointer } from './transaction.ts'

/**
 * How far the history was searched for a hash on a node. The history does not change, so it need not be searched again.
 */
export interface Looked {
  /** The hash is not among the transactions up to this logical time. */
  upTo: bigint
  /** An unfinished search: where it began, and where it continues. */
  rest: { top: bigint; at: TxPointer } | null
}

export interface TonChain extends ChainBase<Settings, Rpc> {
  /** The chain-height quorum. */
  reach: HeadQuorum<Node>
  treasury: Treasury
  /** Our wallets of the jettons that the network's file pins, by master. */
  ownWallets: ReadonlyMap<Address, Address>
  /** Whether the chain was opened by a signer, which trusts no draft. */
  distrusts: boolean
  scanMemory: ScanMemory
  history: History
  /** Hashes that were searched without success on a node, and how far. */
  missed: Map<string, Looked>
  blocks: Blocks
  jettons: Jettons
  senders: Senders
}

/** Limit of the cache: anyone may ask for any hash. */
const MOST_MISSED = 10_000
/** Nodes may be this many blocks apart: blocks come every few seconds, sometimes several at once. */
const SLACK_BLOCKS = 30n

export async function openChain({ network, signer, log, spent, distrusts }: OpenOptions): Promise<TonChain> {
  const settings = parseSettings(network)
  const treasury = await treasuryOf(signer, settings.subwalletId)
  const { zeroState, requestTimeoutMs: timeoutMs, requestsPerSecond } = settings
  // A signer asks no node.
  if (!distrusts) askForKey(network, log)
  const { quorum } = network
  const rpc = openRpc({ ...poolOptionsOf({ network, log, spent }), zeroState, timeoutMs, requestsPerSecond })
  const heightOf = async (node: Node) => (await node.ask(masterchainInfo())).head.number
  return {
    network,
    settings,
    rpc,
    reach: openHeadQuorum(rpc, { quorum, slack: SLACK_BLOCKS, heightOf }),
    signer,
    treasury,
    ownWallets: pinnedWallets(settings, treasury.address),
    distrusts: distrusts === true,
    scanMemory: openScanMemory(Date.now()),
    history: openHistory(),
    missed: boundedMap(MOST_MISSED),
    blocks: openBlocks(),
    jettons: openJettons(),
    senders: openSenders((quorum ?? 1) < 2),
    log,
  }
}
