/** State that every module of an opened network shares: its nodes, its settings, the treasury and its UTXOs. */
import { type ChainBase, poolOptionsOf } from '@causeway/chain-kit'
import type { Address, ChainLog, Network, OpenOptions, Signer, UtxoSet } from '@causeway/core'
import { publicKeyAddress, publicKeyScript } from './address.ts'
import { openRpc, type Rpc } from './node/rpc.ts'
import { openSpenderSearch, type SpenderSearch } from './paying/find-spender.ts'
import { type MempoolWatch, openMempoolWatch } from './scanning/mempool-watch.ts'
import { openRebuilding, type Rebuilding } from './scanning/rebuild-progress.ts'
import { CHAINS, type Prefixes, parseSettings, type Settings, treasuryKey } from './settings.ts'

export interface BitcoinChain extends ChainBase<Settings, Rpc> {
  prefixes: Prefixes
  treasury: Address
  treasuryScript: Uint8Array
  /** The UTXO set of our addresses; null if none is kept. */
  book: UtxoSet | null
  rebuilding: Rebuilding
  mempool: MempoolWatch
  spenders: SpenderSearch
}

export async function openChain(
  network: Network,
  signer: Signer,
  log: ChainLog,
  book: UtxoSet | null,
  spent?: OpenOptions['spent'],
): Promise<BitcoinChain> {
  const settings = parseSettings(network)
  const { prefixes } = CHAINS[settings.chain]
  const publicKey = await signer.publicKey(treasuryKey(settings.chain))
  const treasury = publicKeyAddress(publicKey, prefixes)
  const treasuryScript = publicKeyScript(publicKey)
  return {
    network,
    settings,
    prefixes,
    rpc: openRpc({
      ...poolOptionsOf({ network, log, spent }),
      chain: settings.chain,
      timeoutMs: settings.requestTimeoutMs,
      batchSize: settings.batchSize,
    }),
    signer,
    treasury,
    treasuryScript,
    book,
    rebuilding: openRebuilding(),
    mempool: openMempoolWatch(),
    spenders: openSpenderSearch(),
    log,
  }
}
