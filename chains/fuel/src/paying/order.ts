/**
 * Translates an order into one transaction that spends the slot's coins, pays the transfers and returns the change of
 * every asset. Coins and fee follow from the draft alone.
 */
import { Bug, type Order, type Token } from '@causeway/core'
import { assetOf, type FuelChain } from '../chain.ts'
import type { Output } from '../transaction.ts'
import { feeFor } from './gas.ts'
import { type DraftCoin, KEPT_COINS, type Terms } from './terms.ts'

/** Limit of inputs; nodes accept 255. */
const MOST_INPUTS = 200

export interface Plan {
  outputs: Output[]
  /** The maximum fee; the chain returns the unused part. */
  maxFee: bigint
}

/** The transaction that spends these coins; null if they do not suffice. */
export function planFor(chain: FuelChain, order: Order, coins: readonly DraftCoin[], terms: Terms): Plan | null {
  const { treasury } = chain
  const paid = order.kind === 'transfers' ? order.transfers : []
  const assets = assetsOf(coins)
  const splits = new Map(order.kind === 'transfers' ? terms.splits : [])
  const split = assets.reduce((count, asset) => count + (splits.get(asset) ?? 0), 0)
  const outputs = paid.length + split + assets.length
  const keys = new Set(coins.map(({ source }) => source)).size
  const fee = feeFor(terms.pricing, { inputs: coins.length, outputs, keys }) + terms.tip
  // A policy with the value zero is omitted, and nodes reject a transaction without this one.
  const maxFee = fee > 0n ? fee : 1n
  const wanted = neededOf(chain, order, maxFee)
  if ([...wanted].some(([asset, units]) => unitsOf(coins, asset) < units)) return null
  const rests = assets.flatMap((asset): Output[] => {
    const rest = unitsOf(coins, asset) - (wanted.get(asset) ?? 0n)
    const parts = splits.get(asset) ?? 0
    const units = rest / BigInt(parts + 1)
    const isWorth = parts > 0 && units >= leastPart(chain, asset)
    return isWorth ? Array.from({ length: parts }, () => ({ type: 'coin', to: treasury, units, asset })) : []
  })
  return {
    maxFee,
    outputs: [
      ...paid.map(({ to, amount }): Output => {
        return { type: 'coin', to, units: amount.units, asset: assetOf(chain, amount.token) }
      }),
      ...rests,
      // Without a change output the rest of an asset would be lost.
      ...assets.map((asset): Output => ({ type: 'change', to: treasury, units: 0n, asset })),
    ],
  }
}

/** The amounts of each asset that the order needs; the base asset is always included. */
export function neededOf(chain: FuelChain, order: Order, maxFee: bigint): Map<string, bigint> {
  const needed = new Map([[chain.settings.baseAsset, maxFee]])
  if (order.kind !== 'transfers') return needed
  for (const { amount } of order.transfers) {
    const asset = assetOf(chain, amount.token)
    needed.set(asset, (needed.get(asset) ?? 0n) + amount.units)
  }
  return needed
}

/** The smallest coin that is worth a separate UTXO: a whole token, or many fees of the base asset. */
function leastPart({ settings, tokens }: FuelChain, asset: string): bigint {
  return asset === settings.baseAsset ? 20n * settings.maxFee : 10n ** BigInt(tokens.get(asset)?.decimals ?? 0)
}

/**
 * Coin selection. A sweep takes all coins of its addresses. Transfers take the smallest single coin that suffices, else
 * the largest first. Coins of final blocks come first: with any other a payout could wait forever after a reorg. Null
 * if all together do not suffice.
 */
export function chooseCoins(
  chain: FuelChain,
  order: Order,
  free: readonly DraftCoin[],
  terms: Terms,
): DraftCoin[] | null {
  const swept = order.kind === 'sweep' ? free.filter(({ source }) => source !== null).slice(0, MOST_INPUTS) : []
  if (order.kind === 'sweep' && swept.length === 0) return null
  const own = free.filter(({ source }) => source === null)
  const settled = own.filter(({ isFinal }) => isFinal)
  const chosen = chosenOf(chain, order, swept, settled, terms) ?? chosenOf(chain, order, swept, own, terms)
  return chosen && order.kind === 'transfers' ? gathering(chain, order, chosen, settled, terms) : chosen
}

/**
 * With more coins of an asset than this, each payout consolidates some small ones into its change: one transaction can
 * spend only a limited number.
 */
const GATHERS_ABOVE = 4 * KEPT_COINS
/**
 * Coins that are consolidated per asset that is spent anyway. It multiplies the small fee of a payment, but stays
 * within the limit.
 */
const GATHERED = 20

