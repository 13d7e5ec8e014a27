/**
 * The ledger. Every movement of money is a posting whose entries sum to zero per token. Positive: we hold or have spent
 * it. Negative: we owe or have earned it. A posting is stored together with the state change that causes it.
 */
import type { Address } from '../money/address.ts'
import { Bug } from '../money/errors.ts'
import type { Amount } from '../money/money.ts'
import { type Coin, type Token, tokenKey } from '../money/network.ts'
import type { Quote } from './quote.ts'
import { paidUnits, totalFee } from './quote.ts'

export type Account =
  /** Money on chain; the owner is the address. */
  | 'wallet'
  /** A deposit that is neither delivered nor refunded yet; the owner is the swap. */
  | 'customer'
  /** A payout that is not confirmed yet; the owner is the swap, the campaign of a reward, or `withdrawal`. */
  | 'promised'
  /** The two sides of a conversion between tokens. */
  | 'exchange'
  | 'fees'
  | 'network_fees'
  /** Cost of campaigns; the owner is the campaign. */
  | 'rewards'
  /** Deposits that belong to no swap. */
  | 'unmatched'
  /** Outflows of the restore gap that no operator has attributed yet; the owner is the wallet. */
  | 'restored'
  | 'loss'
  /** Money that the operator put in or took out. */
  | 'capital'

export interface Entry<Of extends Coin = Token> {
  account: Account
  owner: string
  token: Of
  units: bigint
}

/** Why a posting was made. Each reversal has its own reason. */
export type PostingReason =
  | 'deposit'
  | 'assigned'
  | 'sale promised'
  | 'sale'
  | 'sale covered'
  | 'output promised'
  | 'refuel promised'
  | 'refund promised'
  | 'reward promised'
  | 'withdrawal promised'
  | 'unmatched returned'
  | 'remainder kept'
  | 'payout'
  | 'network fee'
  | 'sweep'
  | 'capital'
  | 'funding'
  | 'difference accepted'
  | 'unannounced'
  | 'restored'
  | 'restored payout'
  | 'recorded'
  | 'deposit lost'
  // Reversals of the above.
  | 'sale taken back'
  | 'sale undone'
  | 'output taken back'
  | 'refuel taken back'
  | 'refund taken back'
  | 'reward taken back'
  | 'withdrawal taken back'
  | 'return taken back'
  | 'remainder gone'
  | 'payout undone'
  | 'sweep undone'
  | 'recognised by mistake'
  | 'recorded taken back'
  | 'deposit gone'
  | 'lost deposit found'
  | 'loss averted'

export interface Posting<Of extends Coin = Token> {
  reason: PostingReason
  entries: Entry<Of>[]
}

const HOUSE = 'house'
const UNMATCHED = 'unmatched'
const WITHDRAWAL = 'withdrawal'

export function depositArrived(swapId: string | null, wallet: Address, token: Token, units: bigint): Posting {
  return posting('deposit', [
    { account: 'wallet', owner: wallet, token, units },
    { account: swapId ? 'customer' : 'unmatched', owner: swapId ?? HOUSE, token, units: -units },
  ])
}

/** Posting: an unmatched deposit is assigned to a swap. */
export function depositAssigned(swapId: string, token: Token, units: bigint): Posting {
  return posting('assigned', [
    { account: 'unmatched', owner: HOUSE, token, units },
    { account: 'customer', owner: swapId, token, units: -units },
  ])
}

/** Posting: deposits are to be sold on an exchange. Until the sale is confirmed, they are promised to it. */
export function salePromised(swapId: string, token: Token, units: bigint): Posting {
  return posting('sale promised', [
    { account: 'customer', owner: swapId, token, units },
    { account: 'promised', owner: swapId, token, units: -units },
  ])
}

/** Posting: the exchange took the sold units and paid for them. The proceeds belong to the swap. */
export function saleConfirmed(swapId: string, wallet: Address, sold: Amount, bought: Amount): Posting {
  return posting('sale', [
    { account: 'promised', owner: swapId, token: sold.token, units: sold.units },
    { account: 'wallet', owner: wallet, token: sold.token, units: -sold.units },
    { account: 'wallet', owner: wallet, token: bought.token, units: bought.units },
    { account: 'customer', owner: swapId, token: bought.token, units: -bought.units },
  ])
}

/** Posting: a sale that the journal has and whose swap is lost. The deposit is booked against the same account. */
export function saleRecorded(owner: string, wallet: Address, sold: Amount, bought: Amount): Posting {
  return posting('recorded', [
    { account: 'promised', owner, token: sold.token, units: sold.units },
    { account: 'wallet', owner: wallet, token: sold.token, units: -sold.units },
    { account: 'wallet', owner: wallet, token: bought.token, units: bought.units },
    { account: 'exchange', owner: HOUSE, token: bought.token, units: -bought.units },
  ])
}

/**
 * Posting: a sale proved not made after its proceeds were spent. We cover it: the deposits are ours, and the proceeds
 * come out of our own money.
 */
export function saleCovered(swapId: string, sold: Amount, proceeds: Amount): Posting {
  return posting('sale covered', [
    { account: 'customer', owner: swapId, token: sold.token, units: sold.units },
    { account: 'exchange', owner: HOUSE, token: sold.token, units: -sold.units },
    { account: 'exchange', owner: HOUSE, token: proceeds.token, units: proceeds.units },
    { account: 'customer', owner: swapId, token: proceeds.token, units: -proceeds.units },
  ])
}

