/** The `settings` of a network's file, with defaults and clear errors. */
import { Bug, type Network, type SettingsReader, settingsReader } from '@causeway/core'

export interface Settings {
  /** The chain id of the underlying Ethereum network: the zk key is bound to it, and so is every transfer. */
  ethereumChainId: number
  /** The most native units that one transfer may cost, whatever fee a server reports. */
  maxFee: bigint
  requestTimeoutMs: number
}

/** The Ethereum chain id of the ledger with real money. */
export const MAIN_CHAIN_ID = 1
const ETH_DECIMALS = 18

export function parseSettings(network: Network): Settings {
  const read = settingsReader(network)
  const settings: Settings = {
    ethereumChainId: chainIdIn(read),
    maxFee: read.coins('max_fee', '0.001', ETH_DECIMALS, 'ETH'),
    requestTimeoutMs: read.integer('request_timeout_ms', 10_000, 100, 60_000),
  }
  read.nothingElse()
  const token = network.tokens.find(({ contract }) => contract !== null)
  if (token) {
    // The service accounts fees in the native token: a fee in another token would be missing in the ledger.
    throw new Bug('only the native token can be served: the fee of any other is taken in that token', {
      network: network.name,
      token: token.symbol,
    })
  }
  return settings
}

function chainIdIn({ raw, wrong }: SettingsReader): number {
  const chainId = raw('ethereum_chain_id')
  if (typeof chainId === 'number' && Number.isSafeInteger(chainId) && chainId > 0) return chainId
  throw wrong('ethereum_chain_id', chainId, 'a chain id of Ethereum')
}
