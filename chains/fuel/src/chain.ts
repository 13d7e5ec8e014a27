/** State that every module of an opened network shares: its nodes, its settings, the treasury and the listed assets. */
import { type ChainBase, type HeadQuorum, openHeadQuorum, poolOptionsOf } from '@causeway/chain-kit'
import type { Address, OpenOptions, Token } from '@causeway/core'
import { keyAddress } from './address.ts'
import { head } from './node/calls.ts'
import type { Node } from './node/node.ts'
import { openRpc, type Rpc } from './node/rpc.ts'
import { openSpenderSearch, type SpenderSearch } from './paying/find-spender.ts'
import { openReceiptReferences, type ReceiptReferences } from './scanning/receipt-reference.ts'
import { parseSettings, type Settings, TREASURY_KEY } from './settings.ts'

export interface FuelChain extends ChainBase<Settings, Rpc> {
  /** The chain-height quorum. */
  reach: HeadQuorum<Node>
  treasury: Address
  /** Listed tokens by their asset, the native one under the base asset. */
  tokens: ReadonlyMap<string, Token>
  /** Contracts whose logs name a swap's reference. */
  watchdogs: ReadonlySet<Address>
  spenders: SpenderSearch
  /** The references of transactions, and failures to read them. */
  receiptReferences: ReceiptReferences
}

/** Nodes may be this many blocks apart: half a minute. */
const SLACK_BLOCKS = 30n

export async function openChain({ network, signer, log, spent }: OpenOptions): Promise<FuelChain> {
  const settings = parseSettings(network)
  const { chainId, baseAsset, watchdog, oldWatchdogs, requestTimeoutMs } = settings
  const rpc = openRpc({
    ...poolOptionsOf({ network, log, spent }),
    chainId,
    baseAsset,
    timeoutMs: requestTimeoutMs,
  })
  const heightOf = async (node: Node) => (await node.ask(head())).number
  return {
    network,
    settings,
    rpc,
    reach: openHeadQuorum(rpc, { quorum: network.quorum, slack: SLACK_BLOCKS, heightOf }),
    signer,
    treasury: keyAddress(await signer.publicKey(TREASURY_KEY)),
    tokens: new Map(network.tokens.map((token) => [token.contract ?? baseAsset, token])),
    watchdogs: new Set([...(watchdog ? [watchdog] : []), ...oldWatchdogs]),
    spenders: openSpenderSearch(),
    receiptReferences: openReceiptReferences(),
    log,
  }
}

export function assetOf({ settings }: FuelChain, { contract }: Token): string {
  return contract ?? settings.baseAsset
}
