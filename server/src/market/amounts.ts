/** Amounts for people: with their symbol, and in dollars if there is a price. */
import { type Catalogue, formatDecimal, type Token, toUsd } from '@causeway/core'
import type { Market } from './market.ts'

export interface Shown {
  network: string
  amount: string
  /** The amount in base units. */
  units: string
  symbol: string
  usd: number | null
}

export interface Amounts {
  /** Dollars; null if the token is no longer listed or has no price now. */
  worth(network: string, key: string, units: bigint): number | null
  shown(network: string, key: string, units: bigint): Shown
  /** Amount, symbol and dollars as one text. */
  written(network: string, key: string, units: bigint): string
}

const USD_FORMAT = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', signDisplay: 'negative' })

export const formatUsd = (usd: number): string => USD_FORMAT.format(usd)

interface Sources {
  catalogue: Pick<Catalogue, 'token'>
  market: Pick<Market, 'price'>
}

export function amountsOf({ catalogue, market }: Sources): Amounts {
  const known = (network: string, key: string): Token | null => {
    try {
      return catalogue.token(network, key)
    } catch {
      return null
    }
  }
  const worthOf = (token: Token | null, units: bigint): number | null => {
    const price = token && market.price(token)
    if (!token || !price) return null
    const usd = Number(toUsd(units < 0n ? -units : units, token, price, 'up')) / 1e18
    return units < 0n ? -usd : usd
  }
  const shown = (network: string, key: string, units: bigint): Shown => {
    const token = known(network, key)
    const size = units < 0n ? -units : units
    return {
      network,
      amount: token ? `${units < 0n ? '-' : ''}${formatDecimal(size, token.decimals)}` : `${units}`,
      units: `${units}`,
      symbol: token?.symbol ?? key,
      usd: worthOf(token, units),
    }
  }
  return {
    worth: (network, key, units) => worthOf(known(network, key), units),
    shown,
    written(network, key, units) {
      const { amount, symbol, usd } = shown(network, key, units)
      return `${amount} ${symbol}${usd === null ? '' : ` (${formatUsd(usd)})`}`
    },
  }
}
