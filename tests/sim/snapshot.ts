/**
 * A backup that goes back: every table of the database is kept aside, and put back later as if nothing had happened since.
 * The chains remember what the database has forgotten.
 */
import { kill } from './steps.ts'
import type { World } from './world.ts'

const TABLES = `select c.oid::regclass::text as name, 'kept.' || quote_ident(n.nspname || '_' || c.relname) as copy,
    (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
     where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and (n.nspname = 'graphile_worker' or n.nspname = 'public') and c.relname <> 'sim_journal'`

interface Kept {
  name: string
  copy: string
  columns: string
}

export async function takeSnapshot(world: World): Promise<void> {
  await world.query('drop schema if exists kept cascade')
  await world.query('create schema kept')
  for (const { name, copy } of await world.query<Kept>(TABLES))
    await world.query(`create table ${copy} as table ${name}`)
  await world.query(`create table kept.sequences as select schemaname, sequencename, last_value from pg_sequences
    where schemaname = 'public' and sequencename not in ('sim_ids', 'sim_journal_id_seq')`)
  world.story.tell('operator', 'makes a backup')
}

/** Nobody runs meanwhile. `afterwards` is what the operator does before everything starts again. */
export async function putBack(world: World, afterwards: () => Promise<void>): Promise<void> {
  const [kept] = await world.query<{ is: boolean }>("select to_regclass('kept.sequences') is not null as is")
  if (!kept?.is) return
  world.story.tell('operator', 'puts the backup back')
  await world.query('set session_replication_role = replica')
  const tables = await world.query<Kept>(TABLES)
  await world.query(`truncate ${tables.map(({ name }) => name).join(', ')}`)
  for (const { name, copy, columns } of tables)
    await world.query(`insert into ${name} (${columns}) overriding system value select ${columns} from ${copy}`)
  await world.query(`select setval(format('%I.%I', schemaname, sequencename), coalesce(last_value, 1), last_value is not null)
    from kept.sequences`)
  await world.query('set session_replication_role = origin')
  await world.query('drop schema kept cascade')
  await afterwards()
  for (const process of world.processes) await kill(world, process)
}
