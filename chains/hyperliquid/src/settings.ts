/** The `settings` of a Hyperliquid network's file, with defaults and clear errors. */
import {
  Bug,
  type Network,
  type SettingForm,
  type SettingsReader,
  settingsReader,
  type Token,
  tokenKey,
} from '@causeway/core'

export type HyperliquidChain = 'Mainnet' | 'Testnet'

export interface Settings {
  /**
   * The network's name, which is part of everything that is signed: a signature for one network is invalid on the
   * other.
   */
  chain: HyperliquidChain
  /** How each listed token is written in an action, by its key: `USDC:0x…`, the name and the 16 bytes of its id. */
  tokens: ReadonlyMap<string, TokenWire>
  /** The explorer that finds a transaction by its hash; null for none. */
  explorerUrl: string | null
  requestTimeoutMs: number
  /** The request weight that the scan may spend per minute; the network allows 1,200 per IP. */
  weightPerMinute: number
  /** The network's fee for an account that is paid for the first time, in units of the native token. */
  activationFee: bigint
  /** No payout is made while the network asks for more than this. */
  maxFee: bigint
  /** The treasury's minimum balance: the network forgets an empty account together with its used nonces. */
  floor: bigint
  /** The assumed fee of sweeping a deposit address. */
  sweepFee: bigint
  /**
   * Moments with more rows than a gateway shows, for which an operator confirms that no payout of ours is hidden there.
   */
  vouchedMoments: ReadonlySet<number>
}

export interface TokenWire {
  name: string
  /** The id in lower case. */
  id: string
  wire: string
}

/** Spot balances of USDC have eight decimals, those for perpetuals six. */
export const USDC_DECIMALS = 8
export const PERP_DECIMALS = 6
/** One unit of the perpetuals balance, in spot units. */
export const PERP_UNIT = 10n ** BigInt(USDC_DECIMALS - PERP_DECIMALS)

const USDC: Record<HyperliquidChain, string> = {
  Mainnet: 'USDC:0x6d1e7cde53ba9467b783cb7c530ce054',
  Testnet: 'USDC:0xeb62eee3685fc4c43992febcd9e75443',
}
const CHAINS: readonly HyperliquidChain[] = ['Mainnet', 'Testnet']
const CHAIN: SettingForm<HyperliquidChain> = {
  read: (text) => CHAINS.find((name) => name === text) ?? null,
  wanted: CHAINS.join(' or '),
}
const WEB_ADDRESS: SettingForm<string> = {
  read: (text) => (URL.canParse(text) ? text : null),
  wanted: 'an address of the web',
}
/** A moment in the form that the log prints. */
const MOMENT: SettingForm<number> = {
  read(text) {
    const time = Date.parse(text)
    return time > 0 && new Date(time).toISOString() === text ? time : null
  },
  wanted: 'a moment as the log writes it, "2026-01-31T10:00:00.000Z"',
}

export function parseSettings(network: Network): Settings {
  const read = settingsReader(network)
  const chain = read.needed('hyperliquid_chain', CHAIN)
  const usdc = (key: string, fallback: string) => read.coins(key, fallback, USDC_DECIMALS, 'USDC')
  const settings: Settings = {
    chain,
    tokens: tokensIn(network, read, USDC[chain]),
    explorerUrl: read.optional('explorer_url', WEB_ADDRESS),
    requestTimeoutMs: read.integer('request_timeout_ms', 10_000, 100, 60_000),
    weightPerMinute: read.integer('weight_per_minute', 900, 60, 10_000_000),
    activationFee: usdc('activation_fee', '1'),
    maxFee: usdc('max_fee', '2'),
    floor: usdc('treasury_floor', '5'),
    sweepFee: usdc('sweep_fee', '0.05'),
    vouchedMoments: new Set(read.list('vouched_moments', MOMENT, 'moments')),
  }
  read.nothingElse()
  const { nativeToken, name } = network
  if (nativeToken.decimals !== USDC_DECIMALS)
    throw new Bug(`USDC has ${USDC_DECIMALS} decimals here`, { network: name, decimals: nativeToken.decimals })
  if (settings.maxFee < settings.activationFee)
    throw new Bug('max_fee must not be below activation_fee', { network: name })
  return settings
}

export function wireOf({ tokens }: Settings, token: Pick<Token, 'contract'>): TokenWire {
  const wire = tokens.get(tokenKey(token))
  if (!wire) throw new Bug('the setting tokens does not name this token', { token: tokenKey(token) })
  return wire
}

function readWire(text: unknown): TokenWire | null {
  const [, name, id] = typeof text === 'string' ? (/^([A-Za-z0-9]{1,12}):(0x[0-9a-f]{32})$/.exec(text) ?? []) : []
  return name !== undefined && id !== undefined ? { name, id, wire: `${name}:${id}` } : null
}

function tokensIn(
  { tokens: listed }: Network,
  { record, wrong }: SettingsReader,
  usdc: string,
): Map<string, TokenWire> {
  const key = 'tokens'
  const given = new Map(Object.entries(record(key, 'by contract, "NAME:0x…"')))
  const tokens = new Map<string, TokenWire>()
  for (const token of listed) {
    const named = tokenKey(token)
    const text = given.get(named) ?? (token.contract === null ? usdc : undefined)
    const wire = readWire(text)
    if (!wire) throw wrong(key, text, `"NAME:0x…" with 16 bytes in lower case, for ${named}`)
    const isTwice = [...tokens.values()].some(({ id, name }) => id === wire.id || name === wire.name)
    if (isTwice) throw wrong(key, text, 'another name and another id for each token')
    tokens.set(named, wire)
    given.delete(named)
  }
  const [strange] = given.keys()
  if (strange !== undefined) throw wrong(key, strange, 'about listed tokens only')
  return tokens
}
