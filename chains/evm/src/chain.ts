/** State that every module of an opened network shares: its nodes, its settings and its tokens by contract. */
import { type AdaptiveBatch, adaptiveBatch, type ChainBase, poolOptionsOf } from '@causeway/chain-kit'
import type { Address, ChainLog, Network, OpenOptions, Signer, Token } from '@causeway/core'
import { type Contracts, contractsOf } from './depositing/depository.ts'
import { type Facts, unknownFacts } from './depositing/facts.ts'
import { openPrivately, type PrivateEndpoint } from './node/private-endpoint.ts'
import { openRpc, type Rpc } from './node/rpc.ts'
import { chainIdOf, parseSettings, type Settings } from './settings.ts'

/** The maximum of concurrent log queries during a backfill. */
const PIECES = 8

/** Native balances of accounts after a block, and the treasury's nonce. */
export interface Standing {
  hash: string
  /** The treasury's nonce: while it stays the same, nothing leaves the treasury. */
  nonce: bigint
  units: ReadonlyMap<Address, bigint>
}

export interface EvmChain extends ChainBase<Settings, Rpc> {
  chainId: bigint
  treasury: Address
  /** Where exchanges are sent; null: to the nodes. */
  privately: PrivateEndpoint | null
  /** Listed tokens by their contract in lower case, as nodes write it. */
  tokens: ReadonlyMap<string, Token>
  /** Our contracts through which deposits go. */
  contracts: Contracts
  /** The results of the latest survey. */
  facts: Facts
  /** Blocks that the next scan may read: fewer after a failure, so that a slow node still makes progress. */
  pace: AdaptiveBatch
  /** Concurrent log queries of the next range scan, and whether it is catching up. */
  ranges: AdaptiveBatch & { isBehind: boolean }
  /** Balances of our addresses at the last scanned block, so that they need not be read again. */
  coins: {
    standing: Standing | null
    /** Up to this block, blocks are read in full, because the node could not report the balances of our addresses. */
    wholeTo: bigint
  }
}

export function openChain(
  network: Network,
  signer: Signer,
  treasury: Address,
  log: ChainLog,
  spent?: OpenOptions['spent'],
): EvmChain {
  const settings = parseSettings(network)
  const chainId = chainIdOf(network)
  const now = () => performance.now()
  return {
    network,
    chainId,
    settings,
    rpc: openRpc({
      ...poolOptionsOf({ network, log, spent }),
      chainId,
      timeoutMs: settings.requestTimeoutMs,
      batchSize: settings.batchSize,
      logBlocks: settings.logBlocks,
    }),
    privately: openPrivately(network, settings.requestTimeoutMs, spent),
    signer,
    treasury,
    tokens: new Map(network.tokens.flatMap((token) => (token.contract ? [[token.contract.toLowerCase(), token]] : []))),
    contracts: contractsOf(treasury, settings),
    facts: unknownFacts(),
    pace: adaptiveBatch(settings.scanBlocks, now),
    // After a start the scan is usually behind.
    ranges: { ...adaptiveBatch(PIECES, now), isBehind: true },
    coins: { standing: null, wholeTo: 0n },
    log,
  }
}
