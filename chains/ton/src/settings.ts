/** The `settings` of a TON network's file, with defaults and clear errors. */
import { createHash } from 'node:crypto'
import { type Address, type Network, type SettingsReader, settingsReader, textForm } from '@causeway/core'
import { Cell } from '@ton/core'
import { namingFor } from './address.ts'

export interface Settings {
  /** Root hash of the masterchain's zero state in base64: it identifies the network. */
  zeroState: string
  /** True if friendly addresses with the testnet flag are accepted. */
  testnet: boolean
  requestTimeoutMs: number
  /**
   * Requests per second; zero if the node has no limit. Public nodes allow one per second without a key, ten with one.
   */
  requestsPerSecond: number
  /**
   * A node whose clock is ahead of ours by more is not used for drafts: a message with its date is neither accepted nor
   * expired.
   */
  maxLeadSeconds: number
  /** Value attached to each jetton payout for its fees; the rest is returned. */
  jettonValue: bigint
  /** The assumed cost of a payout; the README says how it was measured. */
  nativeFee: bigint
  jettonFee: bigint
  /**
   * The subwallet number of the treasury's contract: a signature for one is invalid for any other, on this network or
   * another.
   */
  subwalletId: number
  /** How the wallets of a jetton are derived without a request, by its master. */
  jettons: ReadonlyMap<Address, JettonPin>
}

/**
 * The wallet's code and the layout of its initial data (`classic`: TEP-74's reference, `governed`: USDT's), or our
 * wallet itself.
 */
export type JettonPin = { code: Cell; layout: JettonLayout } | { wallet: Address }
export type JettonLayout = (typeof LAYOUTS)[number]

const LAYOUTS = ['classic', 'governed'] as const
/** The zero state of the public mainnet. */
export const MAIN_ZERO_STATE = 'F6OpKZKqvqeFp6CQmFomXNMfMj2EnaUSOXN+Mh+wVWk='
/**
 * The mainnet's subwallet number. No ordinary wallet of the same key has it; the contract's authors recommend it. It
 * holds money: never change it.
 */
const MAIN_SUBWALLET_ID = 0x10ad
const MOST_SUBWALLET_ID = 0xffffffff

const TON_DECIMALS = 9
const HASH = textForm(/^[A-Za-z0-9+/]{43}=$/, '32 bytes in base64')

export function parseSettings(network: Network): Settings {
  const read = settingsReader(network)
  const zeroState = read.needed('zero_state', HASH)
  const ton = (key: string, fallback: string) => read.coins(key, fallback, TON_DECIMALS, 'TON')
  const settings: Settings = {
    zeroState,
    testnet: read.boolean('testnet', false),
    requestTimeoutMs: read.integer('request_timeout_ms', 10_000, 100, 60_000),
    requestsPerSecond: read.integer('requests_per_second', 0, 0, 1_000),
    maxLeadSeconds: read.integer('max_lead_seconds', 60, 10, 1_000_000),
    jettonValue: ton('jetton_value', '0.1'),
    nativeFee: ton('native_fee', '0.006'),
    jettonFee: ton('jetton_fee', '0.045'),
    subwalletId: read.integer('subwallet_id', subwalletOf(zeroState), 0, MOST_SUBWALLET_ID),
    jettons: jettonsIn(read),
  }
  read.nothingElse()
  return settings
}

/**
 * The subwallet number of a network. A message names no network: with the same number on two networks, a signature for
 * one would be valid on the other.
 */
function subwalletOf(zeroState: string): number {
  if (zeroState === MAIN_ZERO_STATE) return MAIN_SUBWALLET_ID
  return createHash('sha256').update(`causeway ${zeroState}`).digest().readUInt32BE()
}

const naming = namingFor({ testnet: true })

function jettonsIn({ record, wrong }: SettingsReader): Map<Address, JettonPin> {
  const wanted = 'by master { "code": hex, "layout": "classic" or "governed" } or { "wallet": address }'
  const pins = new Map<Address, JettonPin>()
  for (const [text, entry] of Object.entries(record('jettons', wanted))) {
    const master = naming.parseAddress(text)
    const pin = pinOf(entry)
    if (master === null || pin === null) throw wrong('jettons', { [text]: entry }, wanted)
    pins.set(master, pin)
  }
  return pins
}

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
