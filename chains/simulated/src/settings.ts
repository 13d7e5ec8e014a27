/** The `settings` of a simulated network. */
import { type Network, settingsReader } from '@causeway/core'

export interface Settings {
  /** Whether deposits are reported while they are still in the mempool, as on a chain with slow blocks. */
  watchesMempool: boolean
  /** The most native units that one move may cost, whatever fee the node reports. */
  maxFeePerMove: bigint
}

/** The default limit: a billionth of a coin, a million times the usual cost of a move. */
const DEAREST_MOVE = 1_000_000_000

export function readSettings(network: Network): Settings {
  const read = settingsReader(network)
  return {
    watchesMempool: read.boolean('watches_mempool', false),
    maxFeePerMove: BigInt(read.integer('max_fee_per_move', DEAREST_MOVE, 0, Number.MAX_SAFE_INTEGER)),
  }
}
