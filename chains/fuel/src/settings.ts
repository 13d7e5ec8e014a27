/** The `settings` of a Fuel network's file, with defaults and clear errors; and our keys. */
import {
  type Address,
  Bug,
  type KeyRef,
  type Network,
  type SettingForm,
  type SweepSource,
  settingsReader,
} from '@causeway/core'
import { BASE_ASSET, parseAddress } from './address.ts'

export interface Settings {
  /** The chain id, hashed into every transaction's id: a signature is valid under one id only. */
  chainId: bigint
  /** The asset that fees are paid in. */
  baseAsset: string
  /**
   * The contract that logs a swap's reference in its deposit. Null if there is none: then only deposit addresses
   * identify swaps.
   */
  watchdog: Address | null
  /** Earlier watchdogs: deposits that name them are still credited. */
  oldWatchdogs: readonly Address[]
  /** The maximum fee of one transaction in base units, whatever price a node reports; whole coins in the file. */
  maxFee: bigint
  /** The fee that depositors should keep for a deposit. */
  depositFee: bigint
  /** A payout can be mined within this many blocks after its slot was allocated, and never later. */
  expiresAfter: bigint
  /** The maximum number of blocks per scan. */
  scanBlocks: number
  requestTimeoutMs: number
}

const BASE_DECIMALS = 9
/** Limit of the chain id, which is hashed as a 64-bit number. */
const MOST_CHAIN_ID = 2n ** 64n

/** An id must be written exactly as it is shown and compared. */
const ID: SettingForm<string> = {
  read: (text) => (parseAddress(text) === text ? text : null),
  wanted: '0x and 64 lower-case hex digits',
}

export function parseSettings(network: Network): Settings {
  const read = settingsReader(network)
  const settings: Settings = {
    chainId: chainIdOf(network),
    baseAsset: read.optional('base_asset', ID) ?? BASE_ASSET,
    watchdog: read.optional('watchdog_contract', ID),
    oldWatchdogs: read.list('old_watchdog_contracts', ID, ID.wanted),
    // A payout costs a few millionths of a coin; this is for full blocks.
    maxFee: read.coins('max_fee', '0.0005', BASE_DECIMALS),
    depositFee: read.coins('deposit_fee', '0.00001', BASE_DECIMALS),
    expiresAfter: BigInt(read.integer('expires_after_blocks', 600, 30, 100_000)),
    // One page of headers; blocks with user transactions are read one by one.
    scanBlocks: read.integer('scan_blocks', 100, 1, 100),
    requestTimeoutMs: read.integer('request_timeout_ms', 10_000, 100, 60_000),
  }
  read.nothingElse()
  if (network.nativeToken.decimals !== BASE_DECIMALS) {
    throw new Bug(`the native token of a Fuel network has ${BASE_DECIMALS} decimals`, { network: network.name })
  }
  const contracts = network.tokens.map(({ contract }) => contract)
  if (contracts.includes(settings.baseAsset)) {
    throw new Bug('the base asset is the native token, and is listed without a contract', { network: network.name })
  }
  if (BigInt(network.finalDepth) >= settings.expiresAfter) {
    throw new Bug('expires_after_blocks must be above final_depth', { network: network.name })
  }
  return settings
}

function chainIdOf({ name, chainId }: Network): bigint {
  const number = /^(0|[1-9]\d{0,19})$/.test(chainId ?? '') ? BigInt(chainId ?? '') : MOST_CHAIN_ID
  if (number >= MOST_CHAIN_ID)
    throw new Bug('chain_id must be the number of the Fuel chain', { network: name, chainId })
  return number
}

/** "FUEL" as a number; the family's wallets enumerate accounts in the next path element. */
const COIN_TYPE = 1_179_993_420

export const TREASURY_KEY: KeyRef = { curve: 'secp256k1', path: `m/44'/${COIN_TYPE}'/0'/0/0` }

/** The key of a deposit address: the accounts after the treasury's own. */
export function depositKey({ index, branch = 0 }: Pick<SweepSource, 'index' | 'branch'>): KeyRef {
  return { curve: 'secp256k1', path: `m/44'/${COIN_TYPE}'/${index + 1}'/0/${branch}` }
}
