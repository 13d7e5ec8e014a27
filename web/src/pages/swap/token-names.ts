/** Full names of tokens, for the picker and its search. */
import type { RouteToken } from '@causeway/sdk/light'

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
