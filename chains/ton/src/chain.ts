/** What every part of an opened network shares: its nodes, its settings, its treasury and what was read of the chain. */
import type { ChainLog, Network, Signer } from '@causeway/core'
import { type Jettons, openJettons } from './jetton.ts'
import { openRpc, type Rpc } from './node/rpc.ts'
import type { Treasury } from './paying/treasury.ts'
import { type Blocks, openBlocks } from './scanning/blocks.ts'
import { type History, openHistory } from './scanning/history.ts'
import { openSenders, type Senders } from './scanning/senders.ts'
import { parseSettings, type Settings } from './settings.ts'

export interface TonChain {
  network: Network
  settings: Settings
  rpc: Rpc
  signer: Signer
  treasury: Treasury
  history: History
  blocks: Blocks
  jettons: Jettons
  senders: Senders
  log: ChainLog
}

export function openChain(network: Network, signer: Signer, treasury: Treasury, log: ChainLog): TonChain {
  const settings = parseSettings(network)
  const { zeroState, requestTimeoutMs: timeoutMs, requestsPerSecond } = settings
  return {
    network,
    settings,
    rpc: openRpc({
      network: network.name,
      zeroState,
      nodes: network.nodes,
      timeoutMs,
      requestsPerSecond,
      log,
      now: Date.now,
    }),
    signer,
    treasury,
    history: openHistory(),
    blocks: openBlocks(),
    jettons: openJettons(),
    senders: openSenders(),
    log,
  }
}
