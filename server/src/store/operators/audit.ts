/**
 * The audit log: manual changes by operators and apps. Append only; no entry holds a key or a secret. Each entry
 * carries a hash over itself and its predecessor: changing, inserting or removing one breaks the chain from there on.
 */
import { createHash } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { type Queries, storable } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'

export type AuditRow = Selectable<Schema['audit_log']>

export interface AuditEntry {
  actor: string
  action: string
  data: Record<string, unknown>
  /** The actor's signature over the entry's text. */
  sign?: ((text: string) => string) | undefined
}

/** The predecessor hash of the first entry. */
const BEGINNING = createHash('sha256').update('causeway audit log').digest('hex')
const READ_AT_ONCE = 1_000

/**
 * Adds an entry and returns its hash. Locked until the end of the transaction, because the next entry needs this hash.
 */
export async function insertAudit(queries: Queries, { actor: named, action, data, sign }: AuditEntry): Promise<string> {
  // The database would change such text, and the entry's hash would no longer match.
  const actor = storable(named)
  await sql`select pg_advisory_xact_lock(20267, 0)`.execute(queries)
  const last = await queries
    .selectFrom('audit_log')
    .select('hash')
    .where('hash', 'is not', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const at = new Date()
  const stored: Record<string, unknown> = JSON.parse(JSON.stringify(data))
  const text = textOf({ at, actor, action, data: stored })
  const signature = sign?.(text) ?? null
  const previous = last?.hash ?? BEGINNING
  const hash = hashOf(previous, text, signature)
  await queries
    .insertInto('audit_log')
    .values({ at, actor, action, data: JSON.stringify(stored), previous, hash, signature })
    .execute()
  return hash
}

/** The newest audit entries, newest first. */
export async function listAudit(queries: Queries, limit: number): Promise<AuditRow[]> {
  return queries.selectFrom('audit_log').selectAll().orderBy('id', 'desc').limit(limit).execute()
}

export interface AuditVerdict {
  /** The number of entries in the chain, and of those from before the chain was introduced. */
  chained: number
  unchained: number
  /** The newest hash; null if there is none. A copy kept elsewhere later proves that no newer entry was removed. */
  head: string | null
  /** Inconsistencies, by entry. */
  problems: { id: bigint; problem: string }[]
}

/** Verifies the whole chain. `isSigned` checks the signature over an entry's text, or its absence. */
export async function verifyAudit(
  queries: Queries,
  isSigned: (row: AuditRow, text: string) => boolean,
  expected: string | null,
): Promise<AuditVerdict> {
  const verdict: AuditVerdict = { chained: 0, unchained: 0, head: null, problems: [] }
  let previous = BEGINNING
  let isExpectedSeen = expected === null
  for (let after = 0n; ; ) {
    const rows = await queries
      .selectFrom('audit_log')
      .selectAll()
      .where('id', '>', after)
      .orderBy('id')
      .limit(READ_AT_ONCE)
      .execute()
    for (const row of rows) {
      after = row.id
      const found = problemOf(row, previous, verdict.chained > 0, isSigned)
      if (found) verdict.problems.push({ id: row.id, problem: found })
      if (row.hash === null) verdict.unchained += 1
      else {
        verdict.chained += 1
        verdict.head = row.hash
        // Continues from the stored hash, so that one break is reported only once.
        previous = row.hash
      }
      isExpectedSeen ||= row.hash === expected
    }
    if (rows.length < READ_AT_ONCE) break
  }
  if (!isExpectedSeen)
    verdict.problems.push({ id: 0n, problem: `no entry has the hash ${expected}: the end was cut off` })
  return verdict
}

function problemOf(
  row: AuditRow,
  previous: string,
  hasBegun: boolean,
  isSigned: (row: AuditRow, text: string) => boolean,
): string | null {
  if (row.hash === null) return hasBegun ? 'it was put in without a hash' : null
  if (row.previous !== previous) return 'an entry before it was changed, put in or taken out'
  const text = textOf(row)
  if (row.hash !== hashOf(previous, text, row.signature)) return 'it was changed'
  return isSigned(row, text) ? null : 'it is not signed by its actor'
}

/** The text that is signed and hashed: the same bytes, however the database stores the data. */
function textOf({ at, actor, action, data }: Pick<AuditRow, 'at' | 'actor' | 'action' | 'data'>): string {
  return JSON.stringify({ action, actor, at: at.toISOString(), data: sorted(data) })
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]))
}

function hashOf(previous: string, text: string, signature: string | null): string {
  return createHash('sha256')
    .update(`${previous}\n${text}\n${signature ?? ''}`)
    .digest('hex')
}
