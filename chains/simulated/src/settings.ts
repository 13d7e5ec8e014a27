/** What a simulated network may say under `settings`. */
import { Bug, type Network } from '@causeway/core'

export interface Settings {
  /** Deposits are sighted while they still wait in the mempool, as on a chain with slow blocks. */
  watchesMempool: boolean
  /** The most native units that one move may cost, whatever the node asks for. */
  maxFeePerMove: bigint
}

/** A thousandth of a millionth of a coin: a million times what a move costs in good times. */
const DEAREST_MOVE = 1_000_000_000

export function readSettings(network: Network): Settings {
  const { watches_mempool, max_fee_per_move: most = DEAREST_MOVE } = network.settings
  if (typeof most !== 'number' || !Number.isSafeInteger(most) || most < 0) {
    throw new Bug('setting max_fee_per_move must be a whole number', { network: network.name, most })
  }
  return { watchesMempool: watches_mempool === true, maxFeePerMove: BigInt(most) }
}
