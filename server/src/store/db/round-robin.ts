/**
 * Round robin from a random start: picks some of many items so that each gets its turn. Items that cannot progress do
 * not block the others, and no position has to be stored.
 */
import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'

/**
 * `rows`: "table where condition", read in the order of random ids from an index that starts with the fixed columns.
 */
export function roundRobin<Row>(rows: RawBuilder<unknown>, limit: number): RawBuilder<Row> {
  const start = randomUUID()
  return sql<Row>`
    (select * from ${rows} and id >= ${start}::uuid order by id limit ${limit})
    union all (select * from ${rows} and id < ${start}::uuid order by id limit ${limit})
    limit ${limit}`
}
