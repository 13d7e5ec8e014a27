/** Recorded payouts: those read from the signing journal after a restore, and the deposits that they settled. */
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'
import type { StoredLeg } from '../db/schema.ts'
import type { RecordedKind } from '../db/schema-journal.ts'
import { readSettles } from '../journal/settles.ts'
import type { DepositRow, PayoutRow } from '../swaps/swaps.ts'

export interface RecordedRow {
  id: string
  /** The payout's real kind. */
  kind: RecordedKind
  swapId: string | null
  campaign: string | null
  /** Whether it is booked together with a deposit that it settled. */
  met: boolean
  /** Whether it has become a payout of its swap. */
  isAttached: boolean
  state: PayoutRow['state']
  network: string
  token: string
  units: bigint
  to: string
  leg: StoredLeg | null
  receivedUnits: bigint | null
  keys: string[]
}

const recorded = (queries: Queries) =>
  queries
    .selectFrom('recorded_payout')
    .innerJoin('payout', 'payout.id', 'recorded_payout.payout_id')
    .select(({ ref }) => [
      ...(['payout.id', 'recorded_payout.kind', 'recorded_payout.swap_id as swapId'] as const),
      ...(['recorded_payout.campaign', 'recorded_payout.met', 'payout.state'] as const),
      ...(['payout.network', 'payout.token', 'payout.units', 'payout.to_address as to'] as const),
      ...(['payout.leg', 'payout.received_units as receivedUnits'] as const),
      sql<boolean>`${ref('payout.kind')} <> 'recorded'`.as('isAttached'),
      sql<string[]>`array(select key from settled_key where payout_id = ${ref('payout.id')} order by key)`.as('keys'),
    ])
    .where('payout.state', '!=', 'abandoned')

/**
 * The recorded payouts of a swap, oldest first. They are locked, so that none is confirmed while the swap takes them
 * over.
 */
export async function recordedOfSwap(queries: Queries, swapId: string): Promise<RecordedRow[]> {
  return recorded(queries)
    .where('recorded_payout.swap_id', '=', swapId)
    .orderBy('recorded_payout.journal_n')
    .forUpdate('payout')
    .execute()
}

/** Recorded payouts that settled exactly this deposit. */
export async function recordedOfDeposit(
  queries: Queries,
  { network, tx_hash, index }: DepositRow,
): Promise<RecordedRow[]> {
  return recorded(queries)
    .where('payout.id', 'in', (eb) =>
      eb.selectFrom('settled_key').select('payout_id').where('key', '=', `d:${network}/${tx_hash}/${index}`),
    )
    .orderBy('recorded_payout.journal_n')
    .forUpdate('payout')
    .execute()
}

export async function readRecorded(queries: Queries, payoutId: string): Promise<RecordedRow | null> {
  return (await recorded(queries).where('payout.id', '=', payoutId).executeTakeFirst()) ?? null
}

export async function setMet(queries: Queries, payoutId: string, met: boolean): Promise<void> {
  await queries.updateTable('recorded_payout').set({ met }).where('payout_id', '=', payoutId).execute()
}

/** Deposits whose settled key is exactly one of these. */
export async function depositsByKeys(queries: Queries, keys: readonly string[]): Promise<DepositRow[]> {
  const exact = keys.filter((key) => key.startsWith('d:')).map((key) => key.slice(2))
  if (exact.length === 0) return []
  return queries
    .selectFrom('deposit')
    .selectAll()
    .where(sql<boolean>`network || '/' || tx_hash || '/' || index = any(${exact}::text[])`)
    .where(
      'network',
      'in',
      exact.map((key) => key.split('/')[0] ?? ''),
    )
    .where(
      'tx_hash',
      'in',
      exact.map((key) => key.split('/').slice(1, -1).join('/')),
    )
    .where('replaced', '=', false)
    .where('state', '!=', 'gone')
    .execute()
}

/**
 * Voids a recorded payout that is proven unpaid: the deposits that it settled are free again. False if it was closed or
 * taken over by a swap meanwhile.
 */
export async function voidPayout(queries: Queries, payoutId: string): Promise<boolean> {
  const rows = await queries
    .updateTable('payout')
    .set({ state: 'abandoned' })
    .where('id', '=', payoutId)
    .where('kind', '=', 'recorded')
    .where('state', '=', 'open')
    .where('started', '=', false)
    .returning('id')
    .execute()
  if (rows.length === 0) return false
  await queries.deleteFrom('settled_key').where('payout_id', '=', payoutId).execute()
  return true
}

/** Confirms a recorded payout that was mined. False if a swap took it over meanwhile. */
export async function confirmRecorded(queries: Queries, payoutId: string, now: Date): Promise<boolean> {
  const rows = await queries
    .updateTable('payout')
    .set({ state: 'confirmed', confirmed_at: now })
    .where('id', '=', payoutId)
    .where('kind', '=', 'recorded')
    .where('state', '=', 'open')
    .returning('id')
    .execute()
  return rows.length === 1
}

/**
 * Payouts for something that a recorded payout already settled: the id of that recorded payout per payout id. It
 * applies until both belong to the same swap. If only the transaction or the address matches, it applies while a deposit
 * that was settled there is missing in the database: it may be this one.
 */
export async function settledBefore(queries: Queries, payouts: readonly PayoutRow[]): Promise<Map<string, string>> {
  const any = await queries.selectFrom('settled_key').select('key').limit(1).executeTakeFirst()
  if (!any || payouts.length === 0) return new Map()
  const settles = await readSettles(queries, payouts)
  const keys = [...new Set([...settles.values()].flat())]
  if (keys.length === 0) return new Map()
  const rows = await queries
    .selectFrom('settled_key')
    .innerJoin('payout', 'payout.id', 'settled_key.payout_id')
    .select(['settled_key.key', 'payout.id', 'payout.kind'])
    .where('settled_key.key', 'in', keys)
    .where('payout.state', '!=', 'abandoned')
    .execute()
  const found = new Map<string, string>()
  for (const { id } of payouts) {
    const own = rows.filter(({ key, id: by }) => by !== id && settles.get(id)?.includes(key))
    for (const { key, id: by, kind } of own) {
      const isExact = !key.startsWith('t:') && !key.startsWith('a:')
      if (isExact ? kind === 'recorded' : !(await isThere(queries, by, key))) found.set(id, by)
    }
  }
  return found
}

/** Whether every deposit that this payout settled in that transaction, or at that address, is still stored. */
async function isThere(queries: Queries, payoutId: string, key: string): Promise<boolean> {
  const row = await readRecorded(queries, payoutId)
  const same = key.startsWith('t:') ? `d:${key.slice(2)}/` : `d:${key.slice(2).split('/')[0]}/`
  const exact = row?.keys.filter((one) => one.startsWith(same)) ?? []
  return exact.length > 0 && (await depositsByKeys(queries, exact)).length === exact.length
}

/** Which of these swaps the database has. */
export async function knownSwaps(queries: Queries, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await queries.selectFrom('swap').select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}

/** Networks with signed transactions that may still be mined. */
export async function networksWithOpenSlots(queries: Queries): Promise<string[]> {
  const rows = await queries.selectFrom('slot').select('network').distinct().where('state', '=', 'open').execute()
  return rows.map(({ network }) => network).sort()
}

/** Which of these payouts are open, so that they may still be mined. */
export async function openAmong(queries: Queries, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = queries.selectFrom('payout').select('id').where('id', 'in', ids).where('state', '=', 'open')
  return new Set((await rows.execute()).map(({ id }) => id))
}
