/** What every part of an opened network shares: its nodes, its settings, the treasury and the assets that are listed. */
import type { Address, ChainLog, Network, OpenOptions, Signer, Token } from '@causeway/core'
import { keyAddress } from './address.ts'
import { openRpc, type Rpc } from './node/rpc.ts'
import { openSpenderSearch, type SpenderSearch } from './paying/spender.ts'
import { openWords, type Words } from './scanning/words.ts'
import { parseSettings, type Settings, TREASURY_KEY } from './settings.ts'

export interface FuelChain {
  network: Network
  settings: Settings
  rpc: Rpc
  signer: Signer
  treasury: Address
  /** Listed tokens by their asset, the native one under the base asset. */
  tokens: ReadonlyMap<string, Token>
  /** Contracts whose word about a swap's number counts. */
  watchdogs: ReadonlySet<Address>
  spenders: SpenderSearch
  /** What transactions name, with what nodes failed to tell of. */
  words: Words
  log: ChainLog
}

export async function openChain({ network, signer, log, spent }: OpenOptions): Promise<FuelChain> {
  const settings = parseSettings(network)
  const { chainId, baseAsset, watchdog, oldWatchdogs, requestTimeoutMs } = settings
  return {
    network,
    settings,
    rpc: openRpc({
      network: network.name,
      nodes: network.nodes,
      quorum: network.quorum,
      chainId,
      baseAsset,
      timeoutMs: requestTimeoutMs,
      log,
      now: Date.now,
      spent,
    }),
    signer,
    treasury: keyAddress(await signer.publicKey(TREASURY_KEY)),
    tokens: new Map(network.tokens.map((token) => [token.contract ?? baseAsset, token])),
    watchdogs: new Set([...(watchdog ? [watchdog] : []), ...oldWatchdogs]),
    spenders: openSpenderSearch(),
    words: openWords(),
    log,
  }
}

export function assetOf({ settings }: FuelChain, { contract }: Token): string {
  return contract ?? settings.baseAsset
}
