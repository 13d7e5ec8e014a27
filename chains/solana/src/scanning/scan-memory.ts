/** What is remembered between two scans by signatures: what accounts held, and the transactions that were read. */
import { boundedMap } from '@causeway/chain-kit'
import type { Address, Scan } from '@causeway/core'
import type { LandedTransaction } from '../transaction.ts'

export interface ScanMemory {
  last: Scan | null
  askedAt: number
  /** When an account of ours was last seen to have changed. */
  changedAt: number
  /** What each held, and at which slot, when its transactions were last known in full; nothing where there was no such account. */
  held: Map<Address, Known>
  /** What is known once the last scan is stored: until its cursor comes back, it may have been for nothing. */
  pending: { next: string; settle(): void } | null
  /** The cursor to which all this belongs: from another one everything is looked at anew. */
  at: string | null
  /** How often the list of an account did not explain what it holds. */
  doubts: Map<Address, number>
  /** How often the list of an account was longer than was read. */
  buried: Map<Address, number>
  /** When the lists of the treasury's accounts were last asked for, whatever they held: shortly back, and far back. */
  walkedAt: number
  walkedTo: bigint | null
  walkedFarAt: number
  /** Where the tokens of an owner lie, by owner and mint: finding that out is slow. */
  tokenAccounts: Map<string, Address>
  /** Whose turns are next among the addresses that are looked at a part at a time. */
  turns: number[]
  /** Their content, so that none is asked for twice: which of them were told of stands in the cursor. */
  read: Map<string, LandedTransaction>
}

interface Known {
  units: string
  slot: bigint
  /** The newest entry of its list when that was read. */
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

/** Called before each scan: what it may build on. */
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
 * An account that holds what it held may have been emptied and paid again as much: a sweep of ours shows in the treasury's list. What
 * was touched behind the end of its own list, as far as that was read, is not known any more.
 */
export function doubtTouched({ held }: ScanMemory, transactions: readonly LandedTransaction[]): void {
  for (const { accounts, slot } of transactions) {
    for (const account of accounts) if ((held.get(account)?.listed ?? slot) < slot) held.delete(account)
  }
}

/** In that very slot: after a fork it may stand in another, with another outcome. */
export function isRead({ read }: ScanMemory, { signature, slot }: { signature: string; slot: bigint }): boolean {
  return read.get(signature)?.slot === slot
}

export function remember({ read }: ScanMemory, transaction: LandedTransaction): void {
  read.set(transaction.hash, transaction)
}
