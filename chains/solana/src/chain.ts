/**
 * State that every module of an opened network shares: its nodes, its settings, its tokens by mint and its nonce
 * accounts.
 */
import {
  type AdaptiveBatch,
  adaptiveBatch,
  type ChainBase,
  type HeadQuorum,
  openHeadQuorum,
  poolOptionsOf,
} from '@causeway/chain-kit'
import type { Address, ChainLog, Network, OpenOptions, Signer, Token } from '@causeway/core'
import { newestOf } from './node/newest-block.ts'
import type { Node } from './node/node.ts'
import { openRpc, type Rpc } from './node/rpc.ts'
import { nonceAddresses } from './paying/nonce.ts'
import { treasuryAddress } from './paying/treasury.ts'
import { openScanMemory, type ScanMemory } from './scanning/scan-memory.ts'
import { parseSettings, type Settings } from './settings.ts'
import { openTokenPrograms, type TokenPrograms } from './tokens.ts'

export interface SolanaChain extends ChainBase<Settings, Rpc> {
  /** The same nodes with a short timeout, for API requests. */
  quickRpc: Rpc
  /** The chain-height quorum. */
  reach: HeadQuorum<Node>
  treasury: Address
  nonces: readonly Address[]
  /** Listed tokens by their mint. */
  tokens: ReadonlyMap<Address, Token>
  programs: TokenPrograms
  scanMemory: ScanMemory
  /** Blocks that the next scan may read: fewer after a failure, so that a slow node still makes progress. */
  pace: AdaptiveBatch
}

/** How far nodes may be apart: half a minute. */
const SLACK_SLOTS = 64n

/** A user waits for the page, and two nodes may have to be tried. */
const QUICK_TIMEOUT_MS = 1_500

export async function openChain(
  network: Network,
  signer: Signer,
  log: ChainLog,
  spent?: OpenOptions['spent'],
): Promise<SolanaChain> {
  const settings = parseSettings(network)
  const treasury = await treasuryAddress(signer)
  const { quorum, ...pool } = poolOptionsOf({ network, log, spent })
  const options = { ...pool, genesisHash: settings.genesisHash, parallel: settings.parallelRequests }
  const rpc = openRpc({ ...options, quorum, timeoutMs: settings.requestTimeoutMs })
  return {
    network,
    settings,
    rpc,
    reach: openHeadQuorum(rpc, { quorum, slack: SLACK_SLOTS, heightOf: async (node) => (await newestOf(node)).slot }),
    quickRpc: openRpc({ ...options, timeoutMs: Math.min(QUICK_TIMEOUT_MS, settings.requestTimeoutMs) }),
    signer,
    treasury,
    nonces: await nonceAddresses(settings.nonceBase ?? treasury, settings.nonceAccounts),
    tokens: new Map(network.tokens.flatMap((token) => (token.contract ? [[token.contract, token]] : []))),
    programs: openTokenPrograms(),
    scanMemory: openScanMemory(Date.now()),
    pace: adaptiveBatch(settings.scanBlocks, () => performance.now()),
    log,
  }
}
