/**
 * A backup that goes back: every table of the database is kept aside, and put back later as if nothing had happened since.
 * The chains remember what the database has forgotten.
 */

import { openJournal } from '../../../server/src/keys/journal/journal.ts'
import { insertJournalRow, readJournalRow, setJournalState } from '../../../server/src/store/journal/journal-row.ts'
import { keepApart } from '../oracle/chronicle.ts'
import { restoreFromJournal, restoreWithoutJournal } from '../people/operator-bot.ts'
import { kill } from './steps.ts'
import { chainIn, type World } from './world.ts'

const TABLES = `select c.oid::regclass::text as name, 'kept.' || quote_ident(n.nspname || '_' || c.relname) as copy,
    (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
     where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and (n.nspname = 'graphile_worker' or n.nspname = 'public') and c.relname <> 'sim_journal'`

/** Of a run. Each makes it forget swaps, and stand still for a review. */
const MOST_RESTORES = 2

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
  await world.query(`create table kept.sequences as select schemaname, sequencename, last_value, start_value from pg_sequences
    where schemaname = 'public' and sequencename not in ('sim_ids', 'sim_journal_id_seq')`)
  world.story.tell('operator', 'makes a backup')
}

/** How often the journal is lost with the database. Then nothing of ours may be pending. */
const LOST_JOURNAL = 0.25
/** How often the operator replays the journal before the processes start. Else they start, and sign nothing until then. */
const PREPARED = 0.6

/** No process runs meanwhile. The chains and, in most runs, the signing journal remember what the database has lost. */
export async function putBack(world: World): Promise<void> {
  if (world.restores >= MOST_RESTORES) return
  const [kept] = await world.query<{ is: boolean }>("select to_regclass('kept.sequences') is not null as is")
  if (!kept?.is) return
  world.restores++
  world.story.tell('operator', 'puts the backup back')
  const isJournalLost = world.random.chance(LOST_JOURNAL)
  if (isJournalLost) for (const network of world.chains.keys()) landAll(world, network)
  await world.query('set session_replication_role = replica')
  const tables = await world.query<Kept>(TABLES)
  await world.query(`truncate ${tables.map(({ name }) => name).join(', ')}`)
  for (const { name, copy, columns } of tables)
    await world.query(`insert into ${name} (${columns}) overriding system value select ${columns} from ${copy}`)
  await world.query(`select setval(format('%I.%I', schemaname, sequencename), coalesce(last_value, start_value), last_value is not null)
    from kept.sequences`)
  await world.query('set session_replication_role = origin')
  await world.query('drop schema kept cascade')
  const slots = await world.query<{ id: string }>('select id::text from slot')
  keepApart(world.oracle.record, new Set(slots.map(({ id }) => id)))
  const approved = await world.query<{ id: string }>(
    "select payout_id as id from decision join hold on hold.id = hold_id where answer = 'approve'",
  )
  world.oracle.record.approved = new Set(approved.map(({ id }) => id))
  const locks = await world.query<{ worker: string }>(
    `select locked_by as worker from graphile_worker._private_jobs where locked_by is not null
     union select locked_by from graphile_worker._private_job_queues where locked_by is not null`,
  )
  world.deadWorkers.push(...locks.map(({ worker }) => worker))
  const { database } = world.desk
  if (!(await readJournalRow(database))) await insertJournalRow(database, world.base.journal.id, world.base.journal.id)
  if (isJournalLost) {
    world.story.tell('operator', 'has lost the journal')
    world.base.journal = await openJournal({ folder: null, now: world.base.now, database: world.base.signing.database })
    await restoreWithoutJournal(world)
  } else {
    await world.base.journal.stop('rolled_back', {}, {})
    await setJournalState(database, 'rolled_back')
    world.restoring = 'journal'
    if (world.random.chance(PREPARED)) await restoreFromJournal(world)
  }
  for (const process of world.processes) await kill(world, process)
}

/** What of ours waits for a block lands for good. */
function landAll(world: World, network: string): void {
  const chain = chainIn(world, network)
  const { feePerMove } = chain
  chain.feePerMove = 0n
  chain.mine(world.base.catalogue.network(network).finalDepth + 1)
  chain.feePerMove = feePerMove
  // A transaction blocked by a nonce gap is not sent any more.
  const treasury = world.base.chains.get(network)?.treasury
  for (const { hash, account } of [...chain.mempool]) if (account === treasury) chain.evict(hash)
}
