/** The gas offer of a transaction: read from the newest block, put into a draft, and bounded by the network's file. */
import { Bug, FeeAboveLimit, mulDiv, type PreparedTransfer, RetryLater } from '@causeway/core'
import type { StarknetChain } from '../chain.ts'
import type { Header } from '../node/calls.ts'
import type { Settings } from '../settings.ts'
import type { Bounds, Invoke } from '../transaction.ts'
import { ceilingOf, note } from './price-history.ts'

export interface Terms {
  /** The account's next nonce by the chain's newest block. */
  nonce: bigint
  l2Gas: bigint
  l2Price: bigint
  dataGas: bigint
  dataPrice: bigint
  /** The price of L1 gas, which is not used, but a price is required. */
  l1Price: bigint
}

const FIELDS = ['nonce', 'l2Gas', 'l2Price', 'dataGas', 'dataPrice', 'l1Price'] as const

export function formatTerms(terms: Terms): PreparedTransfer {
  return JSON.stringify(Object.fromEntries(FIELDS.map((name) => [name, terms[name].toString()])))
}

export function parseTerms(draft: PreparedTransfer): Terms {
  const raw: Record<string, unknown> = JSON.parse(draft)
  const read = (name: string): bigint => {
    const value = raw[name]
    if (typeof value === 'string' && /^(0|[1-9]\d{0,37})$/.test(value)) return BigInt(value)
    throw new Bug('not a draft of this family', { name })
  }
  const [nonce, l2Gas, l2Price, dataGas, dataPrice, l1Price] = FIELDS.map(read) as [
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
  ]
  return { nonce, l2Gas, l2Price, dataGas, dataPrice, l1Price }
}

export function boundsOf({ l2Gas, l2Price, dataGas, dataPrice, l1Price }: Terms): Bounds {
  return {
    l1Gas: { amount: 0n, price: l1Price },
    l1DataGas: { amount: dataGas, price: dataPrice },
    l2Gas: { amount: l2Gas, price: l2Price },
  }
}

/** The usual gas of a transaction with this many payments. */
export function usualGas(settings: Settings, payments: bigint): Pick<Terms, 'l2Gas' | 'dataGas'> {
  const { baseL2Gas, transferL2Gas, baseDataGas, transferDataGas } = settings
  return { l2Gas: baseL2Gas + payments * transferL2Gas, dataGas: baseDataGas + payments * transferDataGas }
}

/** The most that a simulation may exceed the usual gas: beyond this multiple something is wrong. */
const MOST_TIMES = 3n

export function mostGas(settings: Settings, payments: bigint): Pick<Terms, 'l2Gas' | 'dataGas'> {
  const { l2Gas, dataGas } = usualGas(settings, payments)
  return { l2Gas: l2Gas * MOST_TIMES, dataGas: dataGas * MOST_TIMES }
}

type Prices = Pick<Terms, 'l2Price' | 'dataPrice' | 'l1Price'>

/**
 * The offered prices: half more than the current ones. The price moves by at most a forty-eighth per block, so that is
 * enough for some minutes.
 */
export function pricesNow(chain: StarknetChain, { prices }: Header, now = Date.now()): Prices {
  const { settings } = chain
  const most = ceilingOf(chain.prices, settings.maxL2Price, settings.maxFeeMultiple, now)
  note(chain.prices, prices.l2Gas, now)
  // The message has no numbers, because they change: equal texts alert only once.
  if (prices.l2Gas > settings.maxL2Price || prices.l1DataGas > settings.maxDataPrice) {
    throw new FeeAboveLimit('gas is above the ceiling of the network file')
  }
  if (prices.l2Gas > most) {
    throw new FeeAboveLimit(
      `gas costs more than ${settings.maxFeeMultiple} times what it usually did in the last half hour`,
    )
  }
  return {
    l2Price: smaller(half(prices.l2Gas), settings.maxL2Price),
    dataPrice: smaller(half(prices.l1DataGas), settings.maxDataPrice),
    l1Price: half(prices.l1Gas),
  }
}

/** The prices of a replacement: a sequencer demands a tenth more; an eighth avoids rounding problems. */
export function pricesAbove(settings: Settings, { bounds }: Invoke, today: Prices): Prices {
  const raised = {
    l2Price: larger(today.l2Price, eighthMore(bounds.l2Gas.price)),
    dataPrice: larger(today.dataPrice, eighthMore(bounds.l1DataGas.price)),
    l1Price: larger(today.l1Price, eighthMore(bounds.l1Gas.price)),
  }
  if (raised.l2Price > settings.maxL2Price)
    throw new RetryLater('a replacement must offer more than the ceiling for gas')
  // A replacement must raise only the L2 gas price, so the data gas price stays within the network file's limit.
  return { ...raised, dataPrice: smaller(raised.dataPrice, settings.maxDataPrice) }
}

function half(price: bigint): bigint {
  return larger(mulDiv(price, 3n, 2n, 'up'), 1n)
}

function eighthMore(price: bigint): bigint {
  return larger(mulDiv(price, 9n, 8n, 'up'), price + 1n)
}

export function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
