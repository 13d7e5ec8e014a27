/**
 * The books. Every movement of money is a posting whose entries sum to zero in each token: positive is what we have or
 * have spent, negative is what we owe or have earned. Postings are stored with the state change that causes them.
 */
import type { Address } from '../money/address.ts'
import { Bug } from '../money/errors.ts'
import { type Coin, type Token, tokenKey } from '../money/network.ts'
import type { Quote } from './quote.ts'
import { totalFee } from './quote.ts'

export type Account =
  /** Coins on chain; the owner is the address. */
  | 'wallet'
  /** A deposit that is neither delivered nor sent back yet; the owner is the swap. */
  | 'customer'
  /** Promised to somebody, not confirmed on chain yet; the owner is the swap, or the campaign of a reward. */
  | 'promised'
  /** The two sides of a conversion between tokens. */
  | 'exchange'
  | 'fees'
  | 'network_fees'
  /** What campaigns cost; the owner is the campaign. */
  | 'rewards'
  /** Coins that came and belong to no swap. */
  | 'unmatched'
  /** What left a wallet while the books were away, and nobody has recognised yet; the owner is the wallet. */
  | 'restored'
  | 'loss'
  /** What the operator put in or took out. */
  | 'capital'

export interface Entry<Of extends Coin = Token> {
  account: Account
  owner: string
  token: Of
  units: bigint
}

export interface Posting<Of extends Coin = Token> {
  reason: string
  entries: Entry<Of>[]
}

const HOUSE = 'house'
const UNMATCHED = 'unmatched'

export function depositArrived(swapId: string | null, wallet: Address, token: Token, units: bigint): Posting {
  return posting('deposit', [
    { account: 'wallet', owner: wallet, token, units },
    { account: swapId ? 'customer' : 'unmatched', owner: swapId ?? HOUSE, token, units: -units },
  ])
}

/** An unmatched deposit turned out to be a swap's. */
export function depositAssigned(swapId: string, token: Token, units: bigint): Posting {
  return posting('assigned', [
    { account: 'unmatched', owner: HOUSE, token, units },
    { account: 'customer', owner: swapId, token, units: -units },
  ])
}

/** The deposit, less what the refuel takes, is turned into the promise of an output. */
export function outputPromised(swapId: string, source: Token, destination: Token, quote: Quote): Posting {
  const fee = totalFee(quote)
  const used = quote.requestedUnits - quote.refuelInSourceUnits
  return posting('output promised', [
    { account: 'customer', owner: swapId, token: source, units: used },
    { account: 'fees', owner: HOUSE, token: source, units: -fee },
    { account: 'exchange', owner: HOUSE, token: source, units: fee - used },
    ...promise(swapId, destination, quote.receiveUnits),
  ])
}

export function refuelPromised(swapId: string, source: Token, refuel: Token, quote: Quote): Posting {
  return posting('refuel promised', [
    { account: 'customer', owner: swapId, token: source, units: quote.refuelInSourceUnits },
    { account: 'exchange', owner: HOUSE, token: source, units: -quote.refuelInSourceUnits },
    ...promise(swapId, refuel, quote.refuelUnits),
  ])
}

export function refundPromised(swapId: string, token: Token, grossUnits: bigint, netUnits: bigint): Posting {
  return posting('refund promised', [
    { account: 'customer', owner: swapId, token, units: grossUnits },
    { account: 'promised', owner: swapId, token, units: -netUnits },
    { account: 'fees', owner: HOUSE, token, units: netUnits - grossUnits },
  ])
}

/** Coins of nobody are sent back to whom an operator named. */
export function unmatchedReturned(token: Token, grossUnits: bigint, netUnits: bigint): Posting {
  return posting('unmatched returned', [
    { account: 'unmatched', owner: HOUSE, token, units: grossUnits },
    { account: 'promised', owner: UNMATCHED, token, units: -netUnits },
    { account: 'fees', owner: HOUSE, token, units: netUnits - grossUnits },
  ])
}

/** A campaign owes this to one who earned it, and a payout of it is ordered. */
export function rewardPromised(campaign: string, token: Token, units: bigint): Posting {
  const owner = campaignOwner(campaign)
  return posting('reward promised', [
    { account: 'rewards', owner, token, units },
    { account: 'promised', owner, token, units: -units },
  ])
}

