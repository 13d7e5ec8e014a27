/** Jobs, added in the transaction that makes them necessary. A lane is a queue that runs its jobs one at a time. */
import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Queries } from './database.ts'

/** Maximum length of a key in the job queue. */
const LONGEST_KEY = 512

export type Job =
  | { task: 'pay'; payload: { payoutId: string }; lane: string }
  /**
   * The destination is read from the database when the job runs, so that the last decision counts. `swapId` and `to`
   * are in jobs of older versions.
   */
  | { task: 'assign'; payload: { depositId: string; swapId?: string }; lane?: never }
  | { task: 'sendBack'; payload: { depositId: string; to?: string }; lane?: never }
  | { task: 'giveAddress'; payload: AddressGiven; lane?: never }
  | { task: 'correctProceeds'; payload: ProceedsStated; lane?: never }
  | { task: 'promise'; payload: { swapId: string }; lane?: never }
  | { task: 'inspect'; payload: { network: string; txHash: string }; lane: string }

/** Payload of the job that sets the refund address of these deposits' owed money. */
export interface AddressGiven {
  swapId: string
  address: string
  by: 'app' | 'sender' | 'operator'
  depositIds: string[]
  /** If a sender set the address: the addresses that signed, which must still own these deposits. */
  signers: string[]
  /** The fee that an operator stated, in whole tokens as a decimal. */
  fee?: string | undefined
}

/** Payload of the job that books what a sale brought: base units as text. */
export interface ProceedsStated {
  swapId: string
  units: string
}

/** The lane (queue) of a signing account. */
export function laneOf(network: string, account: string): string {
  return `pay:${network}:${account}`
}

/** A client's hint about a transaction. One lane per network: a node that hangs delays no other network. */
export function hintJob(network: string, txHash: string): Job {
  return { task: 'inspect', payload: { network, txHash }, lane: `hint:${network}` }
}

/**
 * Adds the job, or moves the waiting one for the same key to the new time. A running job is not touched: another one is
 * added after it. `inMs` is by the database's clock: a process whose own clock is off must neither starve a job nor
 * spin on it.
 */
export async function addJob(queries: Queries, job: Job, when: Date | { inMs: number } = { inMs: 0 }): Promise<void> {
  const key = keyOf(job)
  const asked = when instanceof Date ? sql`${when}::timestamptz` : sql`now() + ${when.inMs} * interval '1 millisecond'`
  // A job that is requested repeatedly keeps its time: if it moved each time, it would never run in a busy lane.
  const isNow = !(when instanceof Date) && when.inMs === 0
  const runAt = isNow ? inItsPlace(key) : asked
  await queueJobs(
    queries,
    sql`select (graphile_worker.add_job(
      ${job.task}, ${JSON.stringify(job.payload)}::json, queue_name := ${job.lane ?? null},
      run_at := ${runAt}, max_attempts := 25, job_key := ${key}, job_key_mode := 'replace'
    )).id`,
  )
}

/**
 * Runs a statement that adds jobs and returns their ids. The job library adds nothing for a waiting job that a worker
 * takes at the same moment. That worker may not see what this transaction changes, so the job is added again: then
 * behind the running one.
 */
export async function queueJobs(queries: Queries, statement: RawBuilder<{ id: string | null }>): Promise<void> {
  let isMissing = true
  while (isMissing) isMissing = (await statement.execute(queries)).rows.some(({ id }) => id === null)
}

function keyOf({ task, payload }: Job): string {
  const key = `${task}:${Object.values(task === 'giveAddress' ? whoseWord(payload) : payload).join(':')}`
  return key.length <= LONGEST_KEY ? key : `${task}:${createHash('sha256').update(key).digest('hex')}`
}

/**
 * The job key of a refund address: if an address is set again before the first was processed, the last one replaces it.
 */
function whoseWord({ swapId, by, signers }: AddressGiven) {
  return { swapId, by, signers }
}

/** SQL: now, or the job's present time if that is earlier. */
function inItsPlace(key: string) {
  return sql`least(now(), (select run_at from graphile_worker._private_jobs where key = ${key}))`
}

