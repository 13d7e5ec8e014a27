/** What a network's file may say under `settings`, with the defaults and a clear word about what is wrong. */
import { Bug, type Network, parseDecimal } from '@causeway/core'

export interface Settings {
  /** The chain id of the Ethereum below: the zk key is bound to it, and by that every transfer. */
  ethereumChainId: number
  /** The most native units that one transfer may cost, whatever a node asks for. */
  maxFee: bigint
  requestTimeoutMs: number
}

/** Where money was. */
export const MAIN_CHAIN_ID = 1
const ETH_DECIMALS = 18
const KNOWN = ['ethereum_chain_id', 'max_fee', 'request_timeout_ms']

export function parseSettings(network: Network): Settings {
  const { name, settings, tokens } = network
  const { ethereum_chain_id: chainId, max_fee: most = '0.001', request_timeout_ms: timeoutMs = 10_000 } = settings
  const wrong = (key: string, value: unknown, wanted: string) =>
    new Bug(`setting ${key} must be ${wanted}`, { network: name, value })
  const unknown = Object.keys(settings).find((key) => !KNOWN.includes(key))
  if (unknown !== undefined) throw new Bug(`setting ${unknown} is unknown here`, { network: name })
  if (!isWhole(chainId, 1, Number.MAX_SAFE_INTEGER)) throw wrong('ethereum_chain_id', chainId, 'a chain id of Ethereum')
  const maxFee = typeof most === 'string' ? parseDecimal(most, ETH_DECIMALS) : null
  if (maxFee === null || maxFee <= 0n) throw wrong('max_fee', most, 'whole ETH in decimal text, above zero')
  if (!isWhole(timeoutMs, 100, 60_000)) throw wrong('request_timeout_ms', timeoutMs, 'a whole number from 100 to 60000')
  const token = tokens.find(({ contract }) => contract !== null)
  if (token) {
    // The house counts what a transfer costs in the native token: such a fee would be missing in the books.
    throw new Bug('only the native token can be served: the fee of any other is taken in that token', {
      network: name,
      token: token.symbol,
    })
  }
  return { ethereumChainId: chainId, maxFee, requestTimeoutMs: timeoutMs }
}

function isWhole(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most
}
