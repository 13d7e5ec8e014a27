/**
 * Recipients whose own code makes our payouts fail on chain after every simulation succeeded. Each failure costs us
 * gas, and the deposit is refunded. After a few failures such an address gets no native coin for a day. Token transfers
 * run no recipient code.
 */
import { type Address, type Token, tokenKey } from '@causeway/core'
import type { Queries } from '../store/db/database.ts'
import { failingRecipients } from '../store/payouts/payouts.ts'

/** Counts failed payouts, not attempts: each payout was already tried twice. */
const MOST_FAILED = 2
const DAY_MS = 24 * 3600_000

export const FAILING = 'payouts to it failed on chain too often today'

export async function failingRecipientsAmong(
  queries: Queries,
  token: Token,
  recipients: readonly Address[],
  now: Date,
): Promise<ReadonlySet<Address>> {
  if (token.contract !== null || recipients.length === 0) return new Set()
  const where = { network: token.network, token: tokenKey(token) }
  return failingRecipients(queries, where, recipients, { since: new Date(now.getTime() - DAY_MS), most: MOST_FAILED })
}
