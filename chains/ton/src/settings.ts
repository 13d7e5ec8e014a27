/** What a TON network's file may say under `settings`, with the defaults and a clear word about what is wrong. */
import { Bug, type Network, parseDecimal } from '@causeway/core'

export interface Settings {
  /** Root hash of the masterchain's zero state in base64: by this a node is known to be on the right network. */
  zeroState: string
  /** True where friendly addresses with the testnet flag are welcome. */
  testnet: boolean
  requestTimeoutMs: number
  /** Zero where the node counts nothing: the public ones allow one a second without a key, ten with one. */
  requestsPerSecond: number
  /** Sent along with each jetton payout for its fees; what is left comes back. */
  jettonValue: bigint
  /** What a payout is taken to cost; see README for how that was measured. */
  nativeFee: bigint
  jettonFee: bigint
}

const TON_DECIMALS = 9

export function parseSettings(network: Network): Settings {
  const read = reader(network)
  const settings: Settings = {
    zeroState: read.hash('zero_state'),
    testnet: read.boolean('testnet', false),
    requestTimeoutMs: read.integer('request_timeout_ms', 10_000, 100, 60_000),
    requestsPerSecond: read.integer('requests_per_second', 0, 0, 1_000),
    jettonValue: read.ton('jetton_value', '0.1'),
    nativeFee: read.ton('native_fee', '0.006'),
    jettonFee: read.ton('jetton_fee', '0.045'),
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
  return {
    integer(key: string, fallback: number, least: number, most: number): number {
      const value = raw(key, fallback)
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value
      throw wrong(key, value, `a whole number from ${least} to ${most}`)
    },
    boolean(key: string, fallback: boolean): boolean {
      const value = raw(key, fallback)
      if (typeof value === 'boolean') return value
      throw wrong(key, value, 'true or false')
    },
    ton(key: string, fallback: string): bigint {
      const value = raw(key, fallback)
      const units = typeof value === 'string' ? parseDecimal(value, TON_DECIMALS) : null
      if (units !== null && units > 0n) return units
      throw wrong(key, value, 'whole TON in decimal text, above zero')
    },
    hash(key: string): string {
      const value = raw(key, undefined)
      if (typeof value === 'string' && /^[A-Za-z0-9+/]{43}=$/.test(value)) return value
      throw wrong(key, value, '32 bytes in base64')
    },
    nothingElse(): void {
      const unknown = Object.keys(network.settings).find((key) => !known.has(key))
      if (unknown !== undefined) throw new Bug(`setting ${unknown} is unknown here`, { network: network.name })
    },
  }
}
