/** The pure logic of the swap page: the next step, token search, and the maximum amount. */
import type { RouteNetwork, RouteToken } from '@causeway/sdk/light'
import { swap as text } from '../../text/en.ts'

export interface Choice {
  network: RouteNetwork
  token: RouteToken
}

/** `NET:TOKEN`, as in links. Uses the contract if there is one, since symbols are labels. */
export function keyOf({ network, token }: Choice): string {
  return `${network.name}:${token.contract ?? token.symbol}`
}

export function findChoice(networks: readonly RouteNetwork[], key: string | null): Choice | null {
  if (!key) return null
  const at = key.indexOf(':')
  const [name, wanted] = [key.slice(0, at), key.slice(at + 1).toLowerCase()]
  const network = networks.find((entry) => entry.name === name || entry.chain_id === name)
  const token = network?.tokens.find(
    ({ contract, symbol }) => contract?.toLowerCase() === wanted || symbol.toLowerCase() === wanted,
  )
  return network && token ? { network, token } : null
}

export interface Found extends Choice {
  key: string
}

/** Tokens that match every word of the search; recent and starred ones first, then by rank. */
export function searchTokens(
  networks: readonly RouteNetwork[],
  search: string,
  only: string | null,
  first: readonly string[],
  side: 'source' | 'destination',
): Found[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const rank = `${side}_rank` as const
  const all = networks
    .filter(({ name }) => only === null || name === only)
    .flatMap((network) => network.tokens.map((token) => ({ network, token, key: keyOf({ network, token }) })))
  const place = (key: string) => (first.includes(key) ? first.indexOf(key) : first.length)
  const isOpen = ({ token }: Found) => (token.status === 'active' ? 0 : 1)
  // An exact symbol match comes first.
  const isMeant = ({ token }: Found) => (words.includes(token.symbol.toLowerCase()) ? 0 : 1)
  return all
    .filter((entry) => words.every((word) => haystack(entry).includes(word)))
    .sort(
      (a, b) =>
        isOpen(a) - isOpen(b) ||
        isMeant(a) - isMeant(b) ||
        place(a.key) - place(b.key) ||
        a.network[rank] - b.network[rank] ||
        a.token[rank] - b.token[rank],
    )
}

export interface Group {
  name: 'inWallet' | 'recent' | 'allTokens'
  entries: Found[]
}

/** What the wallet holds comes first, the most valuable on top; then recent ones, then the rest. Empty groups are left out. */
export function groupsOf(
  found: readonly Found[],
  held: Readonly<Record<string, { usd: number }>>,
  recent: readonly string[],
): Group[] {
  const worth = ({ key }: Found) => held[key]?.usd ?? 0
  const isHeld = (entry: Found) => held[entry.key] !== undefined && entry.token.status === 'active'
  const isRecent = (entry: Found) => !isHeld(entry) && recent.includes(entry.key)
  const groups: Group[] = [
    { name: 'inWallet', entries: found.filter(isHeld).sort((a, b) => worth(b) - worth(a)) },
    { name: 'recent', entries: found.filter(isRecent) },
    { name: 'allTokens', entries: found.filter((entry) => !isHeld(entry) && !isRecent(entry)) },
  ]
  return groups.filter(({ entries }) => entries.length > 0)
}

const MOST_POPULAR = 5

/** One entry per symbol: first those on most networks, then by rank. */
export function popularOf(
  networks: readonly RouteNetwork[],
  side: 'source' | 'destination',
): { symbol: string; logo: string }[] {
  const open = networks.flatMap((network) =>
    network.tokens
      .filter(({ status }) => status === 'active')
      .map((token) => ({ token, rank: network[`${side}_rank`] + token[`${side}_rank`] })),
  )
  const bySymbol = Map.groupBy(open, ({ token }) => token.symbol)
  return [...bySymbol]
    .map(([symbol, all]) => ({
      symbol,
      logo: all[0]?.token.logo ?? '',
      count: all.length,
      rank: Math.min(...all.map(({ rank }) => rank)),
    }))
    .sort((a, b) => b.count - a.count || a.rank - b.rank)
    .slice(0, MOST_POPULAR)
}