/**
 * Turns the deposit, or the proceeds of its sale, less the refuel's share, into the promise of an output. An output that
 * is bought on an exchange is promised in the token that our wallet pays for it: we never hold the bought token.
 */
export function outputPromised(swapId: string, source: Token, destination: Token, quote: Quote): Posting {
  const fee = totalFee(quote)
  const used = quote.requestedUnits - quote.refuelInSourceUnits
  return posting('output promised', [
    { account: 'customer', owner: swapId, token: source, units: used },
    { account: 'fees', owner: HOUSE, token: source, units: -fee },
    { account: 'exchange', owner: HOUSE, token: source, units: fee - used },
    ...promise(swapId, quote.legs?.purchase?.sells ?? destination, paidUnits(quote)),
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

/** Posting: an unmatched deposit is sent to the address that an operator named. */
export function unmatchedReturned(token: Token, grossUnits: bigint, netUnits: bigint): Posting {
  return posting('unmatched returned', [
    { account: 'unmatched', owner: HOUSE, token, units: grossUnits },
    { account: 'promised', owner: UNMATCHED, token, units: -netUnits },
    { account: 'fees', owner: HOUSE, token, units: netUnits - grossUnits },
  ])
}

/** Posting: a campaign owes a reward, and its payout is ordered. */
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

/** Posting: the operator takes money out of the service, and its payout is ordered. */
export function withdrawalPromised(token: Token, units: bigint): Posting {
  return posting('withdrawal promised', [
    { account: 'capital', owner: HOUSE, token, units },
    { account: 'promised', owner: WITHDRAWAL, token, units: -units },
  ])
}

export function withdrawalPaid(wallet: Address, token: Token, units: bigint): Posting {
  return payoutConfirmed(WITHDRAWAL, wallet, token, units)
}

/** Posting: a remainder that is too small to send back becomes a fee. */
export function remainderKept(swapId: string, token: Token, units: bigint): Posting {
  return posting('remainder kept', [
    { account: 'customer', owner: swapId, token, units },
    { account: 'fees', owner: HOUSE, token, units: -units },
  ])
}

/** Posting: a payout is confirmed. `owner` is the swap; null for the return of an unmatched deposit. */
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

/** A wallet's opening balance, or a movement that the operator declares. */
export function capitalMoved(wallet: Address, token: Token, units: bigint): Posting {
  return posting('capital', [
    { account: 'wallet', owner: wallet, token, units },
    { account: 'capital', owner: HOUSE, token, units: -units },
  ])
}

/** Posting: an unmatched deposit is the operator's own funding. */
export function fundingReceived<Of extends Coin>(token: Of, units: bigint): Posting<Of> {
  return posting('funding', [
    { account: 'unmatched', owner: HOUSE, token, units },
    { account: 'capital', owner: HOUSE, token, units: -units },
  ])
}

/** An operator accepts that `missingUnits` are missing from a wallet. Reconciliation continues from the new balance. */
export function differenceAccepted(wallet: Address, token: Coin, missingUnits: bigint): Posting<Coin> {
  return posting('difference accepted', [
    { account: 'capital', owner: HOUSE, token, units: missingUnits },
    { account: 'wallet', owner: wallet, token, units: -missingUnits },
  ])
}

/**
 * Posting: a transaction that is not in the ledger took money from a wallet. The database was restored from a backup,
 * or the key leaked.
 */
export function unexplainedOutflow(wallet: Address, token: Token, units: bigint): Posting {
  return posting('restored', [
    { account: 'restored', owner: wallet, token, units },
    { account: 'wallet', owner: wallet, token, units: -units },
  ])
}

/** Posting: a payout recorded in the journal settled this deposit, and its swap is lost. */
export function depositRecorded(token: Token, units: bigint): Posting {
  return posting('recorded', [
    { account: 'unmatched', owner: HOUSE, token, units },
    { account: 'exchange', owner: HOUSE, token, units: -units },
  ])
}

/**
 * The other side of `depositRecorded`: the purpose of the payout. `owner` is the lost swap; null for the return of an
 * unmatched deposit.
 */
export function payoutRecorded(owner: string | null, token: Token, units: bigint): Posting {
  return posting('recorded', promise(owner ?? UNMATCHED, token, units))
}

/** Posting: money arrived without a visible deposit, such as native coins sent by a contract. */
export function unexplainedCredit(wallet: Address, token: Token, units: bigint): Posting {
  return posting('unannounced', [
    { account: 'wallet', owner: wallet, token, units },
    { account: 'unmatched', owner: HOUSE, token, units: -units },
  ])
}

/** Posting: a reorg removed a deposit that was already spent on its swap. */
export function depositLost(wallet: Address, token: Token, units: bigint): Posting {
  return posting('deposit lost', [
    { account: 'loss', owner: HOUSE, token, units },
    { account: 'wallet', owner: wallet, token, units: -units },
  ])
}

/** The reverse posting: for a voided promise, or a lost deposit that was mined again. */
export function reversed(original: Posting, reason: PostingReason): Posting {
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

function posting<Of extends Coin>(reason: PostingReason, entries: Entry<Of>[]): Posting<Of> {
  const sums = new Map<string, bigint>()
  for (const { token, units } of entries) {
    const key = `${token.network}/${tokenKey(token)}`
    sums.set(key, (sums.get(key) ?? 0n) + units)
  }
  for (const [token, sum] of sums) if (sum !== 0n) throw new Bug('a posting does not balance', { reason, token, sum })
  return { reason, entries: entries.filter((entry) => entry.units !== 0n) }
}
