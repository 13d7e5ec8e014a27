/** What every part of an opened network shares: its nodes, its settings and its tokens by contract. */
import type { Address, ChainLog, Network, Signer, Token } from '@causeway/core'
import { type Contracts, contractsOf } from './depositing/depository.ts'
import { type Facts, unknownFacts } from './depositing/facts.ts'
import { openRpc, type Rpc } from './node/rpc.ts'
import { chainIdOf, parseSettings, type Settings } from './settings.ts'

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
  pace: { blocks: number }
  log: ChainLog
}

export function openChain(network: Network, signer: Signer, treasury: Address, log: ChainLog): EvmChain {
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
      timeoutMs: settings.requestTimeoutMs,
      batchSize: settings.batchSize,
      log,
      now: Date.now,
    }),
    signer,
    treasury,
    tokens: new Map(network.tokens.flatMap((token) => (token.contract ? [[token.contract.toLowerCase(), token]] : []))),
    contracts: contractsOf(treasury, settings),
    facts: unknownFacts(),
    pace: { blocks: settings.scanBlocks },
    log,
  }
}