/** Full names of well-known assets: the service knows symbols only. */
const NAMES: Record<string, string> = {
  ETH: 'Ether',
  BTC: 'Bitcoin',
  USDC: 'USD Coin',
  USDT: 'Tether',
  DAI: 'Dai',
  SOL: 'Solana',
  TON: 'Toncoin',
  TRX: 'TRON',
  OSMO: 'Osmosis',
  ATOM: 'Cosmos Hub',
  STRK: 'Starknet',
  POL: 'Polygon',
  BNB: 'BNB',
  AVAX: 'Avalanche',
  WBTC: 'Wrapped Bitcoin',
  WETH: 'Wrapped Ether',
  HYPE: 'Hyperliquid',
  EURC: 'Euro Coin',
  ARB: 'Arbitrum',
  OP: 'Optimism',
  LINK: 'Chainlink',
  UNI: 'Uniswap',
  IMX: 'Immutable',
  ZK: 'ZKsync',
  FUEL: 'Fuel',
}

export function nameOf({ symbol, display_asset: asset }: Pick<RouteToken, 'symbol' | 'display_asset'>): string {
  return NAMES[symbol] ?? NAMES[asset] ?? asset
}

function haystack({ network, token }: Choice): string {
  const parts = [
    network.display_name,
    network.name,
    network.chain_id,
    token.symbol,
    token.display_asset,
    nameOf(token),
    token.contract,
  ]
  return parts.join(' ').toLowerCase()
}

export interface FormState {
  hasFrom: boolean
  hasTo: boolean
  hasAmount: boolean
  recipient: 'empty' | 'asking' | 'ok' | 'bad'
  isRefundBad: boolean
  isPriced: boolean
  isBlocked: boolean
  /** The label if the amount is outside the limits. */
  limit: string | null
}

/** The button's label, and whether it does something. */
export function nextStep(form: FormState): { label: string; isReady: boolean } {
  if (!form.hasFrom || !form.hasTo) return { label: text.selectToken, isReady: true }
  const recipients = { empty: text.enterRecipient, asking: text.checkingAddress, bad: text.checkAddress, ok: null }
  const missing = [
    form.hasAmount ? null : text.enterAmount,
    form.limit,
    recipients[form.recipient],
    form.isRefundBad ? text.checkRefund : null,
    form.isPriced || form.isBlocked ? null : text.gettingPrice,
  ]
  const first = missing.find((label) => label !== null)
  return first ? { label: first, isReady: false } : { label: text.review, isReady: !form.isBlocked }
}

/** Reserves one and a half times the transfer cost, because fees move before the user confirms. */
export function mostOf(balance: bigint, cost: bigint, limit: bigint | null): bigint {
  const free = balance - (cost * 3n) / 2n
  const most = limit !== null && limit < free ? limit : free
  return most > 0n ? most : 0n
}

/** Worse than reviewed by more than 0.1 %. */
export function hasMoved(before: number, now: number): boolean {
  return now < before * 0.999
}

/** How a swap is paid: by a wallet's transaction, a signature alone, the Depository, or a deposit address. */
export type Method = 'wallet' | 'gasless' | 'depository' | 'deposit_address'

export function flagsOf(method: Method) {
  return {
    use_deposit_address: method === 'deposit_address',
    use_depository: method === 'depository',
    use_gasless: method === 'gasless',
  }
}

/** The methods to offer. Gasless needs a connected wallet that can sign. */
export function methodsOf({ network, token }: Choice, signs: boolean): Method[] {
  if (!network.deposit_methods.includes('wallet')) return [...network.deposit_methods]
  const rest = network.deposit_methods.filter((name) => name !== 'wallet')
  return ['wallet', ...(signs && token.supports_gasless_deposit ? ['gasless' as const] : []), 'depository', ...rest]
}
