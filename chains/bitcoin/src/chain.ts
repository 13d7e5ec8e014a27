/** What every part of an opened network shares: its nodes, its settings, the treasury and what it owns. */
import type { Address, ChainLog, Network, Signer } from '@causeway/core'
import { publicKeyAddress, publicKeyScript } from './address.ts'
import { openRpc, type Rpc } from './node/rpc.ts'
import { openPurse, type Purse } from './paying/purse.ts'
import { openSpenderSearch, type SpenderSearch } from './paying/spender.ts'
import { type MempoolWatch, openMempoolWatch } from './scanning/mempool-watch.ts'
import { CHAINS, type Prefixes, parseSettings, type Settings, treasuryKey } from './settings.ts'

export interface BitcoinChain {
  network: Network
  settings: Settings
  prefixes: Prefixes
  rpc: Rpc
  signer: Signer
  treasury: Address
  treasuryScript: Uint8Array
  purse: Purse
  mempool: MempoolWatch
  spenders: SpenderSearch
  log: ChainLog
}

export async function openChain(network: Network, signer: Signer, log: ChainLog): Promise<BitcoinChain> {
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
      network: network.name,
      chain: settings.chain,
      nodes: network.nodes,
      timeoutMs: settings.requestTimeoutMs,
      batchSize: settings.batchSize,
      log,
      now: Date.now,
    }),
    signer,
    treasury,
    treasuryScript,
    purse: openPurse({ network: network.name, address: treasury, script: treasuryScript, log }),
    mempool: openMempoolWatch(),
    spenders: openSpenderSearch(),
    log,
  }
}
