/** Operators' signatures for payouts, made with keys that the service does not hold. */
import type { Approval } from '@causeway/core'
import type { Queries } from '../db/database.ts'

/** The newest attempt number of a payout that has an approval; zero if none. */
export async function newestAttempt(queries: Queries, payoutId: string): Promise<number> {
  const { newest } = await queries
    .selectFrom('payout_approval')
    .select((eb) => eb.fn.max('attempt').as('newest'))
    .where('payout_id', '=', payoutId)
    .executeTakeFirstOrThrow()
  return newest ?? 0
}

/** Stores an approval. False if this key has already approved this attempt. */
export async function addApproval(
  queries: Queries,
  approval: { payoutId: string; attempt: number; approver: string; signature: string; at: Date },
): Promise<boolean> {
  const { payoutId: payout_id, ...rest } = approval
  const added = await queries
    .insertInto('payout_approval')
    .values({ payout_id, ...rest })
    .onConflict((conflict) => conflict.doNothing())
    .returning('attempt')
    .executeTakeFirst()
  return added !== undefined
}

/** The approvals of each payout's newest approved attempt. */
export async function readApprovals(queries: Queries, payoutIds: readonly string[]): Promise<Map<string, Approval>> {
  const rows = await queries
    .selectFrom('payout_approval')
    .selectAll()
    .where('payout_id', 'in', [...payoutIds])
    .orderBy('attempt')
    .orderBy('approver')
    .execute()
  const newest = new Map(rows.map(({ payout_id, attempt }) => [payout_id, attempt]))
  return new Map(
    [...newest].map(([payout, attempt]) => {
      const signed = rows.filter((row) => row.payout_id === payout && row.attempt === attempt)
      return [payout, { payout, attempt, signatures: signed.map(({ signature }) => signature) }]
    }),
  )
}
