/** State that every module of an opened network shares: the operator, the settings and our keys. */
import { type ChainBase, poolOptionsOf } from '@causeway/chain-kit'
import type { Address, OpenOptions } from '@causeway/core'
import { openRpc, type Rpc } from './node/rpc.ts'
import { type Keys, keysOf } from './paying/treasury.ts'
import { parseSettings, type Settings } from './settings.ts'

export interface StarkExChain extends ChainBase<Settings, Rpc> {
  keys: Keys
  /** Whether the ledger was opened by a signer, which trusts no draft. */
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
  const rpc = openRpc({ ...poolOptionsOf({ network, log, spent }), timeoutMs, instance })
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
