/** What a Fuel network's file may say under `settings`, with the defaults and a clear word about what is wrong; and our keys. */
import { type Address, Bug, type KeyRef, type Network, parseDecimal } from '@causeway/core'
import { BASE_ASSET, parseAddress } from './address.ts'

export interface Settings {
  /** Hashed into every transaction's id: what is signed for one number is worth nothing under another. */
  chainId: bigint
  /** The asset that fees are paid in. */
  baseAsset: string
  /** The contract that writes a swap's number into its deposit; null where none stands there: then only addresses tell. */
  watchdog: Address | null
  /** Those of earlier days: deposits that name them still count. */
  oldWatchdogs: readonly Address[]
  /** The most base units that one transaction may cost, whatever a node says of prices; in the file in whole coins. */
  maxFee: bigint
  /** What depositors are told to hold ready for the fee of a deposit. */
  depositFee: bigint
  /** A payout can land in so many blocks after it got its slot, and never later. */
  expiresAfter: bigint
  /** Blocks read in one scan at most. */
  scanBlocks: number
  requestTimeoutMs: number
}

const BASE_DECIMALS = 9
/** It is hashed as a number of 64 bits. */
const MOST_CHAIN_ID = 2n ** 64n

export function parseSettings(network: Network): Settings {
  const read = reader(network)
  const settings: Settings = {
    chainId: chainIdOf(network),
    baseAsset: read.id('base_asset') ?? BASE_ASSET,
    watchdog: read.id('watchdog_contract'),
    oldWatchdogs: read.ids('old_watchdog_contracts'),
    // A payout costs some millionths of a coin; this is for the day when blocks are full.
    maxFee: read.coins('max_fee', '0.0005'),
    depositFee: read.coins('deposit_fee', '0.00001'),
    expiresAfter: BigInt(read.integer('expires_after_blocks', 600, 30, 100_000)),
    // A page of headers; blocks with transactions of people are read one by one.
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

/** "FUEL" as a number; wallets of the family count accounts in the next step. */
const COIN_TYPE = 1_179_993_420

export const TREASURY_KEY: KeyRef = { curve: 'secp256k1', path: `m/44'/${COIN_TYPE}'/0'/0/0` }

/** The accounts behind the treasury's own. */
export function depositKey(index: number): KeyRef {
  return { curve: 'secp256k1', path: `m/44'/${COIN_TYPE}'/${index + 1}'/0/0` }
}

function reader(network: Network) {
  const known = new Set<string>()
  const raw = (key: string): unknown => {
    known.add(key)
    return network.settings[key] ?? null
  }
  const wrong = (key: string, value: unknown, wanted: string) =>
    new Bug(`setting ${key} must be ${wanted}`, { network: network.name, value })
  const isId = (value: unknown): value is string => typeof value === 'string' && parseAddress(value) === value
  return {
    integer(key: string, fallback: number, least: number, most: number): number {
      const value = raw(key) ?? fallback
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value
      throw wrong(key, value, `an integer from ${least} to ${most}`)
    },
    coins(key: string, fallback: string): bigint {
      const value = raw(key) ?? fallback
      const units = typeof value === 'string' ? parseDecimal(value, BASE_DECIMALS) : null
      if (units !== null && units > 0n) return units
      throw wrong(key, value, 'whole coins in decimal text, above zero')
    },
    id(key: string): string | null {
      const value = raw(key)
      if (value === null || isId(value)) return value
      throw wrong(key, value, '0x and 64 lower-case hex digits')
    },
    ids(key: string): string[] {
      const value = raw(key) ?? []
      if (Array.isArray(value) && value.every(isId)) return value
      throw wrong(key, value, 'a list of 0x and 64 lower-case hex digits')
    },
    nothingElse(): void {
      const strange = Object.keys(network.settings).find((key) => !known.has(key))
      if (strange) throw wrong(strange, network.settings[strange], `one of ${[...known].join(', ')}`)
    },
  }
}
