/**
 * A backup that goes back: every table of the database is kept aside, and put back later as if nothing had happened since.
 * The chains remember what the database has forgotten.
 */

import { catalogueOf } from '@causeway/core'
import { family, openNode, registerChain } from '../../../chains/simulated/local/src/index.ts'
import { openChains } from '../../../server/src/catalogue/chains.ts'
import { openJournal } from '../../../server/src/keys/journal/journal.ts'
import { insertJournalRow, readJournalRow, setJournalState } from '../../../server/src/store/journal/journal-row.ts'
import { claimTreasury } from '../../../server/src/store/ledger/treasuries.ts'
import { readKnown, rememberListed } from '../../../server/src/store/market/known-assets.ts'
import { testSigner } from '../../support/chains/signer.ts'
import { familyIn } from '../faults/storm.ts'
import { keepForgottenSlots } from '../oracle/commit-record.ts'
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
/** How often a process restarts when its database fails over. */
const RESTARTED = 0.5
/** Longer than payouts are tried in a run. */
const LEFT_OUT_MS = 2_400_000
/** Whole tokens in each new wallet. */
const FILLED = 200_000n

/** No process runs meanwhile. The chains and, in most runs, the signing journal remember what the database has lost. */
export async function putBack(world: World): Promise<void> {
  if (!(await mayGoBack(world))) return
  world.restores++
  world.story.tell('operator', 'puts the backup back')
  const isJournalLost = world.random.chance(LOST_JOURNAL)
  if (isJournalLost) for (const network of world.chains.keys()) landAll(world, network)
  await goBack(world)
  if (world.disasters.storm.leftOut) await leaveOut(world)
  if (world.disasters.storm.newKeys) await changeKeys(world)
  if (isJournalLost) {
    world.story.tell('operator', 'has lost the journal')
    world.base.journal = await openJournal({ folder: null, now: world.base.now, database: world.base.signing.database })
    await restoreWithoutJournal(world)
  } else {
    await stopForRestore(world)
    if (world.random.chance(PREPARED)) await restoreFromJournal(world)
  }
  for (const process of world.processes) await kill(world, process)
}

/** The processes run, and some of them do not even restart. Nothing tells the journal. */
export async function failOver(world: World): Promise<void> {
  if (!(await mayGoBack(world))) return
  world.restores++
  world.isBehind = true
  world.story.tell('database', 'fails over to a standby that is behind')
  await goBack(world)
  for (const process of world.processes) if (world.random.chance(RESTARTED)) await kill(world, process)
}

/** A process, or the journal's fences, have noticed that the database went back in time. */
export async function noticeStop(world: World): Promise<void> {
  if (!world.isBehind || world.base.journal.state() === 'running') return
  world.story.tell('operator', 'is told that signing is stopped')
  await stopForRestore(world)
}

export async function stopForRestore(world: World): Promise<void> {
  const { journal } = world.base
  if (journal.state() === 'running') await journal.stop('rolled_back', {}, {})
  await setJournalState(world.desk.database, 'rolled_back')
  world.restoring = 'journal'
  if (!world.isBehind) return
  world.isBehind = false
  // Those that still run with what they remember of the lost database end now.
  for (const process of world.processes) await kill(world, process)
}

async function mayGoBack(world: World): Promise<boolean> {
  if (world.restores >= MOST_RESTORES || world.restoring !== null || world.isBehind) return false
  const [kept] = await world.query<{ is: boolean }>("select to_regclass('kept.sequences') is not null as is")
  return kept?.is === true
}

/** The tables become what they were when the snapshot was taken. */
async function goBack(world: World): Promise<void> {
  const swaps = await world.query<{ id: string }>('select id from swap')
  await world.query('set session_replication_role = replica')
  const tables = await world.query<Kept>(TABLES)
  await world.query(`truncate ${tables.map(({ name }) => name).join(', ')}`)
  for (const { name, copy, columns } of tables)
    await world.query(`insert into ${name} (${columns}) overriding system value select ${columns} from ${copy}`)
  await world.query(`select setval(format('%I.%I', schemaname, sequencename), coalesce(last_value, start_value), last_value is not null)
    from kept.sequences`)
  await world.query('set session_replication_role = origin')
  await world.query('drop schema kept cascade')
  const known = new Set((await world.query<{ id: string }>('select id from swap')).map(({ id }) => id))
  for (const { id } of swaps) if (!known.has(id)) world.lostSwaps.add(id)
  const slots = await world.query<{ id: string }>('select id::text from slot')
  keepForgottenSlots(world.oracle.record, new Set(slots.map(({ id }) => id)))
  const approved = await world.query<{ id: string }>(
    "select payout_id as id from decision join hold on hold.id = hold_id where answer = 'approve'",
  )
  world.oracle.record.approved = new Set(approved.map(({ id }) => id))
  const locks = await world.query<{ worker: string }>(
    `select locked_by as worker from graphile_worker._private_jobs where locked_by is not null
     union select locked_by from graphile_worker._private_job_queues where locked_by is not null`,
  )
  world.deadWorkers.push(...locks.map(({ worker }) => worker))
  const { journal } = world.base
  const { database } = world.desk
  if (!(await readJournalRow(database))) await insertJournalRow(database, journal.id, journal.id)
}

/** The files of now do not name one network. It comes back later. */
async function leaveOut(world: World): Promise<void> {
  const { disasters, base, story, random, desk } = world
  if (disasters.catalogue) return
  const out = random.pick([...world.chains.keys()])
  await rememberListed(desk.database, base.catalogue.networks)
  const networks = base.catalogue.networks.filter(({ name }) => name !== out)
  disasters.catalogue = catalogueOf(networks, await readKnown(desk.database))
  disasters.leftOut = out
  story.tell('operator', `leaves ${out} out`)
  const dueMs = world.elapsedMs + random.between(LEFT_OUT_MS / 4, LEFT_OUT_MS)
  world.intents.push({ dueMs, act: () => bringBack(world) })
}

export async function bringBack(world: World): Promise<void> {
  const { disasters, story } = world
  if (disasters.leftOut === null) return
  story.tell('operator', `configures ${disasters.leftOut} again`)
  disasters.leftOut = null
  disasters.catalogue = null
  for (const process of world.processes) await kill(world, process)
}

/** As a start with NEW_TREASURY. The operator fills the new wallets; once per run. */
async function changeKeys(world: World): Promise<void> {
  const { disasters, base, story, desk } = world
  if (world.formerWallets.size > 0) return
  disasters.keys = 'other keys'
  story.tell('operator', 'changes the keys')
  for (const [network, { treasury }] of base.chains) world.formerWallets.set(network, treasury)
  for (const [network, chain] of world.chains) registerChain(network, chain, openNode(chain))
  const families = async () => familyIn(family, disasters)
  base.chains = await openChains(base.catalogue, families, testSigner(disasters.keys), base.log)
  for (const [name, { treasury, network }] of base.chains) {
    await claimTreasury(desk.database, name, treasury, true)
    for (const { contract, decimals } of network.tokens)
      chainIn(world, name).mint(treasury, contract, FILLED * 10n ** BigInt(decimals))
  }
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
