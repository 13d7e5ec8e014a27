/** What a Tron network's file may say under `settings`, with the defaults and a clear word about what is wrong. */
import { type Address, Bug, type Network, parseDecimal } from '@causeway/core'
import { parseAddress } from './address.ts'

export interface Settings {
  /** The id of block 0: by this a node is known to be on the right network. Networks of this family answer alike else. */
  genesis: string
  requestTimeoutMs: number
  /** Blocks read in one scan at most; a busy one is half a megabyte. */
  scanBlocks: number
  /** How long what is signed can land, by the chain's clock. */
  expirationMs: number
  /** A node whose newest block is older is not asked. */
  maxLagMs: number
  /** One whose newest block is later than our own clock by more is not asked either: what it dates neither lands nor dies. */
  maxLeadMs: number
  /** The most energy of one payment, or of emptying one address, may cost; above it payouts wait. All of it can burn. */
  maxFeeLimit: bigint
  /** The most that anything may cost beside energy: its bytes, and a recipient's new account. */
  maxFlatFee: bigint
  /** What a token takes that goes to somebody who has none of it. */
  tokenEnergy: bigint
  /** What emptying one deposit address takes for the first time. */
  sweepEnergy: bigint
  /** Added to a trial: popular contracts get dearer between trial and block. */
  energyMarginPercent: bigint
  /** Coins below it are no deposit: whoever was ever seen on this chain is sent such. */
  dust: bigint
  /** What empties deposit addresses. They follow from it: it may never change. Null: there are none. */
  factory: Address | null
  depository: Address | null
  /** Who may pause one that we make and change its receivers; null: the treasury. */
  depositoryOwner: Address | null
  /** The most energy of making a contract of ours may cost. */
  makingFeeLimit: bigint
  /** Those of earlier days: what still comes through them counts. */
  oldDepositories: Address[]
  /** Ids of blocks whose transactions an operator vouches for, because nodes do not show them as their root says. */
  unprovenBlocks: ReadonlySet<string>
}

const TRX_DECIMALS = 6
/** The public main network, by its genesis block. */
export const MAIN_GENESIS = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc'

export function parseSettings(network: Network): Settings {
  const read = reader(network)
  const settings: Settings = {
    genesis: read.id('genesis'),
    requestTimeoutMs: read.integer('request_timeout_ms', 10_000, 100, 60_000),
    scanBlocks: read.integer('scan_blocks', 10, 1, 100),
    expirationMs: read.integer('expiration_seconds', 180, 60, 3_600) * 1_000,
    maxLagMs: read.integer('max_lag_seconds', 60, 10, 3_600) * 1_000,
    maxLeadMs: read.integer('max_lead_seconds', 60, 10, 1_000_000) * 1_000,
    maxFeeLimit: read.trx('max_fee_limit', '60'),
    maxFlatFee: read.trx('max_flat_fee', '8'),
    tokenEnergy: BigInt(read.integer('token_energy', 131_000, 10_000, 10_000_000)),
    sweepEnergy: BigInt(read.integer('sweep_energy', 260_000, 10_000, 10_000_000)),
    energyMarginPercent: BigInt(read.integer('energy_margin_percent', 30, 0, 300)),
    dust: read.trx('dust', '0.001'),
    factory: read.address('forwarder_factory'),
    depository: read.address('depository'),
    depositoryOwner: read.address('depository_owner'),
    makingFeeLimit: read.trx('making_fee_limit', '200'),
    oldDepositories: read.addresses('old_depositories'),
    unprovenBlocks: new Set(read.ids('unproven_blocks')),
  }
  read.nothingElse()
  return settings
}

function reader(network: Network) {
  const known = new Set<string>()
  const raw = (key: string, fallback: unknown): unknown => {
    known.add(key)
    return network.settings[key] ?? fallback
  }
  const wrong = (key: string, value: unknown, wanted: string) =>
    new Bug(`setting ${key} must be ${wanted}`, { network: network.name, value })
  const addressIn = (key: string, value: unknown): Address => {
    const address = typeof value === 'string' ? parseAddress(value) : null
    if (address !== null) return address
    throw wrong(key, value, 'an address')
  }
  const listIn = (key: string, wanted: string): unknown[] => {
    const value = raw(key, [])
    if (Array.isArray(value)) return value
    throw wrong(key, value, wanted)
  }
  const idIn = (key: string, value: unknown): string => {
    if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return value
    throw wrong(key, value, "a block's id, 64 digits of lower-case hex")
  }
  return {
    integer(key: string, fallback: number, least: number, most: number): number {
      const value = raw(key, fallback)
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value
      throw wrong(key, value, `a whole number from ${least} to ${most}`)
    },
    trx(key: string, fallback: string): bigint {
      const value = raw(key, fallback)
      const units = typeof value === 'string' ? parseDecimal(value, TRX_DECIMALS) : null
      if (units !== null && units > 0n) return units
      throw wrong(key, value, 'whole TRX in decimal text, above zero')
    },
    id: (key: string): string => idIn(key, raw(key, undefined)),
    ids: (key: string): string[] => listIn(key, "a list of blocks' ids").map((value) => idIn(key, value)),
    address(key: string): Address | null {
      const value = raw(key, null)
      return value === null ? null : addressIn(key, value)
    },
    addresses: (key: string): Address[] => listIn(key, 'a list of addresses').map((value) => addressIn(key, value)),
    nothingElse(): void {
      const strange = Object.keys(network.settings).find((key) => !known.has(key))
      if (strange) throw wrong(strange, network.settings[strange], `one of ${[...known].join(', ')}`)
    },
  }
}
