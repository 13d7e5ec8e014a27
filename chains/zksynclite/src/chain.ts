/** State that every module of an opened network shares: its servers, its settings and its keys. */
import { type ChainBase, poolOptionsOf } from '@causeway/chain-kit'
import type { Address, ChainLog, Network, Signer } from '@causeway/core'
import { openRpc, type Rpc } from './node/rpc.ts'
import { treasuryOf } from './paying/treasury.ts'
import { parseSettings, type Settings } from './settings.ts'

export interface ZkSyncChain extends ChainBase<Settings, Rpc> {
  treasury: Address
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
  const rpc = openRpc({ ...poolOptionsOf({ network, log, spent }), timeoutMs, ethereumChainId })
  return { network, settings, rpc, signer, treasury: await treasuryOf(signer), log }
}
