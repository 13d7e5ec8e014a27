/** What the simulated family reads from a network's file, and where its keys stand in the key tree. */
import type { KeyRef, Network } from '@causeway/core'

export interface Settings {
  /** Deposits are sighted while they still wait in the mempool, as on a chain with slow blocks. */
  watchesMempool: boolean
}

export function readSettings(network: Network): Settings {
  return { watchesMempool: network.settings.watches_mempool === true }
}

/** Coin type 1 is every coin's test network; the simulated networks share their keys, and each names itself when signing. */
export const TREASURY_KEY: KeyRef = { curve: 'secp256k1', path: "m/44'/1'/0'/0/0" }

export function depositKey(index: number): KeyRef {
  return { curve: 'secp256k1', path: `m/44'/1'/1'/0/${index}` }
}