/**
 * Requeues the job of a payout, in case its queue has lost it. A waiting job keeps its place: it is not moved behind
 * others.
 */
export async function requeueJob(queries: Queries, payoutId: string, lane: string): Promise<void> {
  await queueJobs(
    queries,
    sql`select (graphile_worker.add_job(
      'pay', json_build_object('payoutId', ${payoutId}::text), queue_name := ${lane}, max_attempts := 25,
      job_key := ${`pay:${payoutId}`}, job_key_mode := 'preserve_run_at'
    )).id`,
  )
}

/**
 * Queues the job of a started payout for now. A waiting job keeps its place, or it would never run in a busy lane. A
 * job that blocks others runs before them.
 */
export async function hastenJob(
  queries: Queries,
  payoutId: string,
  lane: string,
  place: 'in turn' | 'first',
): Promise<void> {
  const key = `pay:${payoutId}`
  await queueJobs(
    queries,
    sql`select (graphile_worker.add_job(
      'pay', json_build_object('payoutId', ${payoutId}::text), queue_name := ${lane}, max_attempts := 25,
      run_at := ${inItsPlace(key)},
      job_key := ${key}, job_key_mode := 'replace', priority := ${place === 'first' ? -1 : 0}
    )).id`,
  )
}

/** Moves the jobs of these payouts, all in one lane, to a later time, and creates missing ones. */
export async function deferPayJobs(
  queries: Queries,
  payoutIds: readonly string[],
  lane: string,
  inMs: number,
): Promise<void> {
  if (payoutIds.length === 0) return
  await queueJobs(
    queries,
    sql`select (graphile_worker.add_job(
      'pay', json_build_object('payoutId', id), queue_name := ${lane},
      run_at := now() + ${inMs} * interval '1 millisecond', max_attempts := 25,
      job_key := 'pay:' || id, job_key_mode := 'replace'
    )).id from unnest(${payoutIds}::text[]) id`,
  )
}

/** Deletes the jobs of these payouts. */
export async function dropPayJobs(queries: Queries, payoutIds: readonly string[]): Promise<void> {
  if (payoutIds.length === 0) return
  await sql`select graphile_worker.remove_job('pay:' || id) from unnest(${payoutIds}::text[]) id`.execute(queries)
}

/**
 * Ids of the workers that hold locked jobs. Jobs of a crashed worker would stay locked for hours; its missing session
 * lock shows the crash.
 */
export async function lockedWorkers(queries: Queries): Promise<string[]> {
  const { rows } = await sql<{ worker: string }>`
    select locked_by as worker from graphile_worker._private_jobs where locked_by is not null
    union select locked_by from graphile_worker._private_job_queues where locked_by is not null`.execute(queries)
  return rows.map(({ worker }) => worker)
}

/** True if no session holds that worker's lock any more. */
export async function isWorkerGone(queries: Queries, worker: string): Promise<boolean> {
  const { rows } = await sql<{ gone: boolean }>`
    select not exists (
      select 1 from pg_locks where locktype = 'advisory' and granted and classid = ${WORKER_LOCKS}
        and objid = (hashtext(${worker})::bigint & 4294967295)::oid
        and database = (select oid from pg_database where datname = current_database())
    ) as gone`.execute(queries)
  return rows[0]?.gone === true
}

export async function unlockWorkers(queries: Queries, workers: string[]): Promise<void> {
  await sql`select graphile_worker.force_unlock_workers(${workers}::text[])`.execute(queries)
}

/** The class of advisory locks of living workers. */
const WORKER_LOCKS = 20_261
/** Takes the advisory lock of the only process that signs with its own journal. */
export const TRY_SIGNING_LOCK = 'select pg_try_advisory_lock(20262, 1) as held'
/** The statement by which a worker's session takes the lock that shows that it is alive. */
export const HOLD_WORKER_LOCK = `select pg_advisory_lock(${WORKER_LOCKS}, hashtext($1))`

/** The number of jobs that are due and that no worker has taken, counted up to a limit. */
export async function countWaitingJobs(queries: Queries, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from graphile_worker._private_jobs where is_available and run_at <= now() limit ${most}
    ) waiting`.execute(queries)
  return rows[0]?.count ?? 0
}
