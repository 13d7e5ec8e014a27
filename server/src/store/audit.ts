/** The audit log: what people and apps changed by hand. Append only; no entry holds a key or a secret. */
import type { Selectable } from 'kysely'
import type { Queries } from './database.ts'
import type { Schema } from './schema.ts'

export type AuditRow = Selectable<Schema['audit_log']>

export interface AuditEntry {
  actor: string
  action: string
  data: Record<string, unknown>
}

export async function insertAudit(queries: Queries, { actor, action, data }: AuditEntry): Promise<void> {
  await queries
    .insertInto('audit_log')
    .values({ actor, action, data: JSON.stringify(data) })
    .execute()
}

/** The newest first. */
export async function listAudit(queries: Queries, limit: number): Promise<AuditRow[]> {
  return queries.selectFrom('audit_log').selectAll().orderBy('id', 'desc').limit(limit).execute()
}
