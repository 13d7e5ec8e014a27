/**
 * Runs the jobs. A worker proves that it is alive by an advisory lock of its own session (`heartbeat.ts`). When the lock is gone,
 * the first process to notice frees the jobs and queues of the crashed worker, within seconds instead of hours.
 */
import { EventEmitter } from 'node:events'
import { RetryLater } from '@causeway/core'
import { run, type Task, type TaskList, type WorkerEvents, Logger as WorkerLogger } from 'graphile-worker'
import pg from 'pg'
import { z } from 'zod'
import type { Services } from '../../services.ts'
import { isWorkerGone, lockedWorkers, unlockWorkers } from '../../store/db/jobs.ts'
import { setTimeouts } from '../../store/db/session.ts'
import { promiseReward } from '../kinds/reward.ts'
import { sleep } from '../lib/sleep.ts'
import { pay } from '../payouts/pay.ts'
import { correctProceeds } from '../swap/correct-proceeds.ts'
import { assignUnmatched, returnUnmatched } from '../swap/resolve-unmatched.ts'
import { setRefundAddress } from '../swap/set-refund-address.ts'
import { followHint } from '../watch/deposit-hint.ts'
import { dispatchWebhooks } from '../webhooks/dispatch.ts'
import { openHeartbeat } from './heartbeat.ts'

/**
 * Workers per kind of job besides payouts. These jobs are less urgent or can be triggered by third parties, so they
 * have few workers.
 */
const CONCURRENCY = { errands: 4, hints: 4 }
/** A *lane* is the queue of one signing account. A replaced wallet may still have one. */
const SPARE_LANES = 2
/**
 * A worker needs a connection only to take a job and to finish it. Each of the three kinds also holds one for LISTEN.
 */
const CONNECTIONS = 10
/** A connection that was dropped silently must not block a worker forever. */
const TIMEOUTS = {
  connectionTimeoutMillis: 10_000,
  onConnect: setTimeouts(30_000),
  query_timeout: 35_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
}
/** New jobs are announced by notification. Polling finds jobs that were scheduled for a later time. */
const POLL_MS = 500
/**
 * How often crashed workers are searched for. A worker must be missing twice, since a new one takes its lock shortly
 * after its start.
 */
const REAP_MS = 250

const PayPayload = z.object({ payoutId: z.string() })
const AssignPayload = z.object({ depositId: z.string(), swapId: z.string().optional() })
const SendBackPayload = z.object({ depositId: z.string(), to: z.string().optional() })
const AddressPayload = z.object({
  swapId: z.string(),
  address: z.string(),
  by: z.enum(['app', 'sender', 'operator']),
  // Empty in jobs of an older release, which authorised a whole swap: such a job does nothing and says so.
  depositIds: z.array(z.string()).default([]),
  signers: z.array(z.string()).default([]),
  fee: z.string().optional(),
})
const ProceedsPayload = z.object({ swapId: z.string(), units: z.string() })
const PromisePayload = z.object({ swapId: z.string() })
const InspectPayload = z.object({ network: z.string(), txHash: z.string() })

export async function runWorker(services: Services, signal: AbortSignal): Promise<void> {
  const { over } = await startWorker(services, signal)
  await over
}

