/**
 * State that every module of an opened network shares: its nodes, its settings, its treasury and cached reads of the
 * chain.
 */
import { type ChainBase, poolOptionsOf } from '@causeway/chain-kit'
import type { Address, OpenOptions, Token, TxHash } from '@causeway/core'
import { type Facts, unknownFacts } from './depositing/facts.ts'
import type { Prices } from './node/calls.ts'
import { openRpc, type Rpc } from './node/rpc.ts'
import { treasuryAddress } from './paying/treasury.ts'
import { openProvenBlocks, type ProvenBlocks } from './scanning/proven-blocks.ts'
import { parseSettings, type Settings } from './settings.ts'

export interface TronChain extends ChainBase<Settings, Rpc> {
  treasury: Address
  /** Listed tokens by their contract. */
  tokens: ReadonlyMap<Address, Token>
  /** Every Depository whose events are accepted. */
  depositories: ReadonlySet<Address>
  /** Results of the latest survey. */
  facts: Facts
  /** Blocks that were read and proved themselves. */
  provenBlocks: ProvenBlocks
  /** The chain's prices, and when they were read. They change only by vote. */
  priced: { at: number; prices: Prices } | null
  /** Payouts for which an alert was already raised. */
  doubted: Set<TxHash>
}

export async function openChain({ network, signer, log, spent }: OpenOptions): Promise<TronChain> {
  const settings = parseSettings(network)
  const { genesis, requestTimeoutMs: timeoutMs, depository, oldDepositories } = settings
  return {
    network,
    settings,
    rpc: openRpc({ ...poolOptionsOf({ network, log, spent }), genesis, timeoutMs }),
    signer,
    treasury: await treasuryAddress(signer),
    tokens: new Map(network.tokens.flatMap((token) => (token.contract ? [[token.contract, token]] : []))),
    depositories: new Set([...(depository ? [depository] : []), ...oldDepositories]),
    facts: unknownFacts(),
    provenBlocks: openProvenBlocks(),
    priced: null,
    doubted: new Set(),
    log,
  }
}
