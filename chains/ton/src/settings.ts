/** What a TON network's file may say under `settings`, with the defaults and a clear word about what is wrong. */
import { createHash } from 'node:crypto'
import { type Address, Bug, type Network, parseDecimal } from '@causeway/core'
import { Cell } from '@ton/core'
import { namingFor } from './address.ts'

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
  /** The number of the treasury's contract: what is signed for one is good for no other, on this network or another. */
  subwalletId: number
  /** How the wallets of a jetton are found without asking anybody, by its master. */
  jettons: ReadonlyMap<Address, JettonPin>
}

/** The wallet's code and how it keeps its first data (`classic`: as in TEP-74's reference, `governed`: as USDT does), or our wallet itself. */
export type JettonPin = { code: Cell; layout: JettonLayout } | { wallet: Address }
export type JettonLayout = (typeof LAYOUTS)[number]

const LAYOUTS = ['classic', 'governed'] as const
/** The public main network, by its zero state. */
export const MAIN_ZERO_STATE = 'F6OpKZKqvqeFp6CQmFomXNMfMj2EnaUSOXN+Mh+wVWk='
/** Not the number of any ordinary wallet of the same key; the contract's authors recommend this one. Money lies there. */
const MAIN_SUBWALLET_ID = 0x10ad
const MOST_SUBWALLET_ID = 0xffffffff

const TON_DECIMALS = 9

export function parseSettings(network: Network): Settings {
  const read = reader(network)
  const zeroState = read.hash('zero_state')
  const settings: Settings = {
    zeroState,
    testnet: read.boolean('testnet', false),
    requestTimeoutMs: read.integer('request_timeout_ms', 10_000, 100, 60_000),
    requestsPerSecond: read.integer('requests_per_second', 0, 0, 1_000),
    jettonValue: read.ton('jetton_value', '0.1'),
    nativeFee: read.ton('native_fee', '0.006'),
    jettonFee: read.ton('jetton_fee', '0.045'),
    subwalletId: read.integer('subwallet_id', subwalletOf(zeroState), 0, MOST_SUBWALLET_ID),
    jettons: read.jettons('jettons'),
  }
  read.nothingElse()
  return settings
}

/** A message names no network: the same number on two of them would make what is signed for one good on the other. */
function subwalletOf(zeroState: string): number {
  if (zeroState === MAIN_ZERO_STATE) return MAIN_SUBWALLET_ID
  return createHash('sha256').update(`causeway ${zeroState}`).digest().readUInt32BE()
}

const naming = namingFor({ testnet: true })

function pinOf(raw: unknown): JettonPin | null {
  if (typeof raw !== 'object' || raw === null) return null
  const { code, layout, wallet, ...more } = raw as Record<string, unknown>
  if (Object.keys(more).length > 0) return null
  if (typeof wallet === 'string' && code === undefined && layout === undefined) {
    const address = naming.parseAddress(wallet)
    return address === null ? null : { wallet: address }
  }
  const known = LAYOUTS.find((name) => name === layout)
  return known && typeof code === 'string' && wallet === undefined ? { code: Cell.fromHex(code), layout: known } : null
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
    jettons(key: string): Map<Address, JettonPin> {
      const value = raw(key, {})
      const wanted = 'by master { "code": hex, "layout": "classic" or "governed" } or { "wallet": address }'
      if (typeof value !== 'object' || value === null) throw wrong(key, value, wanted)
      const pins = new Map<Address, JettonPin>()
      for (const [text, entry] of Object.entries(value)) {
        const master = naming.parseAddress(text)
        const pin = pinOf(entry)
        if (master === null || pin === null) throw wrong(key, { [text]: entry }, wanted)
        pins.set(master, pin)
      }
      return pins
    },
    nothingElse(): void {
      const unknown = Object.keys(network.settings).find((key) => !known.has(key))
      if (unknown !== undefined) throw new Bug(`setting ${unknown} is unknown here`, { network: network.name })
    },
  }
}
