/** The operator's own funding: announcements, and the deposits that are booked as capital. */
import type { Token } from '@causeway/core'
import { tokenKey } from '@causeway/core'
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'

export type Announcement = Selectable<Schema['funding_announcement']>

export async function insertAnnouncement(
  queries: Queries,
  announced: { token: Token; units: bigint; from: string | null; by: string; at: Date; expiresAt: Date },
): Promise<string> {
  const { token, units, from, by, at, expiresAt } = announced
  const row = await queries
    .insertInto('funding_announcement')
    .values({
      ...{ network: token.network, token: tokenKey(token), units, from_address: from },
      ...{ announced_by: by, announced_at: at, expires_at: expiresAt },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

/** Announcements, the newest first. */
export async function listAnnouncements(queries: Queries, limit: number): Promise<Announcement[]> {
  const all = queries.selectFrom('funding_announcement').selectAll()
  return all.orderBy('announced_at', 'desc').orderBy('id').limit(limit).execute()
}

/** False if nothing waits under this id. */
export async function cancelAnnouncement(queries: Queries, id: string, at: Date): Promise<boolean> {
  const rows = await queries
    .updateTable('funding_announcement')
    .set({ cancelled_at: at })
    .where('id', '=', id)
    .where('deposit_id', 'is', null)
    .where('cancelled_at', 'is', null)
    .returning('id')
    .execute()
  return rows.length === 1
}

export interface ArrivedFunding {
  announcementId: string
  depositId: string
}

/**
 * Announced funding that has arrived: a final deposit to a wallet of ours, without a swap and without a decision, of exactly the
 * announced units, seen after the announcement.
 */
export async function arrivedFunding(queries: Queries): Promise<ArrivedFunding[]> {
  const { rows } = await sql<ArrivedFunding>`
    select announced.id as "announcementId", found.id as "depositId"
    from funding_announcement announced cross join lateral (
      select deposit.id from deposit
      where deposit.network = announced.network and deposit.token = announced.token and deposit.units = announced.units
        and deposit.swap_id is null and deposit.resolution is null and deposit.state = 'confirmed' and deposit.final
        and deposit.seen_at >= announced.announced_at and deposit.seen_at <= announced.expires_at
        and (announced.from_address is null or lower(deposit.from_address) = lower(announced.from_address))
        and exists (select from treasury where treasury.network = deposit.network and treasury.address = deposit.to_address)
        and not exists (select from return_decision where return_decision.deposit_id = deposit.id)
      order by deposit.seen_at, deposit.id limit 1
    ) found
    where announced.deposit_id is null and announced.cancelled_at is null
    order by announced.announced_at, announced.id`.execute(queries)
  return rows
}

/** Marks the announcement as arrived. False if it was cancelled or taken meanwhile. */
export async function takeAnnouncement(
  queries: Queries,
  { announcementId, depositId }: ArrivedFunding,
): Promise<boolean> {
  const rows = await queries
    .updateTable('funding_announcement')
    .set({ deposit_id: depositId })
    .where('id', '=', announcementId)
    .where('deposit_id', 'is', null)
    .where('cancelled_at', 'is', null)
    .returning('id')
    .execute()
  return rows.length === 1
}
