/**
 * Stores new swaps. Swaps that are created at the same moment are stored by one statement, which is durable when it returns.
 * The database assigns the ordinal, in the order of the rows.
 */
import { type Swap, tokenKey } from '@causeway/core'
import { type RawBuilder, sql } from 'kysely'
import { coalesce } from '../db/coalesce.ts'
import { isQueryError, type Queries } from '../db/database.ts'
import { PREPARED_STATEMENTS } from '../db/prepared-statements.ts'
import type { SwapTable } from '../db/schema.ts'
import type { IdempotentRequest } from './idempotency.ts'
import { type QuoteView, storedView } from './quote-view.ts'
import { quoteParts, storedLeg } from './stored-quote.ts'

export interface NewSwap {
  swap: Swap
  reference: bigint
  receiver: string
  referenceId: string | null
  appId: string | null
  appName: string | null
  /** The group of the client, if the swap has a deposit address or is gasless. */
  clientGroup: number | null
  exchanges: { source: string | null; destination: string | null }
  correlationId: string | null
  quoteView: QuoteView
  createdAt: Date
  /** The gas surcharge for the recipient's own code. */
  effort: bigint
  /** The idempotency key that the swap claims. */
  repeated: IdempotentRequest | null
}

/**
 * Stores a swap; true if stored. False if another swap has the idempotency key, or if the swap would pay one of our own
 * deposit addresses. Throws an error that `isReferenceTaken` recognises if the reference is taken.
 */
export const storeSwap = coalesce(insertSwaps)

/** Whether the error is a duplicate reference. Nothing was stored: draw another reference and repeat. */
export function isReferenceTaken(error: unknown): boolean {
  return isQueryError(error) && (error as { constraint?: string }).constraint === 'swap_reference_key'
}

/**
 * Inserts swaps and claims their idempotency keys. A concurrent claim of the same key waits here for the end of the
 * other transaction.
 */
export async function insertSwaps(queries: Queries, entries: NewSwap[]): Promise<boolean[]> {
  const { rows } = await insertion(entries).execute(queries)
  const stored = new Set(rows.map(({ id }) => id))
  return entries.map(({ swap }) => stored.has(swap.id))
}

const COLUMNS = [
  'id',
  'reference',
  'reference_id',
  'app_id',
  'app_name',
  'client_group',
  'source_exchange',
  'destination_exchange',
  'correlation_id',
  'status',
  'fail_reason',
  'source_network',
  'source_token',
  'destination_network',
  'destination_token',
  'refuel',
  'destination_address',
  'source_address',
  'refund_address',
  'receiver',
  'uses_deposit_address',
  'uses_depository',
  'uses_gasless',
  'recipient_effort',
  'requested_units',
  'slippage',
  'quote',
  'quote_view',
  'user_exchange',
  'quote_expires_at',
  'expires_at',
  'created_at',
] as const satisfies readonly (keyof SwapTable)[]

const LIST = sql.raw([...COLUMNS, 'made_at_head'].join(', '))
/** SQL for the column that records how far the source network was scanned at creation: only the database knows it. */
const MADE = sql.raw(
  `${COLUMNS.join(', ')}, (select head_number from chain_cursor where network = source_network) as made_at_head`,
)

/**
 * Builds the insert statement. The rows are one JSON text, so that the statement is the same for any number of swaps.
 */
function insertion(entries: NewSwap[]): RawBuilder<{ id: string }> {
  // A subquery per row instead of a join, so that each address is looked up by index.
  const payable = sql`
    select ${MADE} from json_populate_recordset(null::swap, ${JSON.stringify(entries.map(rowOf))}::json) made
    where (select 1 from deposit_address where network = destination_network and address = destination_address) is null
    and (select 1 from deposit_address where network = source_network and address = refund_address) is null`
  const insert = sql`insert into swap (${LIST})`
  const claims = entries.flatMap(claimOf).sort((a, b) => (`${a.scope} ${a.key}` < `${b.scope} ${b.key}` ? -1 : 1))
  if (claims.length === 0) return sql`${PREPARED_STATEMENTS}${insert} ${payable} returning id`
  // Sorted by key, so that two statements never deadlock.
  return sql`${PREPARED_STATEMENTS}
    with payable as (${payable}), claimed as (
      insert into idempotency_key (scope, key, body_hash, swap_id, created_at)
      select scope, key, body_hash, swap_id, created_at
      from json_populate_recordset(null::idempotency_key, ${JSON.stringify(claims)}::json)
      where swap_id in (select id from payable)
      on conflict do nothing
      returning swap_id
    )
    ${insert} select ${LIST} from payable
    where id <> all(${claims.map(({ swap_id }) => swap_id)}::uuid[]) or id in (select swap_id from claimed)
    returning id`
}

function claimOf({ repeated, swap, createdAt }: NewSwap) {
  if (!repeated) return []
  const { scope, key, bodyHash: body_hash } = repeated
  return [{ scope, key, body_hash, swap_id: swap.id, created_at: createdAt }]
}

function rowOf({ swap, reference, ...entry }: NewSwap): Record<(typeof COLUMNS)[number], unknown> {
  return {
    id: swap.id,
    reference: reference.toString(),
    // Text from the caller: PostgreSQL cannot store half a surrogate pair.
    reference_id: entry.referenceId?.toWellFormed() ?? null,
    app_id: entry.appId,
    app_name: entry.appName?.toWellFormed() ?? null,
    client_group: entry.clientGroup,
    source_exchange: entry.exchanges.source,
    destination_exchange: entry.exchanges.destination,
    correlation_id: entry.correlationId,
    status: swap.status,
    fail_reason: swap.failReason,
    source_network: swap.source.network,
    source_token: tokenKey(swap.source),
    destination_network: swap.destination.network,
    destination_token: tokenKey(swap.destination),
    refuel: swap.refuel !== null,
    destination_address: swap.destinationAddress,
    source_address: swap.sourceAddress,
    refund_address: swap.refundAddress,
    receiver: entry.receiver,
    uses_deposit_address: swap.usesDepositAddress,
    uses_depository: swap.usesDepository,
    uses_gasless: swap.usesGasless,
    recipient_effort: entry.effort.toString(),
    requested_units: swap.requestedUnits?.toString() ?? null,
    slippage: swap.slippage.toString(),
    quote: swap.quote && quoteParts(swap.quote),
    quote_view: storedView(entry.quoteView),
    user_exchange: swap.userExchange ? storedLeg(swap.userExchange) : null,
    quote_expires_at: swap.quoteExpiresAt.toISOString(),
    expires_at: swap.expiresAt.toISOString(),
    created_at: entry.createdAt.toISOString(),
  }
}
