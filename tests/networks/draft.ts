/**
 * Drafts a network file from the packages' data of a chain. Unknown values (final depth, fee model on Orbit and zkSync,
 * gas ceilings) come from options with careful defaults, and need a review.
 */
import type { Chain } from 'viem'
import type { FeeModelName } from '../../chains/evm/src/paying/feemodels/index.ts'
import { type Books, type BookToken, sameAddress, sameSymbol } from './books.ts'
import { modelOf } from './check.ts'
import type { NetworkFile } from './files.ts'

/**
 * The waiting time of a deposit, in seconds per tier, the time until a block is final, and the minimum numbers of
 * blocks.
 */
export const FINALITIES = {
  /** A sequencer's promise, which is more reliable the older it is. */
  sequencer: { seconds: [10, 60, 240], final: 600, least: [5, 30, 120, 300] },
  /**
   * Validators sign each block at once or soon after: two blocks are enough, and the rest is a margin for lagging
   * nodes.
   */
  bft: { seconds: [2, 6, 12], final: 24, least: [2, 6, 12, 24] },
  /** Blocks that can still be reorganised for minutes, as on Ethereum and chains that follow it. */
  slow: { seconds: [36, 144, 768], final: 900, least: [3, 12, 64, 64] },
} as const

export interface DraftOptions {
  name: string
  feeModel: FeeModelName | null
  finality: keyof typeof FINALITIES
  /** Used if `viem/chains` has no value. */
  blockSeconds: number
  maxFeeGwei: number
  maxTipGwei: number
  rank: number
  date: string
}

/** A larger number is more than a node or the watcher should remember. */
const MOST_BLOCKS = 1_200
/** Above this, scanning every block is as cheap as asking for balances. */
const QUICK_SECONDS = 5
const TIERS_USD = [1_000, 10_000, null]
const STANDARD_MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11'

interface Wanted {
  symbol: string
  /** The name under which it is priced. */
  group: string
  /** Used only if Aave lends it: tokens accepted as collateral are in use, while bridges create hundreds of others. */
  lent?: true
}

const WANTED: Wanted[] = [
  { symbol: 'USDC', group: 'USDC' },
  { symbol: 'USDT', group: 'USDT' },
  { symbol: 'WETH', group: 'ETH', lent: true },
  { symbol: 'WBTC', group: 'WBTC', lent: true },
  { symbol: 'cbBTC', group: 'CBBTC', lent: true },
  { symbol: 'BTCB', group: 'BTCB', lent: true },
  { symbol: 'BTC.b', group: 'BTC.B', lent: true },
  { symbol: 'wstETH', group: 'WSTETH', lent: true },
  { symbol: 'weETH', group: 'WEETH', lent: true },
  { symbol: 'cbETH', group: 'CBETH', lent: true },
]
const LENDER = '@bgd-labs/aave-address-book'
/** Native coins with the price of another token. */
const GROUPS: Record<string, string> = { XDAI: 'DAI' }

