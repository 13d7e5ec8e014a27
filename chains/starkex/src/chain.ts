/** What every part of an opened network shares: the operator, the settings and our keys. */
import type { Address, ChainLog, Network, OpenOptions, Signer } from '@causeway/core'
import { type Keys, keysOf } from './keys.ts'
import { openRpc, type Rpc } from './node/rpc.ts'
import { parseSettings, type Settings } from './settings.ts'

export interface StarkExChain {
  network: Network
  settings: Settings
  rpc: Rpc
  signer: Signer
  keys: Keys
  log: ChainLog
  /** Opened by a signer that believes no draft. */
  distrusts: boolean
  /** The key that each recipient had when it was first paid. */
  pinned: Map<Address, bigint>
  /** Whether the operator knows our own key. */
  isRegistered: boolean
  now(): number
}

export async function openChain({ network, signer, log, spent, distrusts }: OpenOptions): Promise<StarkExChain> {
  const settings = parseSettings(network)
  const { requestTimeoutMs: timeoutMs, instance } = settings
  const { name, nodes, quorum } = network
  const rpc = openRpc({ network: name, nodes, quorum, timeoutMs, instance, log, now: Date.now, spent })
  return {
    network,
    settings,
    rpc,
    signer,
    keys: await keysOf(signer, instance),
    log,
    distrusts: distrusts === true,
    pinned: new Map(settings.receivers),
    isRegistered: false,
    now: Date.now,
  }
}
