/** What every part of an opened network shares: its servers, its settings and its keys. */
import type { Address, ChainLog, Network, Signer } from '@causeway/core'
import { openRpc, type Rpc } from './node/rpc.ts'
import { treasuryOf } from './paying/treasury.ts'
import { parseSettings, type Settings } from './settings.ts'

export interface ZkSyncChain {
  network: Network
  settings: Settings
  rpc: Rpc
  signer: Signer
  treasury: Address
  log: ChainLog
}

export interface Opening {
  network: Network
  signer: Signer
  log: ChainLog
  spent?: ((method: string) => void) | undefined
}

export async function openChain({ network, signer, log, spent }: Opening): Promise<ZkSyncChain> {
  const settings = parseSettings(network)
  const { requestTimeoutMs: timeoutMs, ethereumChainId } = settings
  const rpc = openRpc({
    network: network.name,
    nodes: network.nodes,
    quorum: network.quorum,
    timeoutMs,
    ethereumChainId,
    log,
    now: Date.now,
    spent,
  })
  return { network, settings, rpc, signer, treasury: await treasuryOf(signer), log }
}
