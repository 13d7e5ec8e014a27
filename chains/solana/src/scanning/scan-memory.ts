/** Cache between two scans by signatures: balances of accounts, and the transactions that were read. */
import { boundedMap } from '@causeway/chain-kit'
import type { Address, Scan } from '@causeway/core'
import type { LandedTransaction } from '../transaction.ts'

export interface ScanMemory {
  last: Scan | null
  askedAt: number
  /** When one of our accounts was last seen to have changed. */
  changedAt: number
  /**
   * The balance and slot of each account when its transactions were last fully known; empty if the account did not
   * exist.
   */
  held: Map<Address, Known>
  /**
   * State of the last scan that becomes known once its cursor is stored: until the cursor returns, that scan may be
   * lost.
   */
  pending: { next: string; settle(): void } | null
  /** The cursor that this cache belongs to. With another cursor everything is read again. */
  at: string | null
  /** How often the list of an account did not explain its balance. */
  doubts: Map<Address, number>
  /** How often the list of an account was longer than was read. */
  buried: Map<Address, number>
  /** When the treasury's lists were last read regardless of balance: a short way back, and far back. */
  walkedAt: number
  walkedTo: bigint | null
  walkedFarAt: number
  /** Token accounts by owner and mint: deriving them is slow. */
  tokenAccounts: Map<string, Address>
  /** The next addresses in the rotation. */
  turns: number[]
  /** Transactions that were read, so that none is read twice; the cursor records which were reported. */
  read: Map<string, LandedTransaction>
}

interface Known {
  units: string
  slot: bigint
  /** The newest entry of the account's list when the list was read. */
  listed: bigint
}

const REMEMBERED = 5_000

export function openScanMemory(now: number): ScanMemory {
  const maps = { held: new Map(), doubts: new Map(), buried: new Map(), tokenAccounts: new Map() }
  return {
    last: null,
    pending: null,
    at: null,
    askedAt: 0,
    changedAt: now,
    walkedAt: 0,
    walkedTo: null,
    walkedFarAt: now,
    turns: [],
    read: boundedMap(REMEMBERED),
    ...maps,
  }
}

/** Called before each scan: keeps the last scan's results if its cursor was stored, and drops those of another cursor. */
export function goOn(touched: ScanMemory, cursor: string | null): void {
  if (cursor !== null && touched.pending?.next === cursor) touched.pending.settle()
  else if (touched.at !== cursor) {
    touched.held.clear()
    touched.doubts.clear()
    Object.assign(touched, { walkedAt: 0, walkedTo: null })
  }
  Object.assign(touched, { pending: null, at: cursor })
}

/**
 * Drops the cached state of touched accounts. An account with an unchanged balance may have been swept and paid the
 * same amount again: our sweep shows in the treasury's list. An account touched after the end of its own list, as far
 * as that was read, is no longer known.
 */
export function doubtTouched({ held }: ScanMemory, transactions: readonly LandedTransaction[]): void {
  for (const { accounts, slot } of transactions) {
    for (const account of accounts) if ((held.get(account)?.listed ?? slot) < slot) held.delete(account)
  }
}

/** Whether the transaction was read in that very slot: after a fork it may be in another slot, with another result. */
export function isRead({ read }: ScanMemory, { signature, slot }: { signature: string; slot: bigint }): boolean {
  return read.get(signature)?.slot === slot
}

export function remember({ read }: ScanMemory, transaction: LandedTransaction): void {
  read.set(transaction.hash, transaction)
}