/** The chosen coins plus the smallest of the others. */
function gathering(
  chain: FuelChain,
  order: Order,
  chosen: readonly DraftCoin[],
  settled: readonly DraftCoin[],
  terms: Terms,
): DraftCoin[] {
  const isChosen = new Set(chosen.map(({ part }) => part))
  const small = assetsOf(chosen).flatMap((asset) => {
    const left = settled.filter((coin) => coin.asset === asset && !isChosen.has(coin.part))
    return rising(left).slice(0, Math.max(0, Math.min(GATHERED, left.length - GATHERS_ABOVE)))
  })
  const all = [...chosen, ...small].slice(0, MOST_INPUTS)
  const plan = planFor(chain, order, all, terms)
  return all.length > chosen.length && plan && plan.maxFee <= chain.settings.maxFee ? all : [...chosen]
}

/** Whether only the number of coins is the obstacle: together they hold enough. */
export function areTooMany(chain: FuelChain, order: Order, coins: readonly DraftCoin[]): boolean {
  const needed = [...neededOf(chain, order, 0n)]
  return coins.length > MOST_INPUTS && needed.every(([asset, units]) => unitsOf(coins, asset) > units)
}

function chosenOf(
  chain: FuelChain,
  order: Order,
  swept: readonly DraftCoin[],
  own: readonly DraftCoin[],
  terms: Terms,
): DraftCoin[] | null {
  const { baseAsset } = chain.settings
  const tokens = [...neededOf(chain, order, 0n)].filter(([asset]) => asset !== baseAsset)
  const chosen = [...swept]
  for (const [asset, units] of tokens) {
    const some = coinsFor(own, asset, (coins) => unitsOf(coins, asset) >= units)
    if (!some) return null
    chosen.push(...some)
  }
  const suffices = (coins: readonly DraftCoin[]) => planFor(chain, order, [...chosen, ...coins], terms) !== null
  // Swept coins of the base asset pay for themselves; other assets are swept at the treasury's cost.
  const base = suffices([]) ? [] : coinsFor(own, baseAsset, suffices)
  return base && chosen.length + base.length <= MOST_INPUTS + 1 ? [...chosen, ...base] : null
}

function coinsFor(
  coins: readonly DraftCoin[],
  asset: string,
  suffices: (coins: readonly DraftCoin[]) => boolean,
): DraftCoin[] | null {
  const sorted = rising(coins.filter((coin) => coin.asset === asset))
  const alone = sorted.find((coin) => suffices([coin]))
  if (alone) return [alone]
  const largest = sorted.toReversed().slice(0, MOST_INPUTS)
  if (!suffices(largest)) return null
  for (let count = 2; count < largest.length; count++) {
    if (suffices(largest.slice(0, count))) return largest.slice(0, count)
  }
  return largest
}

function rising(coins: readonly DraftCoin[]): DraftCoin[] {
  return coins.toSorted((a, b) => (a.units < b.units ? -1 : a.units > b.units ? 1 : a.part < b.part ? -1 : 1))
}

/** How many more coins of an asset the treasury should have. */
export function splitsFor(chain: FuelChain, order: Order, coins: readonly DraftCoin[]): [string, number][] {
  return [...neededOf(chain, order, 0n).keys()].flatMap((asset): [string, number][] => {
    const missing = KEPT_COINS - coins.filter((coin) => coin.asset === asset).length
    return missing > 0 ? [[asset, Math.min(missing, KEPT_COINS)]] : []
  })
}

export function unitsOf(coins: readonly Pick<DraftCoin, 'asset' | 'units'>[], asset: string): bigint {
  return coins.reduce((sum, coin) => (coin.asset === asset ? sum + coin.units : sum), 0n)
}

function assetsOf(coins: readonly DraftCoin[]): string[] {
  return [...new Set(coins.map(({ asset }) => asset))].sort()
}

/** Throws for orders of another wallet, of another network's or an unlisted token, or without transfers. */
export function refuseForeign(chain: FuelChain, order: Order): void {
  if (order.account !== chain.treasury) throw new Bug('not our treasury', { account: order.account })
  if (order.kind === 'cancel') return
  if (order.kind === 'exchange') throw new Bug('this family has no exchanges')
  if (order.kind === 'transfers' && order.call !== undefined) throw new Bug('this family supports no calls')
  const tokens = order.kind === 'sweep' ? [order.token] : order.transfers.map(({ amount }) => amount.token)
  const foreign = tokens.find((token) => !isListed(chain, token))
  if (foreign) throw new Bug('not a token of this network', { token: foreign.symbol, network: foreign.network })
  const count = order.kind === 'sweep' ? order.sources.length : order.transfers.length
  if (count === 0) throw new Bug('an order of nothing', { kind: order.kind })
}

function isListed({ network, tokens, settings }: FuelChain, token: Token): boolean {
  return token.network === network.name && tokens.has(token.contract ?? settings.baseAsset)
}
