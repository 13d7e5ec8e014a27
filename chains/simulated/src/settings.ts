/** What a simulated network may say under `settings`. */
import type { Network } from '@causeway/core'

export interface Settings {
  /** Deposits are sighted while they still wait in the mempool, as on a chain with slow blocks. */
  watchesMempool: boolean
}

export function readSettings(network: Network): Settings {
  return { watchesMempool: network.settings.watches_mempool === true }
}