/** Throws if the worker cannot start. `over` resolves when it has stopped. */
export async function startWorker(services: Services, signal: AbortSignal): Promise<{ over: Promise<void> }> {
  const { config, log } = services
  const events: WorkerEvents = new EventEmitter()
  const life = await openHeartbeat(config.databaseUrl, (error) => {
    // Without its locks this worker counts as dead and others take its jobs, so the process must stop.
    log.fatal({ err: error }, 'the worker lost its lock')
    process.exit(1)
  })
  // The job library locks jobs in the name of the pool, not of a single worker.
  events.on('pool:create', ({ workerPool }) => {
    life.show(workerPool.id).catch((error) => log.error({ err: error }, 'no worker lock'))
  })
  const pool = new pg.Pool({ connectionString: config.databaseUrl, max: CONNECTIONS, ...TIMEOUTS })
  const lost = (error: Error) => log.warn({ err: error }, 'a worker connection was closed')
  pool.on('error', lost)
  pool.on('connect', (client) => client.on('error', lost))
  const common = {
    pgPool: pool,
    events,
    pollInterval: POLL_MS,
    noHandleSignals: true,
    // Without a batch the library ignores an error of the statement that ends a job: a busy database would crash the process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    logger: new WorkerLogger(() => (level, message, meta) => {
      if (level === 'error') log.error({ meta: String(meta?.error ?? '') }, message)
      // The library warns about fewer connections than workers, which is intended here.
      else if (level === 'warning' && !message.includes('maxPoolSize')) log.warn({}, message)
    }),
  }
  const money: TaskList = {
    pay: (payload) => pay(services, PayPayload.parse(payload).payoutId),
  }
  const errands: TaskList = {
    assign: (payload) => {
      const { depositId, swapId } = AssignPayload.parse(payload)
      return assignUnmatched(services, depositId, swapId)
    },
    sendBack: (payload) => {
      const { depositId, to } = SendBackPayload.parse(payload)
      return returnUnmatched(services, depositId, to)
    },
    giveAddress: (payload) => setRefundAddress(services, AddressPayload.parse(payload)),
    correctProceeds: (payload) => correctProceeds(services, ProceedsPayload.parse(payload)),
    promise: (payload) => promiseReward(services, PromisePayload.parse(payload).swapId),
    // Jobs of the release before. Their deliveries are sent from their table.
    notify: async () => undefined,
  }
  const hints: TaskList = {
    inspect: (payload, { job }) => followHint(services, { ...InspectPayload.parse(payload), since: job.run_at }),
  }
  // A network has one queue, and a queue runs one job at a time: with a worker for each, hanging nodes of one network
  // delay no other's payouts. Addresses that third parties choose never take a payout's worker.
  const lanes = services.chains.size + SPARE_LANES
  const runners = await Promise.all([
    run({ ...common, taskList: whileClockIsRight(services, money), concurrency: lanes }),
    run({ ...common, taskList: whileClockIsRight(services, errands), concurrency: CONCURRENCY.errands }),
    run({ ...common, taskList: whileClockIsRight(services, hints), concurrency: CONCURRENCY.hints }),
  ])
  for (const runner of runners)
    runner.promise.catch((error: unknown) => {
      if (signal.aborted) return
      // This worker runs no more jobs and would not be noticed otherwise: a restart resumes them.
      log.fatal({ err: error }, 'the worker has stopped')
      process.exit(1)
    })
  const dispatching = dispatchWebhooks(services, signal)
  const finish = async () => {
    await reap(services, signal)
    await dispatching
    await Promise.all(runners.map((runner) => runner.stop().catch(() => undefined)))
    await pool.end()
    await life.end()
  }
  return { over: finish() }
}

/** With a wrong clock nothing is decided or signed: a job is retried, by this process or by one whose clock is right. */
export function whileClockIsRight({ clock }: Pick<Services, 'clock'>, tasks: TaskList): TaskList {
  const guarded = Object.entries(tasks).map(([name, task]): [string, Task | undefined] => [
    name,
    task &&
      (async (payload, helpers) => {
        if (!clock.isTrusted()) throw new RetryLater("this process's clock is wrong: it decides nothing")
        return task(payload, helpers)
      }),
  ])
  return Object.fromEntries(guarded)
}

async function reap(services: Services, signal: AbortSignal): Promise<void> {
  let missed = new Set<string>()
  while (!signal.aborted) {
    try {
      const gone = new Set<string>()
      for (const worker of await lockedWorkers(services.database)) {
        if (await isWorkerGone(services.database, worker)) gone.add(worker)
      }
      const dead = [...gone].filter((worker) => missed.has(worker))
      if (dead.length > 0) {
        await unlockWorkers(services.database, dead)
        services.log.warn({ workers: dead }, 'requeued jobs of crashed workers')
      }
      missed = gone
    } catch (error) {
      services.log.warn({ err: error }, 'failed to check for crashed workers')
    }
    await sleep(REAP_MS, signal)
  }
}