export function draft(chain: Chain, books: Books, options: DraftOptions): { file: NetworkFile; doubts: string[] } {
  const { symbol, decimals } = chain.nativeCurrency
  const native = symbol.replace(/^(t|S-|A-)(?=[A-Z]{2,})/, '').toUpperCase()
  const blockSeconds = chain.blockTime ? chain.blockTime / 1000 : options.blockSeconds
  const { doubts, tokens } = tokensOf(chain, books, native)
  const multicall = chain.contracts?.multicall3
  const explorer = chain.blockExplorers?.default.url.replace(/\/$/, '')
  if (!explorer) doubts.push('no explorer is known: both templates are invented')
  const { date, rank } = options
  const ranked = (place: number) => ({ listing_date: date, source_rank: place, destination_rank: place })
  const nativeToken = { symbol: native, contract: null, decimals, group: GROUPS[native] ?? native }
  const file: NetworkFile = {
    name: options.name,
    display_name: chain.name.replace(/ Mainnet$/, ''),
    type: 'evm',
    chain_id: String(chain.id),
    nodes: chain.rpcUrls.default.http.map((url) => url.replace(/\/$/, '')),
    transaction_explorer: `${explorer ?? 'https://explorer.invalid'}/tx/{0}`,
    account_explorer: `${explorer ?? 'https://explorer.invalid'}/address/{0}`,
    ...ranked(rank),
    ...depthsOf(options.finality, blockSeconds),
    poll_ms: Math.min(3_000, Math.max(1_000, 500 * Math.round(blockSeconds * 2))),
    block_seconds: blockSeconds,
    tokens: [nativeToken, ...tokens].map((token, index) => ({
      symbol: token.symbol,
      display_asset: token.symbol,
      contract: token.contract,
      decimals: token.decimals,
      precision: Math.min(8, token.decimals),
      group: token.group,
      ...ranked(index + 1),
      listed: true,
      ...('confirmed_by' in token ? { confirmed_by: token.confirmed_by } : {}),
    })),
    settings: {
      fee_model: options.feeModel ?? modelOf(chain.contracts ?? {}) ?? 'plain',
      ...(blockSeconds < QUICK_SECONDS ? { native_scan: 'balances' } : {}),
      max_fee_gwei: options.maxFeeGwei,
      max_tip_gwei: options.maxTipGwei,
      ...(multicall && 'address' in multicall && !sameAddress(String(multicall.address), STANDARD_MULTICALL)
        ? { multicall: String(multicall.address) }
        : {}),
    },
  }
  return { file, doubts }
}

function depthsOf(finality: keyof typeof FINALITIES, blockSeconds: number) {
  const { seconds, final, least } = FINALITIES[finality]
  const blocks = (wanted: number, fewest: number) =>
    Math.min(MOST_BLOCKS, Math.max(fewest, Math.ceil(wanted / blockSeconds)))
  return {
    confirmations: TIERS_USD.map((usd, tier) => ({
      up_to_usd: usd,
      confirmations: blocks(seconds[tier] ?? final, least[tier] ?? 1),
    })),
    final_depth: blocks(final, least[3]),
  }
}

interface DraftedToken {
  symbol: string
  contract: string
  decimals: number
  group: string
  confirmed_by: string[]
}

function tokensOf(chain: Chain, books: Books, native: string): { tokens: DraftedToken[]; doubts: string[] } {
  const doubts: string[] = []
  const tokens = WANTED.flatMap(({ symbol, group, lent }) => {
    // The wrapped token is the native coin again.
    if (symbol === `W${native}`) return []
    const entries = books.tokens(chain.id).filter((entry) => sameSymbol(entry.symbol, symbol))
    const address = chosen(lent ? entries.filter(({ source }) => source === LENDER) : entries)
    if (!lent && entries.length > 0 && !address) doubts.push(`${symbol} has several addresses: none is listed`)
    const same = entries.filter((entry) => address && sameAddress(entry.address, address))
    const [first] = same
    if (!first) return []
    const confirmed = [...new Set(same.map(({ source }) => source))]
    return [{ symbol, contract: first.address, decimals: first.decimals, group, confirmed_by: confirmed }]
  })
  return { tokens, doubts }
}

/** The address that most packages list; of two Tether dollars, the one that is issued on many chains. */
function chosen(entries: readonly BookToken[]): string | null {
  const byAddress = Map.groupBy(entries, ({ address }) => address.toLowerCase())
  const ranked = [...byAddress].sort(([, a], [, b]) => worth(b) - worth(a))
  const [best, second] = ranked
  if (!best || (second && worth(second[1]) === worth(best[1]))) return null
  return best[0]
}

function worth(entries: readonly BookToken[]): number {
  return entries.length + (entries.some(({ symbol }) => /0$/.test(symbol)) ? 0.5 : 0)
}
