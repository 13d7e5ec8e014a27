/** Exchanges of a wallet: their stored terms, and which of them goes first. */
import { RetryLater } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { StoredLeg } from '../db/schema.ts'
import type { PayoutRow } from '../swaps/swaps.ts'

/** Stores new terms of a leg that has no slot. */
export async function storeLeg(queries: Queries, id: string, leg: StoredLeg): Promise<PayoutRow> {
  const row = await queries
    .updateTable('payout')
    .set({ leg: JSON.stringify(leg) })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .where('started', '=', false)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw new RetryLater('an exchange was started while its terms were renewed')
  return row
}

/**
 * The terms that were signed in a slot become the payout's terms: a fee bump must repeat them, or the journal refuses it.
 * The reservation for the output stays.
 */
export async function adoptSignedLeg(queries: Queries, id: string, leg: StoredLeg): Promise<void> {
  await queries
    .updateTable('payout')
    .set({ leg: sql<string>`leg || ${JSON.stringify(leg)}::jsonb` })
    .where('id', '=', id)
    .where('leg', 'is not', null)
    .where('state', '=', 'open')
    .execute()
}

interface Beside {
  /** Another exchange of the wallet that sells the same token goes first: it has a slot, or it is older. */
  isBusy: boolean
  /** An approval for the token is on its way. */
  isApproving: boolean
  /** How many approvals for the token have failed since the exchange was ordered. */
  failedApprovals: number
  /** Whether this exchange looked impossible before. */
  hasFailed: boolean
}

/**
 * An older exchange without a slot goes first only while it is new, waits for its turn or for its approval. One that
 * fails otherwise must not block the queue.
 */
export async function legsBeside(queries: Queries, payout: PayoutRow): Promise<Beside> {
  const { id, network, account, token, created_at: createdAt } = payout
  const { rows } = await sql<Beside>`
    select
      exists (select from payout where network = ${network} and account = ${account} and state = 'open'
        and leg is not null and token = ${token} and id <> ${id}
        and (started or ((created_at, id) < (${createdAt}, ${id}::uuid) and (held_by is null or exists (
          select from hold where payout_id = payout.id and closed_at is null
            and params ->> 'error' in ('ExchangeQueued', 'ApprovalPending')))))) as "isBusy",
      exists (select from payout where network = ${network} and account = ${account} and state = 'open'
        and kind = 'admin' and to_address = ${token}) as "isApproving",
      (select count(*)::integer from payout where network = ${network} and account = ${account} and state = 'abandoned'
        and kind = 'admin' and to_address = ${token} and created_at >= ${createdAt}) as "failedApprovals",
      exists (select from hold where payout_id = ${id} and params ->> 'error' = 'PayoutImpossible') as "hasFailed"`.execute(
    queries,
  )
  const [row] = rows
  if (!row) throw new RetryLater('the exchanges of a wallet could not be read')
  return row
}

/** The apparent proceeds of a sale, and how much of them is paid on without an operator. */
export interface ExcessProceeds {
  network: string
  token: string
  received: string
  plausible: string
}

/**
 * Of these payouts, those that a sale pays for which seems to have brought more than the agreed price holds for. The
 * quote is capped when the sale is confirmed.
 */
export async function excessProceeds(
  queries: Queries,
  payouts: readonly PayoutRow[],
): Promise<Map<string, ExcessProceeds>> {
  const ids = payouts.flatMap(({ id, swap_id, kind }) => (swap_id !== null && kind !== 'sale' ? [id] : []))
  if (ids.length === 0) return new Map()
  const { rows } = await sql<ExcessProceeds & { id: string }>`
    select payout.id, sale.network, sale.leg ->> 'buys' as token, sale.received_units::text as received,
      (quote ->> 'legs')::jsonb #>> '{sale,outUnits}' as plausible
    from payout
    join payout sale on sale.swap_id = payout.swap_id and sale.kind = 'sale' and sale.state = 'confirmed'
    join swap on swap.id = payout.swap_id
    where payout.id = any(${ids}::uuid[])
      and (payout.deposit_id is null or (payout.network, payout.token) <> (source_network, source_token))
      and sale.received_units > ((quote ->> 'legs')::jsonb #>> '{sale,outUnits}')::numeric`.execute(queries)
  return new Map(rows.map(({ id, ...excess }) => [id, excess]))
}
