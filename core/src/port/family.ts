/** The exports of a family's package, and how the server opens one of its networks. */
import type { Address } from '../money/address.ts'
import type { Network, TokenNaming } from '../money/network.ts'
import type { NetworkType } from '../money/vocabulary.ts'
import type { ChainAdapter } from './chain.ts'
import type { Signer } from './signer.ts'
import type { UtxoSet } from './utxos.ts'

/** Exported as `family` by every package in `chains/`. */
export interface Family extends TokenNaming {
  type: NetworkType
  /** The hot wallet's address. Asks no node. */
  treasury(network: Network, signer: Signer): Promise<Address>
  /** Default fee limits for a signer whose policy names none. Omit if the family cannot bound its fees. */
  feeBounds?(network: Network): FeeBounds
  /**
   * The replay domain of a signature (for instance the chain id). If two networks with the same key return the same domain, a
   * transaction signed for one could be mined on the other, and the signer refuses the configuration. Defaults to the network's name.
   */
  domain?(network: Network): string
  /** True if the network is a public chain whose tokens have value, whatever name the network file gives it. */
  holdsRealMoney?(network: Network): boolean
  open(options: OpenOptions): Promise<ChainAdapter>
}

/** Upper bounds in native base units. */
export interface FeeBounds {
  /** The most that one payment may cost under the network file's limits. */
  payment: bigint
  /** The most that all payments of a busy hour may cost. */
  hour: bigint
}

export interface OpenOptions {
  network: Network
  signer: Signer
  log: ChainLog
  /**
   * Set by the signer process, which does not trust drafts: everything that decides where money goes must then be in
   * the network's file.
   */
  distrusts?: true
  /** Our UTXO set as the server stores it. Absent in the signer and in tools: then ask a node every time. */
  coins?: UtxoSet
  /**
   * Must be called for every request to a node, with the method and the request's weight (1 if absent) in the node's
   * rate limit.
   */
  spent?(method: string, weight?: number): void
}

export interface ChainLog {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}
