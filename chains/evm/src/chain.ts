/** What every part of an opened network shares: its nodes, its settings and its tokens by contract. */
import type { Address, ChainLog, Network, OpenOptions, Signer, Token } from '@causeway/core'
import { type Contracts, contractsOf } from './depositing/depository.ts'
import { type Facts, unknownFacts } from './depositing/facts.ts'
import { openRpc, type Rpc } from './node/rpc.ts'
import { chainIdOf, parseSettings, type Settings } from './settings.ts'

/** Accounts as they stood after a block. */
export interface Standing {
  hash: string
  /** Of the treasury: while it stays nothing leaves it. */
  nonce: bigint
  units: ReadonlyMap<Address, bigint>
}

export interface EvmChain {
  network: Network
  chainId: bigint
  settings: Settings
  rpc: Rpc
  signer: Signer
  treasury: Address
  /** Listed tokens by their contract in lower case, as nodes write it. */
  tokens: ReadonlyMap<string, Token>
  /** Our contracts that deposits come through. */
  contracts: Contracts
  /** What the newest survey found. */
  facts: Facts
  /** Blocks that the next scan may read: fewer after one that failed, so that a slow node still gets on. */
  pace: { blocks: number; isBehind: boolean }
  /** What our addresses held at the last block that was covered, so that it need not be asked again. */
  coins: { standing: Standing | null }
  log: ChainLog
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
  return {
    network,
    chainId,
    settings,
    rpc: openRpc({
      network: network.name,
      chainId,
      nodes: network.nodes,
      quorum: network.quorum,
      timeoutMs: settings.requestTimeoutMs,
      batchSize: settings.batchSize,
      logBlocks: settings.logBlocks,
      log,
      now: Date.now,
      spent,
    }),
    signer,
    treasury,
    tokens: new Map(network.tokens.flatMap((token) => (token.contract ? [[token.contract.toLowerCase(), token]] : []))),
    contracts: contractsOf(treasury, settings),
    facts: unknownFacts(),
    pace: { blocks: settings.scanBlocks, isBehind: false },
    coins: { standing: null },
    log,
  }
}
