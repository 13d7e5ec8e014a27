/** What a transaction costs: its signatures, the price it offers for compute units, and the rent of accounts it makes. */
import { atMost } from '@causeway/chain-kit'
import { type Address, FeeAboveLimit, type Fees, mulDiv, RetryLater } from '@causeway/core'
import type { SolanaChain } from '../chain.ts'
import { recentUnitPrices, rentFor } from '../node/calls.ts'
import type { Node } from '../node/node.ts'
import type { Settings } from '../settings.ts'
import { associatedAccount, programOf } from '../tokens.ts'

/** Lamports, set by the protocol. */
const SIGNATURE_FEE = 5_000n
/** Unit prices are in millionths of a lamport. */
const PRICE_SCALE = 1_000_000n
/** Compute units as the local chain measures them, with the nonce and a margin. */
const NATIVE_UNITS = 1_500n
const TOKEN_UNITS = 60_000n
const SWEEP_UNITS = 60_000n
/** A token account without extensions, and its rent in lamports by the protocol. */
export const TOKEN_ACCOUNT_BYTES = 165
export const ACCOUNT_RENT = 2_039_280n
/** Nodes take no more of them in one question. */
const MOST_WRITTEN = 128
/** So many of a hundred recent blocks would have taken the price. */
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
      // The recipient may not have had the token before.
      tokenTransfer: feeOf(1, TOKEN_UNITS, price) + atMost(rent, ACCOUNT_RENT),
      sweep: feeOf(2, SWEEP_UNITS, price),
    }
  })
}

export function feeOf(signatures: number, units: bigint, unitPrice: bigint): bigint {
  return BigInt(signatures) * SIGNATURE_FEE + mulDiv(units, unitPrice, PRICE_SCALE, 'up')
}

/** Where the treasury's listed tokens lie: every payout of one writes there. */
function treasuryAccounts({ tokens, treasury, settings }: SolanaChain): Promise<Address[]> {
  return Promise.all([...tokens.keys()].map((mint) => associatedAccount(treasury, mint, programOf(settings, mint))))
}

/** What others paid lately for writing to these accounts, inside the operator's bounds: more is never paid, nor charged. */
export async function unitPriceNow(
  { settings }: SolanaChain,
  node: Node,
  written: readonly Address[],
): Promise<bigint> {
  const [recent] = await node.ask([recentUnitPrices(counted(written))])
  return bounded(settings, usual(recent))
}

/**
 * What a transaction offers, by the busiest account that it writes to. Above the bound none is made; but whoever sends the
 * treasury some dust at a high price raises what is paid for writing to it, at little cost, and must not stop it: only where
 * no block takes less from anybody is it too dear.
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

/** Twice the old price, or today's: the chain has no rule for it, but another price makes another transaction. */
export function unitPriceAbove({ maxUnitPrice }: Settings, old: bigint, now: bigint): bigint {
  if (old >= maxUnitPrice)
    throw new RetryLater(`it offers ${old} for a unit already, and the ceiling is ${maxUnitPrice}`)
  const wanted = now > old * 2n ? now : old * 2n
  return wanted < maxUnitPrice ? wanted : maxUnitPrice
}
