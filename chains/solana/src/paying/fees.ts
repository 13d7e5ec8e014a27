/** The cost of a transaction: its signatures, the price per compute unit, and the rent of accounts it creates. */
import { atMost } from '@causeway/chain-kit'
import { type Address, FeeAboveLimit, type Fees, mulDiv, RetryLater } from '@causeway/core'
import type { SolanaChain } from '../chain.ts'
import { recentUnitPrices, rentFor } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import type { Settings } from '../settings.ts'
import { associatedAccount, programOf } from '../tokens.ts'

/** The fee per signature in lamports, set by the protocol. */
const SIGNATURE_FEE = 5_000n
/** Unit prices are in millionths of a lamport. */
const PRICE_SCALE = 1_000_000n
/** Compute units measured on the local chain, with the nonce and a margin. */
const NATIVE_UNITS = 1_500n
const TOKEN_UNITS = 60_000n
const SWEEP_UNITS = 60_000n
/** A token account without extensions, and its rent in lamports by the protocol. */
export const TOKEN_ACCOUNT_BYTES = 165
export const ACCOUNT_RENT = 2_039_280n
/** Limit of accounts in one request for recent prices. */
const MOST_WRITTEN = 128
/** The percentile of recent prices to use: this percentage of recent blocks would have accepted the price. */
const PERCENTILE = 75

export async function fees(chain: SolanaChain): Promise<Fees> {
  return chain.rpc.use(async (node) => {
    const written = [chain.treasury, ...(await treasuryAccounts(chain))]
    const [price, [rent]] = await Promise.all([
      unitPriceNow(chain, node, written),
      node.ask([rentFor(TOKEN_ACCOUNT_BYTES)]),
    ])
    return {
      nativeTransfer: feeOf(1, NATIVE_UNITS, price),
      // Includes the rent of a token account, because the recipient may not have one.
      tokenTransfer: feeOf(1, TOKEN_UNITS, price) + atMost(rent, ACCOUNT_RENT),
      sweep: feeOf(2, SWEEP_UNITS, price),
    }
  })
}

export function feeOf(signatures: number, units: bigint, unitPrice: bigint): bigint {
  return BigInt(signatures) * SIGNATURE_FEE + mulDiv(units, unitPrice, PRICE_SCALE, 'up')
}

/** The treasury's token accounts: every token payout writes to one. */
function treasuryAccounts({ tokens, treasury, settings }: SolanaChain): Promise<Address[]> {
  return Promise.all([...tokens.keys()].map((mint) => associatedAccount(treasury, mint, programOf(settings, mint))))
}

/** The recent price for writing to these accounts, within the operator's limits: no more is paid or charged. */
export async function unitPriceNow(
  { settings }: SolanaChain,
  node: Node,
  written: readonly Address[],
): Promise<bigint> {
  const [recent] = await node.ask([recentUnitPrices(counted(written))])
  return bounded(settings, usual(recent))
}

/**
 * The price that a transaction offers, by the busiest account that it writes to. Throws if it is above the limit.
 * Sending dust to the treasury at a high price is a cheap way to raise the price of writing to it. That must not stop
 * payouts: they stop only if no block accepts less from any sender.
 */
export async function unitPriceOffered(
  { settings }: SolanaChain,
  node: Node,
  written: readonly Address[],
): Promise<bigint> {
  const [recent, anywhere] = await node.ask([recentUnitPrices(counted(written)), recentUnitPrices([])])
  const { maxUnitPrice } = settings
  if (usual(recent) > maxUnitPrice && usual(anywhere) > maxUnitPrice)
    throw new FeeAboveLimit(`a unit costs more than ${maxUnitPrice} millionths of a lamport`)
  return bounded(settings, usual(recent))
}

function counted(written: readonly Address[]): Address[] {
  return [...new Set(written)].slice(0, MOST_WRITTEN)
}

function usual(prices: readonly bigint[]): bigint {
  const sorted = prices.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted[Math.floor(((sorted.length - 1) * PERCENTILE) / 100)] ?? 0n
}

function bounded({ minUnitPrice, maxUnitPrice }: Settings, price: bigint): bigint {
  if (price < minUnitPrice) return minUnitPrice
  return price > maxUnitPrice ? maxUnitPrice : price
}

/**
 * The price of a replacement: twice the old one, or the current one. The chain has no replacement rule, but another
 * price makes another transaction.
 */
export function unitPriceAbove({ maxUnitPrice }: Settings, old: bigint, now: bigint): bigint {
  if (old >= maxUnitPrice)
    throw new RetryLater(`it offers ${old} for a unit already, and the ceiling is ${maxUnitPrice}`)
  const wanted = now > old * 2n ? now : old * 2n
  return wanted < maxUnitPrice ? wanted : maxUnitPrice
}
