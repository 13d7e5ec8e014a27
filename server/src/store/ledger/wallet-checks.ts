/**
 * How far the on-chain history of our wallets was compared with the ledger, and which of our transactions are known.
 */
import type { Address, Movement } from '@causeway/core'
import { sql } from 'kysely'
import type { Queries } from '../db/database.ts'

/** The last block up to which the wallet was checked; null if it was never checked. */
export async function checkedTo(queries: Queries, network: string, account: Address): Promise<bigint | null> {
  const row = await queries
    .selectFrom('wallet_check')
    .select('checked_to')
    .where('network', '=', network)
    .where('account', '=', account)
    .executeTakeFirst()
  return row?.checked_to ?? null
}

/** Stores the checked block; it only moves forward. */
export async function saveChecked(
  queries: Queries,
  network: string,
  account: Address,
  to: bigint,
  at: Date,
): Promise<void> {
  await sql`insert into wallet_check (network, account, checked_to, at) values (${network}, ${account}, ${to}, ${at})
    on conflict (network, account) do update
    set checked_to = greatest(wallet_check.checked_to, excluded.checked_to), at = excluded.at`.execute(queries)
}

/** The account's own transactions on chain that the database has neither as attempts nor as recorded findings. */
export async function unknownAmong<Own extends Pick<Movement, 'txHash' | 'slot'>>(
  queries: Queries,
  network: string,
  account: Address,
  movements: readonly Own[],
): Promise<Own[]> {
  const own = movements.filter(({ slot }) => slot !== null)
  if (own.length === 0) return []
  const hashes = own.map(({ txHash }) => txHash.toLowerCase())
  const { rows } = await sql<{ hash: string }>`
    select lower(hash) as hash from attempt join slot on slot.id = attempt.slot_id
    where lower(hash) = any(${hashes}::text[]) and slot.network = ${network}
    union select lower(tx_hash) from accepted_transaction
    where network = ${network} and account = ${account} and lower(tx_hash) = any(${hashes}::text[])`.execute(queries)
  const known = new Set(rows.map(({ hash }) => hash))
  return own.filter(({ txHash }) => !known.has(txHash.toLowerCase()))
}
