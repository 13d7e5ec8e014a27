/**
 * The part of opening a network that every family shares: the common record of its modules, and the options of its
 * nodes.
 */
import type { ChainLog, Network, OpenOptions, Signer } from '@causeway/core'
import type { PoolOptions } from './nodes.ts'

/** State that every module of an opened network can read; families add their own. */
export interface ChainBase<Settings, Rpc> {
  network: Network
  settings: Settings
  rpc: Rpc
  signer: Signer
  log: ChainLog
}

interface Opening {
  network: Network
  log: ChainLog
  spent?: OpenOptions['spent'] | undefined
}

/** The nodes and the quorum from the network file, and this machine's clock. */
export function poolOptionsOf({ network, log, spent }: Opening): PoolOptions {
  const { name, nodes, quorum } = network
  return { network: name, nodes, quorum, log, now: Date.now, spent }
}
