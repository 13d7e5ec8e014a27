/** A small runner over the real job table: one job per lane at a time, by the virtual clock, with retries. */

import { RetryLater } from '@causeway/core'
import { pay } from '../../../server/src/flow/payouts/pay.ts'
import { assignUnmatched, returnUnmatched } from '../../../server/src/flow/swap/resolve-unmatched.ts'
import { setRefundAddress } from '../../../server/src/flow/swap/set-refund-address.ts'
import { inspectHint } from '../../../server/src/flow/watch/deposit-hint.ts'
import type { Services } from '../../../server/src/services.ts'
import type { AddressGiven } from '../../../server/src/store/db/jobs.ts'
import { isExpected } from '../check/expected.ts'
import { NEVER_MS } from './process.ts'
import { runStep } from './steps.ts'
import type { Process, World } from './world.ts'

interface Job {
  id: string
  task: string
  payload: Record<string, string>
  queue: number | null
}

/** One of this many oldest due jobs is drawn: real workers do not keep the exact order. */
const DRAWN_FROM = 6

/** Runs one due job. False if there is none. */
export async function runJob(world: World, process: Process): Promise<boolean> {
  if (process.paused) return false
  const job = await takeJob(world, process.life.name)
  if (!job) return false
  const worker = process.life.name
  await runStep(world, process, `runs ${job.task}`, async ({ services }) => {
    try {
      await perform(services, job)
      await finish(world, worker, job)
    } catch (error) {
      if (process.life.name === worker && !process.life.dead) await giveBack(world, worker, job, String(error))
      if (!isExpected(error)) throw error
    }
  })
  return true
}

/** Like the reaper: frees the locks of crashed workers. */
export async function unlock(world: World, workers: string[]): Promise<void> {
  await world.query('select graphile_worker.force_unlock_workers($1::text[])', [workers])
}

async function perform(services: Services, { task, payload }: Job): Promise<void> {
  // As the real worker does.
  if (!services.clock.isTrusted()) throw new RetryLater("this process's clock is wrong")
  if (task === 'pay') return pay(services, payload.payoutId ?? '')
  if (task === 'inspect') return inspectHint(services, payload.network ?? '', payload.txHash ?? '', NEVER_MS)
  if (task === 'assign') return assignUnmatched(services, payload.depositId ?? '', payload.swapId)
  if (task === 'sendBack') return returnUnmatched(services, payload.depositId ?? '', payload.to)
  if (task === 'giveAddress') return setRefundAddress(services, payload as unknown as AddressGiven)
  throw new Error(`nobody does ${task} here`)
}

async function takeJob(world: World, worker: string): Promise<Job | null> {
  const due = await world.query<Job>(
    `select j.id::text as id, t.identifier as task, j.payload, j.job_queue_id as queue
     from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
     left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
     where j.is_available and j.run_at <= now() and (q.id is null or q.is_available)
     order by j.priority, j.run_at, j.id limit ${DRAWN_FROM}`,
  )
  if (due.length === 0) return null
  const job = world.random.pick(due)
  await world.query(
    'update graphile_worker._private_jobs set attempts = attempts + 1, locked_by = $1, locked_at = now() where id = $2',
    [worker, job.id],
  )
  await world.query('update graphile_worker._private_job_queues set locked_by = $1, locked_at = now() where id = $2', [
    worker,
    job.queue,
  ])
  return job
}

async function finish(world: World, worker: string, job: Job): Promise<void> {
  await world.query('delete from graphile_worker._private_jobs where id = $1 and locked_by = $2', [job.id, worker])
  await unlockLane(world, worker, job)
}

async function giveBack(world: World, worker: string, job: Job, error: string): Promise<void> {
  await world.query(
    `update graphile_worker._private_jobs set locked_by = null, locked_at = null, last_error = $3,
       run_at = greatest(now(), run_at) + exp(least(attempts, 10)) * interval '1 second'
     where id = $1 and locked_by = $2`,
    [job.id, worker, error],
  )
  await unlockLane(world, worker, job)
}

async function unlockLane(world: World, worker: string, { queue }: Job): Promise<void> {
  await world.query(
    'update graphile_worker._private_job_queues set locked_by = null, locked_at = null where id = $1 and locked_by = $2',
    [queue, worker],
  )
}
