/** What every part of an opened network shares: its nodes, its settings, its treasury and what was read of the chain. */
import type { Address, ChainLog, Network, Signer } from '@causeway/core'
import { type Jettons, openJettons } from './jetton.ts'
import { openRpc, type Rpc } from './node/rpc.ts'
import { type Treasury, treasuryOf } from './paying/treasury.ts'
import { pinnedWallets } from './pinned.ts'
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
  /** Its wallets of those jettons that the network's file pins, by master. */
  ownWallets: ReadonlyMap<Address, Address>
  /** Opened by a signer that believes no draft. */
  distrusts: boolean
  history: History
  blocks: Blocks
  jettons: Jettons
  senders: Senders
  log: ChainLog
}

export async function openChain(network: Network, signer: Signer, log: ChainLog, distrusts = false): Promise<TonChain> {
  const settings = parseSettings(network)
  const treasury = await treasuryOf(signer, settings.subwalletId)
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
    ownWallets: pinnedWallets(settings, treasury.address),
    distrusts,
    history: openHistory(),
    blocks: openBlocks(),
    jettons: openJettons(),
    senders: openSenders(),
    log,
  }
}
