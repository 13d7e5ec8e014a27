/**
 * Translates an order into one transaction that spends the slot's UTXOs, pays the transfers and returns the change.
 * Inputs and fee follow from the draft alone.
 */
import { type Address, Bug, type Order, type PreparedTransfer } from '@causeway/core'
import { scriptOf } from '../address.ts'
import type { BitcoinChain } from '../chain.ts'
import { sumOf } from '../scanning/locate-tx.ts'
import type { Output } from '../transaction.ts'
import { dustLimit, feeFor, sizeOf } from './size.ts'

export interface DraftCoin {
  part: string
  units: bigint
  isConfirmed: boolean
  /** The `sourceKey` of the deposit address that holds it; null for the treasury's own. */
  source: string | null
}

export interface Terms {
  /** The fee rate in sat per 1000 virtual bytes. */
  rate: bigint
  /** The minimum fee of a replacement, whatever its size. */
  leastFee: bigint
  coins: DraftCoin[]
}

/** Limit of inputs: some 34,000 virtual bytes, well below what nodes relay in one transaction. */
const MOST_INPUTS = 500

export function formatTerms({ rate, leastFee, coins }: Terms): PreparedTransfer {
  const listed = coins.map(({ part, units, isConfirmed, source }) => [part, units.toString(), isConfirmed, source])
  return JSON.stringify({ rate: rate.toString(), leastFee: leastFee.toString(), coins: listed })
}

export function parseTerms(draft: PreparedTransfer): Terms {
  const {
    rate,
    leastFee,
    coins,
  }: { rate: string; leastFee: string; coins: [string, string, boolean, string | number | null][] } = JSON.parse(draft)
  if (BigInt(rate) < 0n || BigInt(leastFee) < 0n) throw new Bug('not a draft of this family', { rate, leastFee })
  return {
    rate: BigInt(rate),
    leastFee: BigInt(leastFee),
    coins: coins.map(([part, units, isConfirmed, source]) => ({
      ...{ part, units: BigInt(units), isConfirmed },
      source: source === null ? null : String(source),
    })),
  }
}

/** The outputs if these UTXOs are spent; null if they do not suffice, or would leave too much to the miner. */
export function outputsFor(
  chain: BitcoinChain,
  order: Order,
  coins: readonly DraftCoin[],
  terms: Terms,
): Output[] | null {
  const outputs = payingOutputs(chain, order, coins, terms)
  if (!outputs) return null
  const fee = sumOf(coins) - sumOf(outputs)
  return fee <= mostFee(chain, coins.length, outputs, terms) ? outputs : null
}

/**
 * The fee limit by size. A transaction that replaces another one or pays for its parents may cost up to the absolute
 * limit, because its size does not show that.
 */
function mostFee(
  { settings, treasuryScript: home }: BitcoinChain,
  coins: number,
  outputs: readonly Output[],
  { leastFee }: Terms,
): bigint {
  const scripts = [...outputs, { script: home }].map(({ script }) => script.length)
  // Change below the dust limit goes to the miner, too.
  const bySize = feeFor(sizeOf(coins, scripts), settings.maxFeeRate) + dustLimit(home)
  return leastFee > 0n || bySize > settings.maxFee ? settings.maxFee : bySize
}

function payingOutputs(
  chain: BitcoinChain,
  order: Order,
  coins: readonly DraftCoin[],
  { rate, leastFee }: Terms,
): Output[] | null {
  const home = chain.treasuryScript
  const paid =
    order.kind !== 'transfers' ? [] : order.transfers.map(({ to, amount }) => outputOf(chain, to, amount.units))
  const left = sumOf(coins) - sumOf(paid)
  const feeWith = (outputs: readonly Output[]): bigint => {
    const scripts = outputs.map(({ script }) => script.length)
    const fee = feeFor(sizeOf(coins.length, scripts), rate)
    return fee > leastFee ? fee : leastFee
  }
  const change = { script: home, units: left - feeWith([...paid, { script: home, units: 0n }]) }
  if (change.units >= dustLimit(home)) return [...paid, change]
  // Change that is not worth an output is left to the miner.
  return paid.length > 0 && left >= feeWith(paid) ? paid : null
}

