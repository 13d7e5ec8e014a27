/**
 * Random-start round robin: picks some of many items so that each gets its turn. Items that cannot progress now do not
 * block the others, and nothing has to be stored for it.
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