export function rewardPaid(campaign: string, wallet: Address, token: Token, units: bigint): Posting {
  return payoutConfirmed(campaignOwner(campaign), wallet, token, units)
}

/** Too little to send back: it stays with the house, and the books say so. */
export function remainderKept(swapId: string, token: Token, units: bigint): Posting {
  return posting('remainder kept', [
    { account: 'customer', owner: swapId, token, units },
    { account: 'fees', owner: HOUSE, token, units: -units },
  ])
}

/** `owner` is the swap; null where coins of nobody were sent back. */
export function payoutConfirmed(owner: string | null, wallet: Address, token: Token, units: bigint): Posting {
  return posting('payout', [
    { account: 'promised', owner: owner ?? UNMATCHED, token, units },
    { account: 'wallet', owner: wallet, token, units: -units },
  ])
}

export function networkFeePaid(wallet: Address, token: Token, units: bigint): Posting {
  return posting('network fee', [
    { account: 'network_fees', owner: HOUSE, token, units },
    { account: 'wallet', owner: wallet, token, units: -units },
  ])
}

export function swept(from: Address, to: Address, token: Token, units: bigint): Posting {
  return posting('sweep', [
    { account: 'wallet', owner: to, token, units },
    { account: 'wallet', owner: from, token, units: -units },
  ])
}

/** What a wallet held when the books were opened, or what the operator says was put in or taken out since. */
export function capitalMoved(wallet: Address, token: Token, units: bigint): Posting {
  return posting('capital', [
    { account: 'wallet', owner: wallet, token, units },
    { account: 'capital', owner: HOUSE, token, units: -units },
  ])
}

/** A person accepts that so much is missing from a wallet: the books follow, and it is watched on from there. */
export function differenceAccepted(wallet: Address, token: Coin, missingUnits: bigint): Posting<Coin> {
  return posting('difference accepted', [
    { account: 'capital', owner: HOUSE, token, units: missingUnits },
    { account: 'wallet', owner: wallet, token, units: -missingUnits },
  ])
}

/** A transaction of ours that the books do not know took this from a wallet: they went back in time, or somebody has its key. */
export function unexplainedOutflow(wallet: Address, token: Token, units: bigint): Posting {
  return posting('restored', [
    { account: 'restored', owner: wallet, token, units },
    { account: 'wallet', owner: wallet, token, units: -units },
  ])
}

/** A person recognised it as a payout, whose own posting takes it from the wallet. */
export function recognised(wallet: Address, token: Token, units: bigint): Posting {
  return reversed(unexplainedOutflow(wallet, token, units), 'restored payout')
}

/** Coins that came without a deposit that we could see, such as native coins sent by a contract. */
export function unexplainedCredit(wallet: Address, token: Token, units: bigint): Posting {
  return posting('unannounced', [
    { account: 'wallet', owner: wallet, token, units },
    { account: 'unmatched', owner: HOUSE, token, units: -units },
  ])
}

/** A deposit that was already spent for its swap vanished from the chain. */
export function depositLost(wallet: Address, token: Token, units: bigint): Posting {
  return posting('deposit lost', [
    { account: 'loss', owner: HOUSE, token, units },
    { account: 'wallet', owner: wallet, token, units: -units },
  ])
}

/** The same posting backwards: a promise taken back, a lost deposit found again. */
export function reversed(original: Posting, reason: string): Posting {
  return posting(
    reason,
    original.entries.map((entry) => ({ ...entry, units: -entry.units })),
  )
}

function promise(swapId: string, token: Token, units: bigint): Entry[] {
  return [
    { account: 'exchange', owner: HOUSE, token, units },
    { account: 'promised', owner: swapId, token, units: -units },
  ]
}

function campaignOwner(campaign: string): string {
  return `campaign:${campaign}`
}

function posting<Of extends Coin>(reason: string, entries: Entry<Of>[]): Posting<Of> {
  const sums = new Map<string, bigint>()
  for (const { token, units } of entries) {
    const key = `${token.network}/${tokenKey(token)}`
    sums.set(key, (sums.get(key) ?? 0n) + units)
  }
  for (const [token, sum] of sums) if (sum !== 0n) throw new Bug('a posting does not balance', { reason, token, sum })
  return { reason, entries: entries.filter((entry) => entry.units !== 0n) }
}