/**
 * UTXO selection: all UTXOs of a sweep; for transfers the smallest single one that suffices, else the largest first.
 * Unconfirmed change only if confirmed UTXOs do not suffice. Null if all together do not.
 */
export function chooseCoins(
  chain: BitcoinChain,
  order: Order,
  free: readonly DraftCoin[],
  terms: Terms,
): DraftCoin[] | null {
  const suffices = (coins: readonly DraftCoin[]) => outputsFor(chain, order, coins, terms) !== null
  if (order.kind === 'sweep') {
    // A sweep that costs too much as one transaction is split.
    for (let count = Math.min(free.length, MOST_INPUTS); count >= 1; count = Math.floor(count / 2)) {
      if (suffices(free.slice(0, count))) return free.slice(0, count)
    }
    return null
  }
  for (const pool of [free.filter(({ isConfirmed }) => isConfirmed), free]) {
    const rising = pool.toSorted((a, b) => (a.units < b.units ? -1 : a.units > b.units ? 1 : a.part < b.part ? -1 : 1))
    const alone = rising.find((coin) => suffices([coin]))
    if (alone) return withSmall(chain, order, [alone], rising, terms)
    const largest = rising.toReversed().slice(0, MOST_INPUTS)
    if (!suffices(largest)) continue
    for (let count = 2; count <= largest.length; count++) {
      if (suffices(largest.slice(0, count))) return withSmall(chain, order, largest.slice(0, count), rising, terms)
    }
  }
  return null
}

/** The treasury keeps this many UTXOs separate, so that as many payouts can be in flight at once. */
const KEPT_APART = 30
const MOST_ALONG = 20
/** A UTXO is added if it holds this many times its current spending cost. */
const WORTH_MULTIPLE = 4n

/** Adds small UTXOs while fees are low: spent one by one later, they would cost more. */
function withSmall(
  chain: BitcoinChain,
  order: Order,
  chosen: DraftCoin[],
  rising: readonly DraftCoin[],
  terms: Terms,
): DraftCoin[] {
  const { rate, leastFee } = terms
  if (rate > chain.settings.quietFeeRate || leastFee > 0n || chosen.some(({ isConfirmed }) => !isConfirmed))
    return chosen
  const others = rising.filter((coin) => coin.isConfirmed && !chosen.includes(coin))
  const room = Math.min(MOST_ALONG, MOST_INPUTS - chosen.length, others.length - KEPT_APART)
  const least = WORTH_MULTIPLE * feeFor(sizeOf(1, []) - sizeOf(0, []), rate)
  const along = others.filter(({ units }) => units >= least).slice(0, Math.max(0, room))
  const together = [...chosen, ...along]
  return along.length > 1 && outputsFor(chain, order, together, terms) ? together : chosen
}

export function outputOf({ prefixes }: BitcoinChain, to: Address, units: bigint): Output {
  const script = scriptOf(to, prefixes)
  if (!script) throw new Bug('not an address of this network', { to })
  return { script, units }
}

/** Throws if the order is of another wallet or another token, or has no transfers. */
export function refuseForeign({ network, treasury }: BitcoinChain, order: Order): void {
  if (order.account !== treasury) throw new Bug('not our treasury', { account: order.account })
  if (order.kind === 'cancel') return
  if (order.kind === 'exchange') throw new Bug('this family has no exchanges')
  const tokens = order.kind === 'sweep' ? [order.token] : order.transfers.map(({ amount }) => amount.token)
  const foreign = tokens.find((token) => token.network !== network.name || token.contract !== null)
  if (foreign) throw new Bug('not the token of this network', { token: foreign.symbol, network: foreign.network })
  const count = order.kind === 'sweep' ? order.sources.length : order.transfers.length
  if (count === 0) throw new Bug('an order of nothing', { kind: order.kind })
}
