/** Facts about the PostgreSQL server that the doctor and the start check. */
import { sql } from 'kysely'
import type { Queries } from './database.ts'

export interface ServerFacts {
  /** As in `server_version_num`: 170004 is 17.4. */
  version: number
  /** Rights that migrations need and this user lacks. */
  lacks: string[]
  maxConnections: number
}

export async function inspectServer(queries: Queries): Promise<ServerFacts> {
  const { rows } = await sql<{ version: number; connections: number; tables: boolean; schemas: boolean }>`
    select current_setting('server_version_num')::int as version,
      current_setting('max_connections')::int as connections,
      has_schema_privilege(current_schema(), 'create') as tables,
      has_database_privilege(current_database(), 'create') as schemas`.execute(queries)
  const [row] = rows
  if (!row) throw new Error('the server does not describe itself')
  const lacks = [...(row.tables ? [] : ['create in its schema']), ...(row.schemas ? [] : ['create in the database'])]
  return { version: row.version, lacks, maxConnections: row.connections }
}

/** The number of swaps, payouts and deposits of a database. */
export async function countRows(queries: Queries): Promise<{ swaps: number; payouts: number; deposits: number }> {
  const { rows } = await sql<{ swaps: number; payouts: number; deposits: number }>`
    select (select count(*)::integer from swap) as swaps, (select count(*)::integer from payout) as payouts,
      (select count(*)::integer from deposit) as deposits`.execute(queries)
  return rows[0] ?? { swaps: 0, payouts: 0, deposits: 0 }
}
